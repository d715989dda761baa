// Limits, errors from both sides, back-pressure and memory; stream.test.ts covers parsing.
import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { cut, options, refusalOf, streamOf } from './stream.fixture.ts';
import { JsonTooLarge, readJsonStream } from './stream.ts';

test('a body that is too large is refused, and so is too much outside of streamed strings', async () => {
  const body = JSON.stringify({ data: 'x'.repeat(1000), a: 'y'.repeat(1000) });
  assert.ok((await refusalOf(streamOf(body), { maxBytes: body.length - 1 })) instanceof JsonTooLarge);
  const keptBytes = body.length - 1000;
  const error = await refusalOf(streamOf(...cut(Buffer.from(body), [7])), { maxKeptBytes: keptBytes - 1 });
  assert.ok(error instanceof JsonTooLarge);
  await readJsonStream(streamOf(body), { ...options, maxBytes: body.length, maxKeptBytes: keptBytes });
});

test('by default at most 256 KiB outside of streamed strings are kept', async () => {
  const { maxKeptBytes: _, ...rest } = options as typeof options & { maxKeptBytes?: number };
  const textOf = (bytes: number) => JSON.stringify('y'.repeat(bytes - 2));
  const read = (bytes: number) => readJsonStream(streamOf(textOf(bytes)), { ...rest, maxBytes: 1e6 });
  await read(256 * 1024);
  await assert.rejects(read(256 * 1024 + 1), JsonTooLarge);
});

test('spaces without end are refused', async () => {
  const error = await refusalOf(Readable.from(repeat(Buffer.alloc(65536, ' '), 100)), { maxBytes: 1e9 });
  assert.ok(error instanceof JsonTooLarge);
});

test('what is no JSON at all is refused before the rest of the body, and the source stays readable', async () => {
  const source = new PassThrough();
  source.write('------boundary\r\nContent-Disposition: form-data; name="a"');
  assert.match((await refusalOf(source)).message, /not valid/);
  assert.equal(source.destroyed, false);
  source.end('rest');
  assert.equal((await buffer(source)).toString(), 'rest');
});

test('when the source fails the content fails with the same error, and so does the reading', async () => {
  for (const isReading of [true, false]) {
    const source = new PassThrough();
    source.write('{"data":"begin');
    const failure = new Error('gone');
    let seen: unknown;
    const reading = refusalOf(source, {
      onString: async (_path, content) => {
        if (isReading) content.resume();
        setImmediate(() => source.destroy(failure));
        await new Promise((resolve) => content.once('error', resolve)).then((error) => {
          seen = error;
        });
        throw new Error('reported later');
      },
    });
    assert.equal(await reading, failure);
    assert.equal(seen, failure);
  }
});

test('a source that closes early or is already over is an error, not an empty body', async () => {
  const closing = new PassThrough();
  closing.write('{"a":');
  setImmediate(() => closing.destroy());
  assert.equal(((await refusalOf(closing)) as NodeJS.ErrnoException).code, 'ERR_STREAM_PREMATURE_CLOSE');
  const over = streamOf('{}');
  await buffer(over);
  assert.equal(((await refusalOf(over)) as NodeJS.ErrnoException).code, 'ERR_STREAM_PREMATURE_CLOSE');
});

test('an error of the string’s consumer ends the reading, also while no more bytes come', async () => {
  const source = new PassThrough();
  source.write('{"data":"begin');
  const failure = new Error('disk full');
  const taken = { onString: async () => Promise.reject(failure) };
  assert.equal(await refusalOf(source, taken), failure);
  assert.equal(
    await refusalOf(streamOf('{"data":"x"}'), {
      onString() {
        throw failure;
      },
    }),
    failure,
  );
});

test('if the consumer resolves before the end of the string, the rest is skipped, but still checked', async () => {
  const early = { ...options, onString: async () => ({ streamed: 'enough' }) };
  const body = `{"data":"${'x'.repeat(300_000)}","b":1}`;
  assert.deepEqual(await readJsonStream(streamOf(...cut(Buffer.from(body), [50_000])), early), {
    data: { streamed: 'enough' },
    b: 1,
  });
  const destroying = {
    ...options,
    onString: async (_path: unknown, content: Readable) => {
      content.destroy();
      return { streamed: 'none' };
    },
  };
  assert.deepEqual(await readJsonStream(streamOf(body), destroying), { data: { streamed: 'none' }, b: 1 });
  await assert.rejects(readJsonStream(streamOf('{"data":"', 'x'.repeat(99_999), '\n"}'), early), /not valid/);
});

test('parsing waits for the result of a string', async () => {
  const log: string[] = [];
  await readJsonStream(streamOf('{"data":"a","b":{"data":"b"}}'), {
    ...options,
    onString: async (path, content) => {
      log.push(`begin ${path.join('.')}`);
      await buffer(content);
      await new Promise(setImmediate);
      log.push(`end ${path.join('.')}`);
      return { streamed: '' };
    },
  });
  assert.deepEqual(log, ['begin data', 'end data', 'begin b.data', 'end b.data']);
});

test('while the content is not taken the source is not read', async () => {
  let produced = 0;
  function* chunks() {
    yield Buffer.from('{"data":"');
    for (produced = 0; produced < 200; produced += 1) yield Buffer.alloc(65536, 'A');
    yield Buffer.from('"}');
  }
  let producedBefore = -1;
  const answer = await readJsonStream(Readable.from(chunks(), { objectMode: false }), {
    ...options,
    maxBytes: 1e9,
    onString: async (_path, content) => {
      for (let turn = 0; turn < 2000; turn += 1) await new Promise(setImmediate);
      producedBefore = produced;
      return { streamed: String((await buffer(content)).length) };
    },
  });
  assert.deepEqual(answer, { data: { streamed: String(200 * 65536) } });
  assert.ok(producedBefore >= 1 && producedBefore < 10, `${producedBefore} chunks were read ahead`);
});

test('a chunk of many megabytes leaves the event loop to others', async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const body = Buffer.concat([Buffer.from('{"data":"'), Buffer.alloc(8 * 1024 * 1024, 'A'), Buffer.from('"}')]);
  await readJsonStream(Readable.from([body], { objectMode: false }), {
    ...options,
    maxBytes: 1e9,
    onString: async (_path, content) => {
      for await (const _ of content);
      return { streamed: '' };
    },
  });
  isDone = true;
  assert.ok(turns >= 32, `${turns} turns`);
});

test('200 MB go through without being held', async () => {
  function* chunks() {
    yield Buffer.from('{"data":"');
    // New buffers: slices of one chunk would cost no memory.
    for (let turn = 0; turn < 3200; turn += 1) yield Buffer.alloc(65536, 'QUJD');
    yield Buffer.from('"}');
  }
  let peakBytes = 0;
  const startBytes = process.memoryUsage.rss();
  let takenBytes = 0;
  await readJsonStream(Readable.from(chunks(), { objectMode: false }), {
    ...options,
    maxBytes: 1e9,
    onString: async (_path, content) => {
      for await (const chunk of content) {
        takenBytes += (chunk as Buffer).length;
        peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
      }
      return { streamed: '' };
    },
  });
  assert.equal(takenBytes, 3200 * 65536);
  const grownMiB = (peakBytes - startBytes) / 1024 / 1024;
  assert.ok(grownMiB < 120, `grew by ${grownMiB} MiB`);
});

function* repeat(chunk: Buffer, times: number) {
  for (let turn = 0; turn < times; turn += 1) yield chunk;
}
