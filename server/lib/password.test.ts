import assert from 'node:assert/strict';
import { argon2Sync, createHmac, createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { TooBusy } from './gate.ts';
import { seededRandom } from './ids.ts';
import { openPasswords, type PasswordsOptions } from './password.ts';

const pepper = createSecretKey(Buffer.alloc(32, 1));
const cheap = { memoryKiB: 64, passes: 1, parallelism: 1 };

const network = '192.0.2.1';

/** All from one network. */
function open(changes: Partial<PasswordsOptions> = {}) {
  const options = { pepper, pepperId: 'p1', random: seededRandom('salt'), parameters: cheap, ...changes };
  const { hashPassword, verifyPassword, verifyNothing } = openPasswords(options);
  return {
    hashPassword: (password: string) => hashPassword(password, network),
    verifyPassword: (password: string, phc: string) => verifyPassword(password, phc, network),
    verifyNothing: () => verifyNothing(network),
  };
}

test('a wrong password, another pepper and a damaged hash are refused', async () => {
  const passwords = open();
  const phc = await passwords.hashPassword('correct horse');
  const refused = { ok: false, needsRehash: false };
  for (const wrong of ['', 'Correct horse', 'correct horse ', 'correct horse\u0000']) {
    assert.deepEqual(await passwords.verifyPassword(wrong, phc), refused);
  }
  const otherPepper = open({ pepper: createSecretKey(Buffer.alloc(32, 2)) });
  assert.deepEqual(await otherPepper.verifyPassword('correct horse', phc), refused);
  const damaged = ['', 'x', `${phc}A`, phc.slice(0, -30), phc.replace('argon2id', 'argon2i'), phc.replace('p1', 'p9')];
  const greedy = phc.replace('m=64', 'm=9999999');
  for (const text of [...damaged, greedy, phc.replace('m=64', 'm=1'), phc.replace('t=1', 't=0')]) {
    assert.deepEqual(await passwords.verifyPassword('correct horse', text), refused, text);
  }
});

test('a stored hash that asks for more passes or lanes than we ever use is not computed', async () => {
  const made = async (parameters: PasswordsOptions['parameters']) => {
    const phc = await open({ parameters }).hashPassword('correct horse');
    return (await open().verifyPassword('correct horse', phc)).ok;
  };
  assert.equal(await made({ ...cheap, passes: 16 }), true);
  assert.equal(await made({ ...cheap, passes: 17 }), false);
  assert.equal(await made({ memoryKiB: 64, passes: 1, parallelism: 8 }), true);
  assert.equal(await made({ memoryKiB: 72, passes: 1, parallelism: 9 }), false);
});

test('the right password is accepted with any bytes', async () => {
  const passwords = open();
  for (const password of ['correct horse', 'пароль 密码 🔑', 'nul\u0000inside', 'x'.repeat(1024)]) {
    const phc = await passwords.hashPassword(password);
    assert.match(phc, /^\$argon2id\$v=19\$m=64,t=1,p=1,keyid=p1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.deepEqual(await passwords.verifyPassword(password, phc), { ok: true, needsRehash: false });
  }
});

test('the same password never gives the same hash', async () => {
  const passwords = open();
  assert.notEqual(await passwords.hashPassword('twice'), await passwords.hashPassword('twice'));
});

test('a hash with weaker parameters or a former pepper needs a rehash', async () => {
  const old = await open().hashPassword('correct horse');
  const more = open({ parameters: { ...cheap, passes: 2 } });
  assert.deepEqual(await more.verifyPassword('correct horse', old), { ok: true, needsRehash: true });
  const raised = open({ parameters: { ...cheap, memoryKiB: 128 } });
  assert.deepEqual(await raised.verifyPassword('correct horse', old), { ok: true, needsRehash: true });
  assert.deepEqual(await raised.verifyPassword('wrong', old), { ok: false, needsRehash: false });
  const rotated = open({ pepper: createSecretKey(Buffer.alloc(32, 2)), pepperId: 'p2', formerPeppers: { p1: pepper } });
  assert.deepEqual(await rotated.verifyPassword('correct horse', old), { ok: true, needsRehash: true });
  const again = await rotated.hashPassword('correct horse');
  assert.deepEqual(await rotated.verifyPassword('correct horse', again), { ok: true, needsRehash: false });
});

test('a hash with a shorter salt or tag is valid, and needs a rehash', async () => {
  const passwords = open();
  const message = createHmac('sha256', pepper).update('correct horse').digest();
  const stored = async (saltBytes: number, tagLength: number) => {
    const nonce = Buffer.alloc(saltBytes, 7);
    const tag = argon2Sync('argon2id', { message, nonce, tagLength, memory: 64, passes: 1, parallelism: 1 });
    const [salt, end] = [nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
    return passwords.verifyPassword('correct horse', `$argon2id$v=19$m=64,t=1,p=1,keyid=p1$${salt}$${end}`);
  };
  assert.deepEqual(await stored(16, 32), { ok: true, needsRehash: false });
  assert.deepEqual(await stored(15, 32), { ok: true, needsRehash: true });
  assert.deepEqual(await stored(16, 31), { ok: true, needsRehash: true });
});

test('the default cost is 64 MiB and three passes', async () => {
  const phc = await open({ parameters: undefined }).hashPassword('correct horse');
  assert.match(phc, /\$m=65536,t=3,p=1,/);
});

test('a password from another network is checked before all that wait, and is never too busy', async () => {
  const passwords = openPasswords({ pepper, pepperId: 'p1', random: seededRandom('salt'), parameters: cheap });
  const phc = await passwords.hashPassword('correct horse', '192.0.2.2');
  const finished: string[] = [];
  const flood = Array.from({ length: 66 }, () =>
    passwords.verifyNothing(network).then(
      () => finished.push('flood'),
      (error: unknown) => finished.push(error instanceof TooBusy ? 'too busy' : 'failed'),
    ),
  );
  const verdict = await passwords.verifyPassword('correct horse', phc, '192.0.2.2');
  assert.equal(verdict.ok, true);
  // Two were running, and a few may have begun and ended in between; the newest lost its place.
  assert.ok(finished.filter((outcome) => outcome === 'flood').length <= 8, finished.join());
  assert.deepEqual(new Set(finished), new Set(['flood', 'too busy']));
  await Promise.all(flood);
  assert.equal(finished.filter((outcome) => outcome === 'too busy').length, 1);
});

test('two run, sixty-four wait, the next one is rejected', async () => {
  const passwords = open();
  const admitted = Array.from({ length: 66 }, () => passwords.verifyNothing());
  await assert.rejects(passwords.verifyNothing(), TooBusy);
  await assert.rejects(passwords.hashPassword('a'), TooBusy);
  await Promise.all(admitted);
  await passwords.verifyNothing();
});

test('a pepper id that would break the stored form is refused', () => {
  for (const pepperId of ['', 'a$b', 'a,b', 'x'.repeat(33)]) assert.throws(() => open({ pepperId }), RangeError);
});
