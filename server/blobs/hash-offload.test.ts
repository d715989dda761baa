import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { openMemoryStore } from '#test/kit/blob-store.ts';
import { bodyOf, freshBlob } from '#test/kit/sealed-blobs.ts';
import { collect } from './blob-store.suite.ts';
import { openHashOffload, type PatientHash, slotBytes } from './hash-offload.ts';
import { receiveBlob } from './receive.ts';
import { countTransfers } from './transfers.ts';

const large = randomBytes(5 * slotBytes + 123);
const alone = () => true;
const script = (text: string) => new URL(`data:text/javascript,${encodeURIComponent(text)}`);
const dying = () => openHashOffload(script('process.exit(1)'));

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function addAll(hash: PatientHash, bytes: Buffer, chunkBytes: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += chunkBytes) await hash.add(bytes.subarray(at, at + chunkBytes));
}

async function hashAll(hash: PatientHash, bytes: Buffer, chunkBytes = 65_536): Promise<string> {
  try {
    await addAll(hash, bytes, chunkBytes);
    return await hash.finish();
  } finally {
    hash.drop();
  }
}

describe('a hashing thread that fails', () => {
  it('fails the upload that uses it, leaves nothing in the store, and is not used again', async () => {
    for (const text of ['process.exit(1)', 'throw new Error("broken")', 'not javascript at all']) {
      const offload = openHashOffload(script(text));
      const store = openMemoryStore();
      const parts = { store, transfers: countTransfers(), offload };
      const body = bodyOf(large);
      await assert.rejects(receiveBlob(parts, freshBlob(), body), /the hashing thread/);
      assert.deepEqual(await collect(store.list()), []);
      assert.equal(await store.removeUnfinished(Date.now() + 1000, async () => false), 0);
      assert.equal(parts.transfers.active, 0);
      assert.equal((await receiveBlob(parts, freshBlob(), bodyOf(large))).sha256, sha256(large));
      await offload.close();
    }
  });

  it('does not affect small uploads, or simultaneous ones', async () => {
    const offload = dying();
    const small = large.subarray(0, slotBytes - 1);
    assert.equal(await hashAll(offload.begin(alone), small), sha256(small));
    assert.equal(await hashAll(offload.begin(alone), Buffer.alloc(0)), sha256(Buffer.alloc(0)));
    assert.equal(
      await hashAll(
        offload.begin(() => false),
        large,
      ),
      sha256(large),
    );
    await offload.close();
  });
});

describe('a hashing thread', () => {
  it('hashes uploads in sequence, in chunks of any size', async () => {
    const offload = openHashOffload();
    for (const chunkBytes of [1_000, 65_536, slotBytes, 3 * slotBytes, large.length]) {
      assert.equal(await hashAll(offload.begin(alone), large, chunkBytes), sha256(large));
    }
    const whole = large.subarray(0, 2 * slotBytes);
    assert.equal(await hashAll(offload.begin(alone), whole), sha256(whole));
    await offload.close();
  });

  it('leaves an upload to the main thread when others have come by the time it is large', async () => {
    const offload = dying();
    let others = 0;
    const hash = offload.begin(() => others === 0);
    await addAll(hash, large.subarray(0, 1000), 1000);
    others = 1;
    assert.equal(await hashAll(hash, large.subarray(1000)), sha256(large));
    await offload.close();
  });

  it('is free again when an upload has left it, and not before', async () => {
    const offload = openHashOffload();
    let asked = 0;
    const begin = () =>
      offload.begin(() => {
        asked += 1;
        return true;
      });
    const first = begin();
    begin().drop();
    assert.equal(asked, 1, 'the thread is not requested while it is in use');
    first.drop();
    begin().drop();
    assert.equal(asked, 2);
    await assert.rejects(first.finish(), /the hash was left/);
    await assert.rejects(async () => first.add(Buffer.from('x')), /the hash was left/);
    await offload.close();
  });

  it('serves one upload at a time and the others are hashed in the main thread', async () => {
    const offload = openHashOffload();
    const results = await Promise.all([1, 2, 3].map(() => hashAll(offload.begin(alone), large)));
    assert.deepEqual(
      results,
      [1, 2, 3].map(() => sha256(large)),
    );
    await offload.close();
  });

  it('forgets an aborted upload', async () => {
    const offload = openHashOffload();
    const given = offload.begin(alone);
    await addAll(given, large.subarray(0, 2 * slotBytes), 65_536);
    given.drop();
    given.drop();
    for (let n = 0; n < 3; n += 1) assert.equal(await hashAll(offload.begin(alone), large), sha256(large));
    await offload.close();
  });

  it('does not keep a process alive, and a process without threads hashes in the main thread', () => {
    const module = JSON.stringify(new URL('./hash-offload.ts', import.meta.url).href);
    const text = `
      const { openHashOffload, slotBytes } = await import(${module});
      const hash = openHashOffload().begin(() => true);
      for (let n = 0; n < 3; n += 1) await hash.add(Buffer.alloc(slotBytes));
      console.log(await hash.finish());`;
    for (const flags of [[], ['--permission', '--allow-fs-read=*']]) {
      const values = [...flags, '--input-type=module', '-e', text];
      const child = spawnSync(process.execPath, values, { timeout: 240_000, encoding: 'utf8' });
      assert.equal(child.status, 0, child.stderr);
      assert.equal(child.stdout.trim(), sha256(Buffer.alloc(3 * slotBytes)));
    }
  });
});
