import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '#test/kit/any-text.ts';
import { COMMON_STEMS } from './common-passwords.ts';
import { seededRandom } from './ids.ts';
import { refusePassword } from './password-rules.ts';

test('a password of fewer than twelve characters is too short, however many bytes it has', () => {
  for (const password of ['', 'xK4!vQ9#mZ2', '🔑'.repeat(11)]) assert.equal(refusePassword(password), 'too_short');
});

test('a password of more than 1024 bytes is too long', () => {
  const long = seededRandom('long').id(1025);
  assert.equal(refusePassword(long), 'too_long');
  assert.equal(refusePassword(long.slice(1)), null);
});

test('the most common passwords are refused', () => {
  const common = [
    'password1234',
    'Password123!',
    'P@ssw0rd2024',
    'passwordpassword',
    'drowssap1234',
    'Summer2024!!',
    'Sommer2025!!!',
    'iloveyou2023!',
    'welcomehome2024',
    'letmein123456',
    'changeme!!!!!',
    'administrator',
    'adminadmin123',
    'qwertyuiop123',
    'qwertzuiop12',
    'azertyuiop12',
    '1qaz2wsx3edc',
    '1q2w3e4r5t6y',
    '!@#$%^&*()!@#',
    'zxcvbnm,./zxc',
    '123456789012',
    '987654321098',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'abababababab',
    'abcabcabcabc',
    'xyzxyzxyz123',
    'aaaabbbbcccc',
    '111122223333',
    'dragon19870412',
    'vbxqmvbxqmvbxqm',
    'welcomehome!!',
    'Passwort12345',
  ];
  for (const password of common) assert.equal(refusePassword(password), 'too_common', password);
});

test('a password that holds a name is refused, in any spelling', () => {
  const names = ['Acme Corp', 'ann.miller@example.com'];
  for (const password of [
    'acmecorp-x7q9-zz',
    'ACME-vq83kd02',
    'xx4cm3xx-vq83kd',
    'a.n.n.m.i.l.l.e.r',
    'MillerTime-vq8',
  ]) {
    assert.equal(refusePassword(password, names), 'contains_name', password);
  }
  // Short names are part of too many words.
  assert.equal(refusePassword('plannedvqx83kd', ['Ann']), null);
});

test('phrases and random passwords are accepted', () => {
  const good = [
    'correct horse battery staple',
    'purple tractors dance slowly',
    'vQ9#mZ2xK4!p',
    'Tr0ub4dor&3-velvet',
    'gutes wetter am see 7',
    'мой любимый чайник',
    '我喜歡在下雨天喝熱茶看書',
  ];
  for (const password of good) assert.equal(refusePassword(password), null, password);
});

test('random ids are never refused as common', () => {
  const random = seededRandom('good');
  for (let round = 0; round < 300; round += 1) assert.equal(refusePassword(random.id(12)), null);
});

test('a common word with a number or signs behind it is always refused', () => {
  const words = [...COMMON_STEMS].filter((word) => /^[a-z]{8,}$/.test(word));
  const tails = ['1234', '2024', '!!!!', '12345678', '19991231', '1111'];
  fc.assert(
    fc.property(fc.constantFrom(...words), fc.constantFrom(...tails), fc.boolean(), (word, tail, capital) => {
      const first = capital ? word[0]!.toUpperCase() : word[0]!;
      assert.equal(refusePassword(first + word.slice(1) + tail), 'too_common');
    }),
  );
});

test('any text is judged quickly', () => {
  const long = fc.constantFrom('a'.repeat(1024), 'abc'.repeat(341), '\ud800'.repeat(300), 'password'.repeat(128));
  fc.assert(
    fc.property(fc.oneof(anyText({ maxLength: 60 }), long), fc.array(fc.string()), (password, names) => {
      const answer = refusePassword(password, names);
      assert.ok(answer === null || ['too_short', 'too_long', 'too_common', 'contains_name'].includes(answer));
    }),
  );
});

test('the list of stems is as large as promised and in its own form', () => {
  assert.ok(COMMON_STEMS.size >= 300);
  for (const stem of COMMON_STEMS) assert.match(stem, /^[a-z0-9]{3,}$/);
});

test('six unpredictable parts of five different characters are enough, and fewer are not', () => {
  const table: [string, 'too_common' | null][] = [
    ['passworddragonmonkey', null],
    ['dragonmonkey19', 'too_common'],
    ['kxqwv19991231', null],
    ['kxqw19991231', 'too_common'],
    ['19991231kxqw', 'too_common'],
    ['kvxqzjabcdef', null],
    ['kvxqabcdefgh', 'too_common'],
    ['stu19991231kxv', 'too_common'],
    ['ete19991231kx', 'too_common'],
    ['evt19991231kx', null],
    ['kkvvxxqqabcd', null],
    ['bxkqpzbxkqpz', null],
    ['kvmqzmqzmqzmqz', 'too_common'],
    ['xkqzvkxzqvzkq', null],
    ['xkqzxzkqzkxq', 'too_common'],
  ];
  for (const [password, answer] of table) assert.equal(refusePassword(password), answer, password);
});
