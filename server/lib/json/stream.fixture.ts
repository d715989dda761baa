import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type JsonStreamOptions, readJsonStream } from './stream.ts';

export interface Streamed {
  streamed: string;
}

export const options: JsonStreamOptions<Streamed> = {
  maxBytes: 1024 * 1024,
  isStreamed: (path) => path.at(-1) === 'data',
  onString: async (_path, content) => ({ streamed: (await buffer(content)).toString() }),
};

export function streamOf(...chunks: (Uint8Array | string)[]): Readable {
  const left = chunks.map((chunk) => Buffer.from(chunk as string));
  return new Readable({
    highWaterMark: 1,
    read() {
      this.push(left.shift() ?? null);
    },
  });
}

export function cut(bytes: Buffer, sizes: number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

export async function refusalOf(source: Readable, over: Partial<JsonStreamOptions<Streamed>> = {}): Promise<Error> {
  const answer = await readJsonStream(source, { ...options, ...over }).then(
    (value) => assert.fail(`accepted: ${JSON.stringify(value)}`),
    (error) => error,
  );
  return answer as Error;
}
