import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  emptyRoot,
  isConsistent,
  isIncluded,
  leafHash,
  nodeHash,
  proveConsistency,
  proveInclusion,
  type ReadSubtree,
  treeRoot,
} from './merkle.ts';

// The vectors of the reference implementation of certificate transparency.
const entries = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => Buffer.from(hex, 'hex'));
const roots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const read = subtreesOf(entries);

test('roots are those of the published vectors', async () => {
  for (const [size, root] of roots.entries())
    assert.equal((await treeRoot(read, size)).toString('hex'), root, `size ${size}`);
  assert.equal(emptyRoot().toString('hex'), roots[0]);
});

test('inclusion proofs are those of the published vectors', async () => {
  assert.deepEqual(await hexes(proveInclusion(read, 0, 8)), [
    '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
  ]);
  assert.deepEqual(await hexes(proveInclusion(read, 5, 8)), [
    'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  ]);
});

test('consistency proofs are those of the published vectors', async () => {
  assert.deepEqual(await hexes(proveConsistency(read, 1, 1)), []);
  assert.deepEqual(await hexes(proveConsistency(read, 1, 8)), [
    '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
  ]);
  assert.deepEqual(await hexes(proveConsistency(read, 6, 8)), [
    '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
    'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  ]);
  assert.deepEqual(await hexes(proveConsistency(read, 2, 5)), [
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  ]);
});

test('every proof of every small tree holds, and none with a changed, missing or further hash', async () => {
  const leaves = Array.from({ length: 20 }, (_, index) => Buffer.from(`leaf ${index}`));
  const readSmall = subtreesOf(leaves);
  for (let size = 1; size <= leaves.length; size++) {
    const root = await treeRoot(readSmall, size);
    for (let index = 0; index < size; index++) {
      const proof = await proveInclusion(readSmall, index, size);
      const claim = { index, size, leaf: leafHash(leaves[index]!), root };
      assert.ok(isIncluded(claim, proof));
      assert.equal(isIncluded({ ...claim, index: index + 1 }, proof), false);
      for (const bad of spoiled(proof)) assert.equal(isIncluded(claim, bad), false);
    }
    for (let oldSize = 0; oldSize <= size; oldSize++) {
      const proof = await proveConsistency(readSmall, oldSize, size);
      const claim = { oldSize, oldRoot: await treeRoot(readSmall, oldSize), newSize: size, newRoot: root };
      assert.ok(isConsistent(claim, proof));
      assert.equal(isConsistent({ ...claim, oldRoot: leafHash(Buffer.from('other')) }, proof), false);
      if (oldSize > 0) for (const bad of spoiled(proof)) assert.equal(isConsistent(claim, bad), false);
    }
  }
});

test('there is no proof of what is not there', async () => {
  for (const index of [8, -1, 0.5])
    await assert.rejects(proveInclusion(read, index, 8), /there is no such entry/, `${index}`);
  for (const oldSize of [8, -1])
    await assert.rejects(proveConsistency(read, oldSize, 7), /a log cannot have shrunk/, `${oldSize}`);
  const first = { size: 8, leaf: leafHash(entries[0]!), root: await treeRoot(read, 8) };
  const proof = await proveInclusion(read, 0, 8);
  assert.deepEqual(
    [0, -1, 0.5].map((index) => isIncluded({ ...first, index }, proof)),
    [true, false, false],
  );
  assert.equal(isIncluded({ index: 0, size: 0, leaf: emptyRoot(), root: emptyRoot() }, []), false);
  for (const oldSize of [8, -1, 0.5])
    assert.equal(isConsistent({ oldSize, oldRoot: emptyRoot(), newSize: 7, newRoot: emptyRoot() }, []), false);
});

function subtreesOf(all: Buffer[]): ReadSubtree {
  const hash = (level: number, index: number): Buffer =>
    level === 0 ? leafHash(all[index]!) : nodeHash(hash(level - 1, index * 2), hash(level - 1, index * 2 + 1));
  return async (level, index) => hash(level, index);
}

function spoiled(proof: Buffer[]): Buffer[][] {
  const other = leafHash(Buffer.from('other'));
  return [[...proof, other], ...proof.flatMap((_, at) => [proof.with(at, other), proof.toSpliced(at, 1)])];
}

async function hexes(proof: Promise<Buffer[]>): Promise<string[]> {
  return (await proof).map((hash) => hash.toString('hex'));
}
