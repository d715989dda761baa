import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJson } from './json.ts';
import { JsonTooLarge } from './json-input.ts';
import { type JsonStreamOptions, readJsonStream } from './json-stream.ts';

/** Stands in the value where a string was streamed. */
interface Streamed {
  streamed: string;
}

const options: JsonStreamOptions<Streamed> = {
  maxBytes: 1024 * 1024,
  isStreamed: (path) => path.at(-1) === 'data',
  onString: async (_path, content) => ({ streamed: (await buffer(content)).toString() }),
};

/** A stream of these chunks, each on its own. */
function streamOf(...chunks: (Uint8Array | string)[]): Readable {
  const left = chunks.map((chunk) => Buffer.from(chunk as string));
  return new Readable({
    highWaterMark: 1,
    read() {
      this.push(left.shift() ?? null);
    },
  });
}

function cut(bytes: Buffer, sizes: number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

const sizesArbitrary = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 });

/** JSON.parse's answer with the streamed strings replaced; half surrogates as UTF-8 has them. */
function expectedOf(text: string): unknown {
  return JSON.parse(text, (key, value) =>
    key === 'data' && typeof value === 'string' ? { streamed: Buffer.from(value).toString() } : value,
  );
}

async function refusalOf(source: Readable, over: Partial<JsonStreamOptions<Streamed>> = {}): Promise<Error> {
  const answer = await readJsonStream(source, { ...options, ...over }).then(
    (value) => assert.fail(`accepted: ${JSON.stringify(value)}`),
    (error) => error,
  );
  return answer as Error;
}

const hostile: [string, RegExp][] = [
  [' \n', /empty/],
  ['\ufeff', /empty/],
  ['{', /ends before/],
  ['nul', /not valid/],
  ['{"a":1,}', /not valid/],
  ['[1,]', /not valid/],
  ['[,1]', /not valid/],
  ['[1 2]', /not valid/],
  ['[1}', /not valid/],
  ['{"a":1]', /not valid/],
  ['{"a" 1}', /not valid/],
  ['{a:1}', /not valid/],
  ['{1:1}', /not valid/],
  ['{"a"}', /not valid/],
  ['{"a":}', /not valid/],
  [']', /not valid/],
  [',', /not valid/],
  ['{} {}', /not valid/],
  ['{}x', /not valid/],
  ['{},', /not valid/],
  ['1 2', /not valid/],
  ['NaN', /not valid/],
  ['[Infinity]', /not valid/],
  ['[01]', /not valid/],
  ['[1.]', /not valid/],
  ['[.5]', /not valid/],
  ['[+1]', /not valid/],
  ['[True]', /not valid/],
  ["['a']", /not valid/],
  ['["\t"]', /not valid/],
  ['["\\x"]', /not valid/],
  ['["\\u12g4"]', /not valid/],
  ['\ufeff\ufeff{}', /not valid/],
  ['[1]\u00a0', /not valid/],
  ['/* */ {}', /not valid/],
  ['{"data":"a\nb"}', /not valid/],
  ['{"data":"a\u0000b"}', /not valid/],
  ['{"data":"long enough for the fast way \u001f of looking"}', /not valid/],
  ['{"data":"\\x"}', /not valid/],
  ['{"data":"\\u12"}', /not valid/],
  ['{"data":"\\u12g4"}', /not valid/],
  ['{"data":"\\u-123"}', /not valid/],
  ['{"data":"\\n\n"}', /not valid/],
  ['{"data":"a" "b"}', /not valid/],
  ['{"data":"a"]', /not valid/],
  ['{"__proto__":{"admin":true}}', /not permitted/],
  ['[{"a":{"__proto__":1}}]', /not permitted/],
  ['{"\\u005f\\u005fproto__":1}', /not permitted/],
  ['{"a":1e400}', /too large/],
  ['-1e999', /too large/],
  ['['.repeat(33) + ']'.repeat(33), /32 levels/],
  ['{"a":'.repeat(40), /32 levels/],
];

