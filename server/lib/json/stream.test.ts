// Parsing and refusals; stream-flow.test.ts covers the flow.
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '#test/kit/any-text.ts';
import { parseJson } from './json.ts';
import { cut, options, refusalOf, streamOf } from './stream.fixture.ts';
import { readJsonStream } from './stream.ts';

const sizesArbitrary = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 });

/** What JSON.parse returns, with streamed strings replaced: they must be ASCII, others well-formed. */
function expectedOf(text: string): unknown {
  let isRefused = false;
  const value = JSON.parse(text, (key, value) => {
    if (typeof value === 'string') isRefused ||= !value.isWellFormed();
    if (key !== 'data' || typeof value !== 'string') return value;
    isRefused ||= /[^\0-\x7f]/.test(value);
    return { streamed: value };
  });
  return isRefused ? 'refused' : value;
}

const readOrRefused = (chunks: Buffer[]) =>
  readJsonStream(streamOf(...chunks), options).catch((error: unknown) =>
    error instanceof RangeError ? 'refused' : error,
  );

const hostile: [string, RegExp][] = [
  [' \n', /empty/],
  ['\ufeff', /empty/],
  ['{', /not valid/],
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
  const document = Buffer.from('{"a":[1,-2.5e3,"x\\n",{"data":"AA\\u0041\\n\\\\/"}],"data":"","b":true,"c":null}');
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
        assert.deepEqual(await readOrRefused(cut(changed, sizes)), expected);
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
        assert.match((await refusalOf(streamOf(...cut(bytes, [size])))).message, /not valid (UTF-8|Base64)/);
    }
  }
});

test('nothing at all is undefined', async () => {
  assert.equal(await readJsonStream(streamOf(), options), undefined);
});

test('any JSON, cut anywhere, is read as JSON.parse reads it', async () => {
  const keys = fc.oneof(fc.constantFrom('data', 'a', '0'), anyText({ maxLength: 5 }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(
        anyText(),
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
      fc.pre(!text.includes('__proto__') && !text.includes('\\u0000'));
      const chunks = cut(Buffer.from(text), sizes);
      assert.deepEqual(await readOrRefused(chunks), expectedOf(text));
    }),
    { numRuns: 300 },
  );
});

test('any escape, cut anywhere, is resolved as JSON.parse resolves it', async () => {
  const ascii = fc.constantFrom(
    ...['\\n', '\\r\\n', '\\"', '\\\\', '\\/', '\\b\\f\\t', '\\u002B', '\\u003d', '\\u007f', 'plain', '/', '\u007f'],
  );
  const beyondAscii = fc.constantFrom(
    ...['\\ud83d\\ude00', '\\uD83D', '\\uDE00', '\\u00e9', '\\u0080', '\\u20AC', '\\u0141', '😀', 'é', '€'],
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ arbitrary: ascii, weight: 9 }, { arbitrary: beyondAscii, weight: 1 })),
      fc.array(fc.oneof(ascii, beyondAscii)),
      sizesArbitrary,
      async (data, other, sizes) => {
        const text = `{"data":"${data.join('')}","a":"${other.join('')}"}`;
        assert.deepEqual(await readOrRefused(cut(Buffer.from(text), sizes)), expectedOf(text));
      },
    ),
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

test('strings are selected by their path, and their results replace them', async () => {
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

test('a key that comes twice is refused, whichever of the two is streamed and however it is escaped', async () => {
  for (const body of [
    '{"a":1,"data":"x","a":2}',
    '{"data":"x","data":"y"}',
    '{"data":"x","data":5}',
    '{"data":5,"d\\u0061ta":"x"}',
    '{"message":{"attachments":[{"data":"x","name":"a","n\\u0061me":"b"}]}}',
    '{"message":{"data":"x"},"message":{"data":"y"}}',
  ])
    for (const sizes of [[1], [7, 3], [1000]]) {
      const error = await refusalOf(streamOf(...cut(Buffer.from(body), sizes)));
      assert.equal(error.name, 'DuplicateKey', body);
    }
});

test('the document itself can be the streamed string, a byte order mark before it', async () => {
  const root = { ...options, isStreamed: () => true };
  assert.deepEqual(await readJsonStream(streamOf('\ufeff', ' "abc" '), root), { streamed: 'abc' });
});
