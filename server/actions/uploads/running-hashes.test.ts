import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunningHash } from '../../domain/ports.ts';
import type { Ctx } from '../context.ts';
import { chainBefore, chainDigest, dropChain, saveChain } from './running-hashes.ts';

const hashOf = (text: string) => ({ digest: () => `digest of ${text}` }) as unknown as RunningHash;
const newProcess = () => ({ blobs: {} }) as Ctx;
const sha = (chunk: number) => `sha ${chunk}`;

/** Chunks 0 to `count` - 1 have arrived in order. */
function arrived(count: number): Ctx {
  const ctx = newProcess();
  for (let number = 0; number < count; number++)
    saveChain(ctx, 'upload', { number, sha256: sha(number), hash: hashOf(`0 to ${number}`) });
  return ctx;
}

describe('the running hash of an upload', () => {
  test('begins with the first chunk and continues only with the next one', () => {
    const ctx = arrived(2);
    assert.equal(chainBefore(ctx, 'upload', 0), 'start');
    assert.equal((chainBefore(ctx, 'upload', 2) as RunningHash).digest(), 'digest of 0 to 1');
    for (const chunk of [1, 3]) assert.equal(chainBefore(ctx, 'upload', chunk), null, `chunk ${chunk}`);
    assert.equal(chainBefore(ctx, 'another', 2), null);
    assert.equal(chainBefore(newProcess(), 'upload', 2), null, 'another process');
  });

  test('gives the checksum of the whole file if it covers exactly the stored chunks', () => {
    const last = { sha256: sha(2), hash: hashOf('0 to 2') };
    assert.equal(chainDigest(arrived(2), 'upload', [sha(0), sha(1), sha(2)], last), 'digest of 0 to 2');
    assert.equal(chainDigest(arrived(2), 'upload', [sha(0), 'replaced', sha(2)], last), null);
    assert.equal(chainDigest(arrived(1), 'upload', [sha(0), sha(1), sha(2)], last), null);
    assert.equal(chainDigest(arrived(2), 'upload', [sha(0), sha(1), sha(2)], { ...last, hash: null }), null);
    assert.equal(
      chainDigest(newProcess(), 'upload', [sha(2)], last),
      'digest of 0 to 2',
      'one chunk is the whole file',
    );
  });

  test('goes back to a repeated chunk, ignores one that arrived too early, and can be dropped', () => {
    const ctx = arrived(3);
    saveChain(ctx, 'upload', { number: 1, sha256: sha(1), hash: hashOf('0 to 1, again') });
    assert.equal((chainBefore(ctx, 'upload', 2) as RunningHash).digest(), 'digest of 0 to 1, again');
    saveChain(ctx, 'upload', { number: 5, sha256: sha(5), hash: hashOf('a gap') });
    assert.equal(chainBefore(ctx, 'upload', 6), null);
    dropChain(ctx, 'upload');
    assert.equal(chainBefore(ctx, 'upload', 2), null);
  });

  test('is kept for the 2,000 most recently active uploads', () => {
    const ctx = newProcess();
    const first = { number: 0, sha256: sha(0), hash: hashOf('0') };
    for (let upload = 0; upload < 2000; upload++) saveChain(ctx, `upload ${upload}`, first);
    saveChain(ctx, 'upload 0', first);
    saveChain(ctx, 'one more', first);
    assert.notEqual(chainBefore(ctx, 'upload 0', 1), null);
    assert.equal(chainBefore(ctx, 'upload 1', 1), null);
    assert.notEqual(chainBefore(ctx, 'upload 2', 1), null);
  });
});
