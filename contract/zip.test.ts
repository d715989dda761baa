import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { uniqueNames } from '#server/lib/unique-names.ts';
import { anyText } from '#test/kit/any-text.ts';
import { type ReadAt, readZip, unpack } from '#test/kit/zip-reader.ts';
import { cutStretches, type Stretch, stretchSize } from './stretches.ts';
import { layOutZip, type ZipEntry } from './zip.ts';

const run = promisify(execFile);
const moment = Date.UTC(2026, 10, 15, 20, 4, 6);

interface File {
  name: string;
  bytes: Buffer;
}

function entriesOf(files: File[]): ZipEntry[] {
  const names = uniqueNames(files.map(({ name }) => name));
  return files.map(({ bytes }, index) => ({
    name: names[index]!,
    sizeBytes: bytes.length,
    crc32: crc32(bytes),
    modifiedAt: moment,
  }));
}

/** The bytes of a range, from the files. */
function produce(stretches: Stretch[], files: File[], range: { start: number; end: number }): Buffer {
  return Buffer.concat(
    [...cutStretches(stretches, range)].map(({ stretch, start, end }) =>
      ('bytes' in stretch ? stretch.bytes : files[stretch.file]!.bytes).subarray(start, end),
    ),
  );
}

function pack(files: File[]): Buffer {
  const { sizeBytes, stretches } = layOutZip(entriesOf(files));
  return produce(stretches, files, { start: 0, end: sizeBytes });
}

const anyFiles = fc.array(
  fc.record({
    name: fc.oneof(anyText({ maxLength: 30 }), fc.constantFrom('a.txt', 'A.TXT', '../x', 'a (2).txt')),
    bytes: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  }),
  { maxLength: 12 },
);

describe('a ZIP', () => {
  test('has exactly the length that was told, and an independent reader finds every file', () => {
    fc.assert(
      fc.property(anyFiles, (files) => {
        const { sizeBytes } = layOutZip(entriesOf(files));
        const zip = pack(files);
        assert.equal(zip.length, sizeBytes);
        const found = unpack(zip);
        assert.equal(found.length, files.length);
        for (const [index, { bytes, crc32: checksum }] of found.entries()) {
          assert.ok(bytes.equals(files[index]!.bytes));
          assert.equal(checksum, crc32(bytes));
        }
      }),
    );
  });

  test('is the same in ranges as whole', () => {
    fc.assert(
      fc.property(
        anyFiles,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (files, a, b) => {
          const { sizeBytes, stretches } = layOutZip(entriesOf(files));
          const [start, end] = [a, b].map((part) => Math.floor(part * sizeBytes)).sort((x, y) => x - y) as [
            number,
            number,
          ];
          assert.ok(produce(stretches, files, { start, end }).equals(pack(files).subarray(start, end)));
        },
      ),
    );
  });

  test('without files is an empty ZIP', () => {
    assert.equal(pack([]).toString('latin1'), `PK\x05\x06${'\0'.repeat(18)}`);
  });

  test('tells when each file was made, two seconds fine, in years the format has', () => {
    for (const [modifiedAt, modified] of [
      [moment + 1999, '2026-11-15 20:04:06'],
      [0, '1980-01-01 00:00:00'],
      [Date.UTC(2040, 1, 29, 1, 2, 3), '2040-02-29 01:02:02'],
      [Date.UTC(3000, 0, 1), '2107-12-31 23:59:58'],
    ] as const) {
      const { sizeBytes, stretches } = layOutZip([{ name: 'a', sizeBytes: 0, crc32: 0, modifiedAt }]);
      const zip = produce(stretches, [{ name: 'a', bytes: Buffer.alloc(0) }], { start: 0, end: sizeBytes });
      const [entry] = readZip(zip.length, (offset, length) => zip.subarray(offset, offset + length));
      assert.equal(entry!.modified, modified);
    }
  });
});

test('the instant of a file is in an archive as long as 31 bits hold its seconds', () => {
  const hasInstant = (modifiedAt: number) => {
    const { stretches } = layOutZip([{ name: 'a', sizeBytes: 0, crc32: 0, modifiedAt }]);
    const zip = produce(stretches, [{ name: 'a', bytes: Buffer.alloc(0) }], { start: 0, end: 64 });
    return zip.includes('UT');
  };
  const last = 0x7fffffff * 1000 + 999;
  assert.deepEqual([-1, 0, last, last + 1].map(hasInstant), [false, true, true, false]);
});