test('what JSON read whole is refused for is refused here, however it is cut', async () => {
  for (const [text, message] of hostile) {
    assert.throws(() => parseJson(text), { name: 'RangeError' }, text);
    for (const size of [1, 2, 5, 1000]) {
      const error = await refusalOf(streamOf(...cut(Buffer.from(text), [size])));
      assert.equal(error.name, 'RangeError', text);
      assert.match(error.message, message, text);
    }
  }
});

test('a document with one byte changed is refused or read exactly as JSON read whole', async () => {
  const document = Buffer.from(
    '{"a":[1,-2.5e3,"x\\n",{"data":"AA\\u0041\\ud83d\\ude00/"}],"data":"","b":true,"c":null}',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.nat(document.length - 1),
      fc.integer({ min: 0, max: 127 }),
      sizesArbitrary,
      async (at, byte, sizes) => {
        const changed = Buffer.from(document);
        changed[at] = byte;
        let expected: unknown;
        try {
          parseJson(changed.toString());
          expected = expectedOf(changed.toString());
        } catch {
          expected = 'refused';
        }
        const answer = await readJsonStream(streamOf(...cut(changed, sizes)), options).catch((error) =>
          error instanceof RangeError ? 'refused' : error,
        );
        assert.deepEqual(answer, expected);
      },
    ),
    { numRuns: 1000 },
  );
});

test('every truncation of a document is refused', async () => {
  const document = Buffer.from('\ufeff{"a":[1,"x\\n",{"data":"A\\u0041\\ud83d\\ude00é"}],"data":"","c":null}');
  for (let length = 1; length < document.length; length += 1) {
    const error = await refusalOf(streamOf(document.subarray(0, length)));
    assert.ok(error instanceof RangeError, String(length));
  }
});

test('bytes that are not UTF-8 are refused wherever they stand', async () => {
  const table = [
    [0xff],
    [0xc3],
    [0xc3, 0x28],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf0, 0x9f, 0x98],
    [0x80],
  ];
  for (const bad of table) {
    for (const [before, after] of [
      ['{"data":"x', '"}'],
      ['{"a":"x', '"}'],
      ['{"x', '":1}'],
    ]) {
      const bytes = Buffer.concat([Buffer.from(before!), Buffer.from(bad), Buffer.from(after!)]);
      for (const size of [1, 3, 1000])
        assert.match((await refusalOf(streamOf(...cut(bytes, [size])))).message, /not valid UTF-8/);
    }
  }
});

test('a body that is too large is refused, and so is too much outside of streamed strings', async () => {
  const body = JSON.stringify({ data: 'x'.repeat(1000), a: 'y'.repeat(1000) });
  assert.ok((await refusalOf(streamOf(body), { maxBytes: body.length - 1 })) instanceof JsonTooLarge);
  const keptBytes = body.length - 1000;
  const error = await refusalOf(streamOf(...cut(Buffer.from(body), [7])), { maxKeptBytes: keptBytes - 1 });
  assert.ok(error instanceof JsonTooLarge);
  await readJsonStream(streamOf(body), { ...options, maxBytes: body.length, maxKeptBytes: keptBytes });
});

test('spaces without end are refused', async () => {
  const error = await refusalOf(Readable.from(repeat(Buffer.alloc(65536, ' '), 100)), { maxBytes: 1e9 });
  assert.ok(error instanceof JsonTooLarge);
});

