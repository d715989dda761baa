import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { watchSyncs } from '#test/kit/syncs.ts';
import { seededRandom } from './ids.ts';
import { keepFormerKey, loadMasterKey, MasterKeyProblem, replaceMasterKeys } from './master-key.ts';

const folder = await mkdtemp(join(tmpdir(), 'waybill-key-'));
after(() => rm(folder, { recursive: true, force: true }));

const random = seededRandom('master-key');
const right = Buffer.alloc(32, 5).toString('base64');

async function keyFile(name: string, text: string, mode = 0o600): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

const isProblem = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof MasterKeyProblem);
  assert.match(error.message, words);
  return true;
};

test('a missing key is not created next to existing data', async () => {
  const path = join(folder, 'missing.key');
  await assert.rejects(loadMasterKey(path, false, random), isProblem(/master key is missing: .*missing\.key/));
  await assert.rejects(stat(path), { code: 'ENOENT' });
});

test('a key that others can read is refused with the command that fixes it', async () => {
  for (const mode of [0o644, 0o640, 0o660, 0o604]) {
    const path = await keyFile(`open-${mode}.key`, right, mode);
    await assert.rejects(loadMasterKey(path, true, random), isProblem(/can be read by others\. Run: chmod 600/));
  }
});

test('a key that is not 32 bytes in Base64 is refused and not replaced, and the sentence does not show it', async () => {
  const texts = ['', 'x', Buffer.alloc(31, 5).toString('base64'), Buffer.alloc(33, 5).toString('base64')];
  texts.push('05'.repeat(32), `${right.slice(0, 20)}!${right.slice(20)}`, `${right}\n${right}`);
  const others = [6, 7].map((byte) => Buffer.alloc(32, byte).toString('base64'));
  texts.push([right, ...others].join('\n'), `${right}\n${others[0]!.slice(4)}`);
  for (const [number, text] of texts.entries()) {
    const path = await keyFile(`bad-${number}.key`, text);
    await assert.rejects(loadMasterKey(path, true, random), isProblem(/is not 32 bytes in Base64/));
    assert.equal(await readFile(path, 'utf8'), text);
  }
});

test('two different keys are the one in use and the one that follows it', async () => {
  const path = await keyFile('two.key', `${right}\n${Buffer.alloc(32, 6).toString('base64')}\n`);
  const { key, next } = await loadMasterKey(path, false, random);
  assert.deepEqual([key, next], [Buffer.alloc(32, 5), Buffer.alloc(32, 6)]);
});

test('a folder in its place is an error, not a new key', async () => {
  await assert.rejects(loadMasterKey(folder, true, random));
});

test('a key is created for an empty installation, for its owner only, and read back the same', async () => {
  const path = join(folder, 'deeper', 'still', 'master.key');
  const made = await loadMasterKey(path, true, random);
  assert.equal(made.wasCreated, true);
  assert.equal(made.key.length, 32);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  for (const mayCreate of [true, false])
    assert.deepEqual(await loadMasterKey(path, mayCreate, random), { key: made.key, next: null, wasCreated: false });
});

test('a process uses the key that another one has just created', async () => {
  const path = join(folder, 'second.key');
  const late = {
    ...random,
    bytes(count: number) {
      writeFileSync(path, right, { mode: 0o600 });
      return Buffer.alloc(count, 9);
    },
  };
  assert.deepEqual(await loadMasterKey(path, true, late), {
    key: Buffer.alloc(32, 5),
    next: null,
    wasCreated: false,
  });
});

test('a key that cannot be stored durably is not used, and leaves nothing behind', async (t) => {
  const prototype = Object.getPrototypeOf(await open(folder, 'r').then((one) => one.close().then(() => one)));
  t.mock.method(prototype, 'sync', () => Promise.reject(new Error('the disk failed')), { times: 1 });
  const dir = join(folder, 'failing');
  await assert.rejects(loadMasterKey(join(dir, 'master.key'), true, random), /the disk failed/);
  assert.deepEqual(await readdir(dir), []);
});

test('keys are replaced as a whole, and the new file is durable', async (t) => {
  const path = await keyFile('replaced.key', right);
  const synced = await watchSyncs(t);
  const [one, two] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
  await replaceMasterKeys(path, [one, two]);
  assert.deepEqual(await loadMasterKey(path, false, random), { key: one, next: two, wasCreated: false });
  assert.deepEqual(synced, ['file', 'folder']);
});

test('a key written by hand may have line ends around it', async () => {
  const path = await keyFile('hand.key', `\n${right}\r\n`);
  assert.deepEqual((await loadMasterKey(path, false, random)).key, Buffer.alloc(32, 5));
});

test('a new key is durable before anything is encrypted with it: its bytes, then its name', async (t) => {
  const synced = await watchSyncs(t);
  await loadMasterKey(join(folder, 'durable.key'), true, random);
  assert.deepEqual(synced, ['file', 'folder']);
});

test('former keys are kept, each in a separate file', async () => {
  const path = join(folder, 'former', 'key.before');
  await mkdir(dirname(path));
  const keys = [1, 2, 3].map((byte) => Buffer.alloc(32, byte));
  // Interrupted and repeated: stored once.
  for (const key of [keys[0]!, keys[0]!, keys[1]!, keys[1]!, keys[2]!]) await keepFormerKey(path, key);
  const texts = await Promise.all([`${path}.1`, `${path}.2`, path].map((each) => readFile(each, 'utf8')));
  assert.deepEqual(
    texts,
    keys.map((key) => `${key.toString('base64')}\n`),
  );
  await writeFile(path, 'something of the operator');
  await keepFormerKey(path, keys[0]!);
  assert.equal(await readFile(`${path}.3`, 'utf8'), 'something of the operator');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});
