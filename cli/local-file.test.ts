import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type LocalFile, localFile } from './local-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-local-file-'));
after(() => rmSync(folder, { recursive: true }));
const content = randomBytes(5_000_000);

function fileCalled(name: string): LocalFile {
  writeFileSync(join(folder, name), content);
  return localFile(join(folder, name), name);
}

async function collect(file: LocalFile, start: number, end: number, memory = new Set<ArrayBufferLike>()) {
  const portions: Buffer[] = [];
  for await (const portion of file.stream!(start, end)) {
    memory.add(portion.buffer);
    portions.push(Buffer.from(portion));
  }
  return Buffer.concat(portions);
}

describe('a file that is read while it is sent', () => {
  it('gives exactly the bytes that were asked for', async () => {
    const file = fileCalled('exact.bin');
    for (const [start, end] of [
      [0, content.length],
      [0, 1],
      [1_048_575, 2_097_153],
      [4_999_999, 5_000_000],
    ] as const)
      assert.deepEqual(await collect(file, start, end), content.subarray(start, end));
    await file.close();
  });

  it('needs two buffers, for any number of chunks', async () => {
    const file = fileCalled('buffers.bin');
    const memory = new Set<ArrayBufferLike>();
    for (const start of [0, 2_500_000, 0, 2_500_000]) await collect(file, start, start + 2_500_000, memory);
    assert.equal(memory.size, 2);
    await file.close();
  });

  it('does not use buffers again that a broken line may still hold', async () => {
    const file = fileCalled('broken.bin');
    const held = new Set<ArrayBufferLike>();
    for await (const portion of file.stream!(0, content.length)) {
      held.add(portion.buffer);
      break;
    }
    const memory = new Set<ArrayBufferLike>();
    await collect(file, 0, content.length, memory);
    assert.ok([...memory].every((buffer) => !held.has(buffer)));
    await file.close();
  });

  it('rejects a file that changed, before it returns the last bytes of a chunk', async () => {
    const file = fileCalled('changed.bin');
    await collect(file, 0, 1_000_000);
    let givenBytes = 0;
    await assert.rejects(async () => {
      for await (const portion of file.stream!(1_000_000, 4_000_000)) {
        givenBytes += portion.length;
        if (givenBytes === portion.length) appendFileSync(file.path, 'more');
      }
    }, /the file has changed/);
    assert.ok(givenBytes < 3_000_000);
    await assert.rejects(collect(file, 0, 1), /the file has changed/);
    await file.close();
  });
});