test('a refusal comes before the rest of the body and leaves the source readable', async () => {
  const source = new PassThrough();
  source.write('{"a":tru,');
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
        throw new Error('told later');
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

test('the error of who takes the string ends the reading, also while no more bytes come', async () => {
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

test('who answers before the end of the string gets the rest skipped, but still checked', async () => {
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

test('nothing at all is undefined', async () => {
  assert.equal(await readJsonStream(streamOf(), options), undefined);
});

test('any JSON, cut anywhere, is read as JSON.parse reads it', async () => {
  const keys = fc.oneof(fc.constantFrom('data', 'a', '0'), fc.string({ unit: 'binary', maxLength: 5 }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
      ),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(value, fc.constantFrom(undefined, 1, '\t'), sizesArbitrary, async (any, indent, sizes) => {
      const text = JSON.stringify(any, null, indent);
      fc.pre(!text.includes('__proto__'));
      const chunks = cut(Buffer.from(text), sizes);
      assert.deepEqual(await readJsonStream(streamOf(...chunks), options), expectedOf(text));
    }),
    { numRuns: 300 },
  );
});

test('any escape, cut anywhere, is resolved as JSON.parse resolves it', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '\\n',
      '\\r\\n',
      '\\"',
      '\\\\',
      '\\/',
      '\\b\\f\\t',
      '\\u0000',
      '\\ud83d\\ude00',
      '\\uD83D',
      '\\uDE00',
    ),
    fc.constantFrom(
      '\\u00e9',
      '\\u002B',
      '\\u003d',
      '\\u007f',
      '\\u0080',
      '\\u20AC',
      '😀',
      'é',
      '€',
      'plain',
      '/',
      '\u007f',
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece), sizesArbitrary, async (pieces, sizes) => {
      const text = `{"data":"${pieces.join('')}","a":"${pieces.join('')}"}`;
      assert.deepEqual(await readJsonStream(streamOf(...cut(Buffer.from(text), sizes)), options), expectedOf(text));
    }),
    { numRuns: 500 },
  );
});

test('rows of backslashes, cut anywhere, end where they should', async () => {
  for (let count = 0; count < 9; count += 1) {
    const text = `{"data":"${'\\\\'.repeat(count)}","a":"${'\\\\'.repeat(count)}\\"","\\\\":1}`;
    for (const size of [1, 2, 3, 4, 1000])
      assert.deepEqual(await readJsonStream(streamOf(...cut(Buffer.from(text), [size])), options), expectedOf(text));
  }
});

test('strings are asked for by their path, and what they became stands in their place', async () => {
  const asked: string[] = [];
  const answer = await readJsonStream(
    streamOf('{"message":{"to":["x"],"attachments":[{"data":"QQ==","filename":"a"},"id",{"data":"Qg=="},{"data":5}]}}'),
    {
      maxBytes: 1000,
      isStreamed(path) {
        asked.push(path.join('.'));
        return path.length === 4 && path[1] === 'attachments' && path[3] === 'data';
      },
      onString: async (path, content) => `${path.join('/')}=${await buffer(content)}`,
    },
  );
  assert.deepEqual(answer, {
    message: {
      to: ['x'],
      attachments: [
        { data: 'message/attachments/0/data=QQ==', filename: 'a' },
        'id',
        { data: 'message/attachments/2/data=Qg==' },
        { data: 5 },
      ],
    },
  });
  assert.deepEqual(asked, [
    'message.to.0',
    'message.attachments.0.data',
    'message.attachments.0.filename',
    'message.attachments.1',
    'message.attachments.2.data',
  ]);
});

test('of keys that come twice the last one stays', async () => {
  assert.deepEqual(await readJsonStream(streamOf('{"a":1,"data":"x","a":2,"data":"y"}'), options), {
    a: 2,
    data: { streamed: 'y' },
  });
  assert.deepEqual(await readJsonStream(streamOf('{"data":"x","data":5}'), options), { data: 5 });
});

test('the document itself can be the streamed string, a byte order mark before it', async () => {
  const root = { ...options, isStreamed: () => true };
  assert.deepEqual(await readJsonStream(streamOf('\ufeff', ' "abc" '), root), { streamed: 'abc' });
});

test('parsing waits for the answer to a string before it goes on', async () => {
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

function* repeat(chunk: Buffer, times: number) {
  for (let turn = 0; turn < times; turn += 1) yield chunk;
}

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
      // Far more turns than it would take to read everything.
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
    // Each one new: slices of one chunk would cost nothing to hold.
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
