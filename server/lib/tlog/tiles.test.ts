import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grow } from './growth.ts';
import { leafHash, nodeHash, treeRoot } from './merkle.ts';
import {
  decodeBundle,
  encodeBundle,
  listTiles,
  parseTilePath,
  partialTiles,
  subtreeIn,
  subtreesInTiles,
  type Tile,
  tilePath,
  tileWidthAt,
} from './tiles.ts';

test('tiles are named as the specification names them', () => {
  const names: [string, Tile][] = [
    ['tile/0/000', { level: 0, index: 0, width: 256 }],
    ['tile/0/001.p/5', { level: 0, index: 1, width: 5 }],
    ['tile/5/x123/x456/078', { level: 5, index: 123456078, width: 256 }],
    ['tile/5/x123/x456/078.p/2', { level: 5, index: 123456078, width: 2 }],
    ['tile/0/x001/x234/067', { level: 0, index: 1234067, width: 256 }],
    ['tile/entries/x003/x057/500', { level: 'entries', index: 3057500, width: 256 }],
    ['tile/63/000', { level: 63, index: 0, width: 256 }],
    ['tile/entries/000.p/255', { level: 'entries', index: 0, width: 255 }],
  ];
  for (const [path, tile] of names) {
    assert.equal(tilePath(tile), path);
    assert.deepEqual(parseTilePath(path), tile);
  }
});

test('other names are not those of tiles', () => {
  for (const path of [
    '',
    'tile',
    'tile/0/0',
    'tile/00/000',
    'tile/64/000',
    'tile/-1/000',
    'tile/0/x000/000',
    'tile/5/123/456/078',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/05',
    'tile/0/000.p/5/',
    'tile/data/000',
    'tile/0/../../000',
    '/tile/0/000',
  ])
    assert.equal(parseTilePath(path), null, path);
});

test('a log of 70,000 entries has the tiles of the example in the specification', () => {
  assert.equal(tileWidthAt(70_000, { level: 0, index: 272 }), 256);
  assert.equal(tileWidthAt(70_000, { level: 0, index: 273 }), 112);
  assert.equal(tileWidthAt(70_000, { level: 0, index: 274 }), 0);
  assert.equal(tileWidthAt(70_000, { level: 'entries', index: 273 }), 112);
  assert.deepEqual(partialTiles(70_000).map(tilePath), [
    'tile/entries/273.p/112',
    'tile/0/273.p/112',
    'tile/1/001.p/17',
    'tile/2/000.p/1',
  ]);
  assert.deepEqual(partialTiles(256).map(tilePath), ['tile/1/000.p/1']);
  assert.deepEqual(partialTiles(0), []);
});

test('a log of 257 entries consists of two bundles and the tiles above them', () => {
  assert.deepEqual([...listTiles(257)].map(tilePath), [
    'tile/entries/000',
    'tile/0/000',
    'tile/entries/001.p/1',
    'tile/0/001.p/1',
    'tile/1/000.p/1',
  ]);
  assert.deepEqual([...listTiles(0)], []);
});

test('bundles come back as they went in, and anything else is refused', () => {
  const entries = [Buffer.from('one'), Buffer.alloc(0), Buffer.alloc(65_535, 7)];
  assert.deepEqual(decodeBundle(encodeBundle(entries)), entries);
  assert.equal(encodeBundle([Buffer.from('one')]).toString('hex'), '00036f6e65');
  assert.throws(() => encodeBundle([Buffer.alloc(65_536)]), /an entry is too long for a log/);
  assert.deepEqual(decodeBundle(Buffer.of(0, 0)), [Buffer.alloc(0)]);
  assert.throws(() => decodeBundle(Buffer.of(0)), /ends inside a length/);
  assert.throws(() => decodeBundle(Buffer.of(0, 2, 65)), /ends inside an entry/);
  assert.throws(() => subtreeIn(Buffer.alloc(63), 0, 2), /shorter than its name says/);
});

test('the root and the tiles of a log are those of the tree over its leaves', () => {
  const leaves = Array.from({ length: 600 }, (_, index) => leafHash(Buffer.from(`leaf ${index}`)));
  const hashOf = (start: number, end: number): Buffer => {
    if (end - start === 1) return leaves[start]!;
    const middle = start + 2 ** Math.ceil(Math.log2(end - start) - 1);
    return nodeHash(hashOf(start, middle), hashOf(middle, end));
  };
  const { root, tiles } = grow({ size: 0, edge: [] }, leaves);
  assert.deepEqual(root, hashOf(0, 600));
  assert.deepEqual(
    tiles.map(({ tile, bytes }) => [tilePath(tile), bytes]),
    [
      ['tile/0/000', Buffer.concat(leaves.slice(0, 256))],
      ['tile/0/001', Buffer.concat(leaves.slice(256, 512))],
      ['tile/0/002.p/88', Buffer.concat(leaves.slice(512))],
      ['tile/1/000.p/2', Buffer.concat([hashOf(0, 256), hashOf(256, 512)])],
    ],
  );
  const names = (growth: ReturnType<typeof grow>) => growth.tiles.map(({ tile }) => tilePath(tile));
  const full = grow({ size: 0, edge: [] }, leaves.slice(0, 256));
  assert.deepEqual(names(full), ['tile/0/000', 'tile/1/000.p/1'], 'nothing without a hash');
  assert.deepEqual(names(grow(full, leaves.slice(0, 1))), ['tile/0/001.p/1'], 'nothing that is as it was');
  assert.deepEqual([...listTiles(600)].map(tilePath), [
    ...['tile/entries/000', 'tile/0/000', 'tile/entries/001', 'tile/0/001'],
    ...['tile/entries/002.p/88', 'tile/0/002.p/88', 'tile/1/000.p/2'],
  ]);
});

test('a log grown in steps of any size has the tiles and root of one grown in one step', async () => {
  const leaves = Array.from({ length: 66_200 }, (_, index) => leafHash(Buffer.from(`leaf ${index}`)));
  const whole = grow({ size: 0, edge: [] }, leaves);
  const steps = [1, 255, 1, 256, 700, 1, 64_500, 3, 483];
  let log: { size: number; edge: readonly Buffer[] } = { size: 0, edge: [] };
  const files = new Map<string, Buffer>();
  for (const step of steps) {
    const growth = grow(log, leaves.slice(log.size, log.size + step));
    for (const { tile, bytes } of growth.tiles) files.set(tilePath(tile), bytes);
    log = growth;
    const read = subtreesInTiles(log.size, async (tile) => files.get(tilePath(tile)) ?? assert.fail(tilePath(tile)));
    assert.deepEqual(await treeRoot(read, log.size), growth.root, `root at ${log.size}`);
  }
  assert.equal(log.size, leaves.length);
  assert.deepEqual(log.edge, whole.edge);
  for (const { tile, bytes } of whole.tiles) assert.deepEqual(files.get(tilePath(tile)), bytes, tilePath(tile));
  assert.deepEqual(
    whole.tiles.filter(({ tile }) => tile.width < 256).map(({ tile }) => tilePath(tile)),
    ['tile/0/258.p/152', 'tile/1/001.p/2', 'tile/2/000.p/1'],
  );
});