describe('beyond what the old format can say', () => {
  /** Reads a layout of files that were never written: only headers may be asked for. */
  function headersOf(stretches: Stretch[]): ReadAt {
    const places: { at: number; bytes: Buffer }[] = [];
    let at = 0;
    for (const stretch of stretches) {
      if ('bytes' in stretch) places.push({ at, bytes: stretch.bytes });
      at += stretchSize(stretch);
    }
    return (offset, length) => {
      const place = places.findLast((candidate) => candidate.at <= offset);
      assert.ok(
        place !== undefined && offset + length <= place.at + place.bytes.length,
        `${offset}+${length} is no header`,
      );
      return place.bytes.subarray(offset - place.at, offset - place.at + length);
    };
  }

  const gib = 1024 ** 3;

  test('sizes and places of 4 GiB and more stand in zip64 fields, smaller ones do not', () => {
    const sizes = [4 * gib - 2, 4 * gib - 1, 4 * gib, 5, 10_000 * gib, 0];
    const { sizeBytes, stretches } = layOutZip(
      sizes.map((size, index) => ({
        name: `${index}.bin`,
        sizeBytes: size,
        crc32: 0xfffffff0 + index,
        modifiedAt: moment,
      })),
    );
    const entries = readZip(sizeBytes, headersOf(stretches));
    assert.deepEqual(
      entries.map((entry) => entry.sizeBytes),
      sizes,
    );
    assert.deepEqual(
      entries.map((entry) => entry.crc32 - 0xfffffff0),
      [0, 1, 2, 3, 4, 5],
    );
    const headers = stretches.flatMap((stretch) => ('bytes' in stretch ? [stretch.bytes] : []));
    // 30 fixed, 5 of name, 9 of time; 20 more for two large sizes.
    assert.deepEqual(
      headers.slice(0, -1).map((header) => header.length),
      [44, 64, 64, 44, 64, 44],
    );
    const contents = sizes.reduce((sum, size) => sum + size, 0);
    assert.equal(sizeBytes, contents + headers.reduce((sum, header) => sum + header.length, 0));
  });

  test('an entry says what it takes to read it, that it was made on Unix, and how long its fields are', () => {
    const { stretches } = layOutZip(
      [5, 4 * gib].map((size) => ({ name: 'a', sizeBytes: size, crc32: 0, modifiedAt: moment })),
    );
    const [small, large, directory] = stretches.flatMap((stretch) => ('bytes' in stretch ? [stretch.bytes] : []));
    assert.deepEqual([small!.readUInt16LE(4), large!.readUInt16LE(4)], [20, 45]);
    assert.deepEqual([...directory!.subarray(4, 8)], [20, 3, 20, 0]);
    const fields = large!.subarray(30 + large!.readUInt16LE(26));
    assert.equal(fields.length, large!.readUInt16LE(28));
    const [first, second] = [fields.readUInt16LE(2), fields.readUInt16LE(4 + 16 + 2)];
    assert.deepEqual([first, second, 4 + first + 4 + second], [16, 5, fields.length]);
  });

  test('one byte below the border nothing of zip64 is used, on it the end says so', () => {
    const withTotal = (total: number) =>
      layOutZip([{ name: 'a', sizeBytes: total - 40, crc32: 0, modifiedAt: moment }]);
    const [below, on] = [withTotal(0xfffffffe), withTotal(0xffffffff)];
    assert.equal(on.sizeBytes - below.sizeBytes, 1 + 56 + 20);
    for (const layout of [below, on]) assert.equal(readZip(layout.sizeBytes, headersOf(layout.stretches)).length, 1);
  });

  test('more than 65,535 files are all there', () => {
    for (const [count, moreBytes] of [
      [65_534, 0],
      [65_535, 76],
      [66_000, 76],
    ] as const) {
      const name = (index: number) => String(index).padStart(5, '0');
      const { sizeBytes, stretches } = layOutZip(
        Array.from({ length: count }, (_, index) => ({
          name: name(index),
          sizeBytes: 1,
          crc32: index,
          modifiedAt: moment,
        })),
      );
      assert.equal(sizeBytes, count * (30 + 5 + 9 + 1 + 46 + 5 + 9) + 22 + moreBytes);
      const end = stretches.at(-1) as { bytes: Buffer };
      assert.equal(end.bytes.readUInt16LE(end.bytes.length - 12), Math.min(count, 65_535));
      if (moreBytes > 0) assert.equal(end.bytes.readBigUInt64LE(end.bytes.length - 42 - 56 + 32), BigInt(count));
    }
  });
});

/** Whoever runs these tests may have neither; our own reader above has then judged alone. */
async function has(program: string, ...args: string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

const strangers = [
  {
    name: 'unzip',
    isThere: await has('unzip', '-v'),
    unpack: (zip: string, to: string) => run('unzip', ['-q', zip, '-d', to]),
  },
  {
    name: 'Python',
    isThere: await has('python3', '-c', 'import zipfile'),
    unpack: (zip: string, to: string) => run('python3', ['-m', 'zipfile', '-e', zip, to]),
  },
];

for (const stranger of strangers) {
  test(`${stranger.name} unpacks it`, {
    skip: stranger.isThere ? false : `${stranger.name} is not installed`,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'waybill-zip-'));
    try {
      const files = [
        { name: 'plan.txt', bytes: Buffer.from('the plan') },
        { name: 'plan.txt', bytes: Buffer.from('the other plan') },
        { name: 'Bericht für Müller.pdf', bytes: Buffer.alloc(100_000, 7) },
        { name: 'empty', bytes: Buffer.alloc(0) },
      ];
      await writeFile(join(folder, 'all.zip'), pack(files));
      await stranger.unpack(join(folder, 'all.zip'), join(folder, 'out'));
      const found = new Map<string, Buffer>();
      for (const name of await readdir(join(folder, 'out')))
        found.set(name.normalize('NFC'), await readFile(join(folder, 'out', name)));
      assert.equal(found.size, files.length);
      for (const [name, index] of [
        ['plan.txt', 0],
        ['plan (2).txt', 1],
        ['empty', 3],
      ] as const)
        assert.ok(found.get(name)?.equals(files[index]!.bytes), name);
      assert.ok([...found.values()].some((bytes) => bytes.equals(files[2]!.bytes)));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}
