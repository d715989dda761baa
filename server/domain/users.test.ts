import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from './problem.ts';
import { assertGoodPassword, displayName, readAliases, readEmail, readName, slugOf } from './users.ts';

const refuses = (work: () => unknown, code: string, field?: string) =>
  assert.throws(work, (error: unknown) => {
    assert.ok(error instanceof Problem);
    assert.equal(error.code, code);
    if (field !== undefined) assert.equal(error.field, field);
    return true;
  });

test('an address is refused with its field, or comes back in one spelling', () => {
  for (const text of ['', 'x', 'a b@example.com', 'a@', '@example.com', 'Name <a@example.com>'])
    refuses(() => readEmail(text), 'user.bad_email', 'email');
  refuses(() => readEmail('x', 'sender_aliases'), 'user.bad_email', 'sender_aliases');
  assert.equal(readEmail('Ada.Lovelace@Bücher.Example'), 'ada.lovelace@xn--bcher-kva.example');
  assert.equal(readEmail('root@localhost'), 'root@localhost');
});

test('aliases come as text or as a list, each once, at most fifty', () => {
  refuses(() => readAliases('a@example.com; b@example.com', 'x'), 'user.bad_email', 'x');
  refuses(() => readAliases(['a@example.com, b@example.com'], 'x'), 'user.bad_email', 'x');
  const many = Array.from({ length: 51 }, (_, number) => `a${number}@example.com`);
  refuses(() => readAliases(many, 'x'), 'user.too_many_aliases', 'x');
  assert.equal(readAliases(many.slice(1), 'x').length, 50);
  assert.deepEqual(readAliases(' B@example.com ,, a@example.com,b@EXAMPLE.com', 'x'), [
    'b@example.com',
    'a@example.com',
  ]);
  assert.deepEqual(readAliases('', 'x'), []);
  assert.deepEqual(readAliases([], 'x'), []);
});

test('a name is one line, trimmed, in one normal form', () => {
  for (const text of ['a\nb', 'a\0b', 'a\u007fb', 'x'.repeat(201)])
    refuses(() => readName(text), 'user.bad_name', 'name');
  assert.equal(readName('  Zoe\u0308 '), 'Zoë');
  assert.equal(readName(''), '');
  assert.equal(readName('x'.repeat(200)).length, 200);
});

test('a weak password is refused with the reason, a good one passes', () => {
  const names = ['Ada Lovelace', 'ada@example.com', 'Analytical Engines'];
  for (const [password, code] of [
    ['elevenchars', 'password.too_short'],
    ['password1234', 'password.too_common'],
    ['aaaaaaaaaaaa', 'password.too_common'],
    ['ada lovelace', 'password.contains_name'],
    ['analyticalengines', 'password.contains_name'],
  ] as const)
    refuses(() => assertGoodPassword(password, names), code, 'password');
  assertGoodPassword('grey otters under a paper moon', names);
});

test('ids are letters, digits and dashes, never empty and never too long', () => {
  for (const [text, slug] of [
    ['ada.lovelace@example.com', 'ada-lovelace-example-com'],
    ['Löwe & Söhne', 'lowe-sohne'],
    ['---', 'unnamed'],
    ['営業部', 'unnamed'],
    ['../../etc', 'etc'],
    ['x'.repeat(150), 'x'.repeat(100)],
  ] as const)
    assert.equal(slugOf(text), slug);
});

test('others see the name, or the address if there is none', () => {
  assert.equal(displayName({ name: 'Ada', email: 'ada@example.com' }), 'Ada');
  assert.equal(displayName({ name: '', email: 'ada@example.com' }), 'ada@example.com');
});
