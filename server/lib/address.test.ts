import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '#test/kit/any-text.ts';
import { parseAddress, parseDomain } from './address.ts';

test('what is not exactly one plain address is refused', () => {
  const wrong = [
    '',
    '@',
    'a',
    'a@',
    '@b.com',
    'a@b',
    'a@@b.com',
    'a@b@c.com',
    ' a@b.com',
    'a@b.com ',
    'a@b.com\n',
    'a@b.com\r\nBcc: c@d.com',
    'a\u0000@b.com',
    '"a b"@c.com',
    '"a"@b.com',
    'a(comment)@b.com',
    'Ann <a@b.com>',
    '<a@b.com>',
    'group:a@b.com;',
    'a@b.com,c@d.com',
    '@x.com:a@b.com',
    'a%c.com@b.com',
    'c.com!a@b.com',
    '.a@b.com',
    'a.@b.com',
    'a..b@c.com',
    'ä@b.com',
    '\u212aelvin@b.com',
    'a@b..com',
    'a@.b.com',
    'a@b.com.',
    'a@-b.com',
    'a@b-.com',
    'a@b_c.com',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@127.1',
    'a@１２７.1',
    'a@b.123',
    'a@ex%61mple.com',
    'a@b.com/c',
    'a@b.com:25',
    'a@exa\u00admple.com',
    'a@exa\u200bmple.com',
    'a@exa\u202emple.com',
    'a@b\u00a0c.com',
    'a@\ud800.com',
    'a@℀.com',
    `${'a'.repeat(65)}@b.com`,
    `a@${'b'.repeat(64)}.com`,
    `a@${'b.'.repeat(127)}com`,
  ];
  for (const text of wrong) assert.equal(parseAddress(text), null, JSON.stringify(text));
});

test('plain addresses get one canonical form', () => {
  const table: [string, string][] = [
    ['a@b.com', 'a@b.com'],
    ['Ann.Lee@Example.COM', 'ann.lee@example.com'],
    ['a+tag@b.com', 'a+tag@b.com'],
    ["o'neil_x-1@b.co.uk", "o'neil_x-1@b.co.uk"],
    ['a@Bücher.de', 'a@xn--bcher-kva.de'],
    ['a@XN--BCHER-KVA.de', 'a@xn--bcher-kva.de'],
    ['a@例え。jp', 'a@xn--r8jz45g.jp'],
    [`${'a'.repeat(64)}@b.com`, `${'a'.repeat(64)}@b.com`],
  ];
  for (const [text, address] of table) assert.equal(parseAddress(text)?.address, address);
  assert.deepEqual(parseAddress('A@B.com'), { address: 'a@b.com', local: 'a', domain: 'b.com' });
});

test('dots and plus signs of the local part stay: they are another mailbox', () => {
  assert.notEqual(parseAddress('ann.lee@b.com')?.address, parseAddress('annlee@b.com')?.address);
  assert.notEqual(parseAddress('ann+x@b.com')?.address, parseAddress('ann@b.com')?.address);
});

test('a domain of one label needs permission', () => {
  assert.equal(parseAddress('a@localhost'), null);
  assert.equal(parseAddress('a@localhost', { allowSingleLabel: true })?.domain, 'localhost');
  assert.equal(parseAddress('a@1234', { allowSingleLabel: true }), null);
  assert.equal(parseDomain('Example.org'), 'example.org');
});

test('every accepted address is bounded and its own canonical form', () => {
  const piece = fc.oneof(
    anyText({ maxLength: 6 }),
    fc.constantFrom('a', 'B', '.', '@', '-', 'com', '\r\n', '"', '<', '>', ',', 'é', 'xn--', '%41', '日本', ' '),
  );
  const hostile = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
  const plausible = fc.tuple(hostile, hostile).map(([local, domain]) => `${local}@${domain}.com`);
  fc.assert(
    fc.property(fc.oneof(hostile, plausible, fc.emailAddress()), (text) => {
      const parsed = parseAddress(text);
      if (parsed === null) return;
      assert.match(parsed.address, /^[a-z0-9#$&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9.-]{3,255}$/);
      assert.ok(parsed.address.length <= 320);
      assert.deepEqual(parseAddress(parsed.address), parsed);
    }),
    { numRuns: 500 },
  );
});

test('an address may be as long as the rules permit, and no longer', () => {
  const label = 'b'.repeat(63);
  const domain = (chars: number) => `${`${label}.`.repeat(3)}${'c'.repeat(chars - 3 * 64)}`;
  assert.equal(parseDomain(`${label}.com`), `${label}.com`);
  assert.equal(parseDomain(`b${label}.com`), null);
  assert.equal(parseDomain(domain(255)), domain(255));
  assert.equal(parseDomain(`${domain(251)}.com`), `${domain(251)}.com`);
  assert.equal(parseDomain(`${domain(252)}.com`), null);
  const local = 'a'.repeat(64);
  assert.equal(parseAddress(`${local}@${domain(255)}`)?.address.length, 320);
  assert.equal(parseAddress(`a${local}@b.com`), null);
  assert.equal(parseAddress(`${local}@${domain(252)}.com`), null);
});
