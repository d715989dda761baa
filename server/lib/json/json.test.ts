import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseBase64, parseJson } from './json.ts';

test('text that is not JSON we take is refused with a sentence', () => {
  const table: [string, RegExp][] = [
    ['', /empty/],
    [' \n', /empty/],
    ['{', /not valid/],
    ['{"a":1,}', /not valid/],
    ['NaN', /not valid/],
    ['{"__proto__":{"admin":true}}', /not permitted/],
    ['[{"a":{"__proto__":1}}]', /not permitted/],
    ['{"\\u005f\\u005fproto__":1}', /not permitted/],
    ['{"a":1e400}', /too large/],
    ['-1e999', /too large/],
    ['{"a":["\\u0000"]}', /NUL/],
    ['{"\\u0000":1}', /NUL/],
    ['['.repeat(33) + ']'.repeat(33), /32 levels/],
    ['{"a":'.repeat(1_000_000), /levels/],
  ];
  for (const [text, message] of table) assert.throws(() => parseJson(text), { name: 'RangeError', message });
});

test('the depth can be chosen, and brackets inside strings do not count', () => {
  assert.throws(() => parseJson('[[1]]', { maxDepth: 1 }), RangeError);
  assert.deepEqual(parseJson('["[[[{\\"[["]', { maxDepth: 1 }), ['[[[{"[[']);
  assert.deepEqual(
    parseJson('[{},{},[],[],{}]', { maxDepth: 2 }),
    [{}, {}, [], [], {}],
    'what is closed does not count',
  );
  assert.deepEqual(parseJson(`${'['.repeat(32)}${']'.repeat(32)}`), JSON.parse(`${'['.repeat(32)}${']'.repeat(32)}`));
});

test('a key that comes twice in one object is refused and named, at any depth and however it is escaped', () => {
  const table: [text: string, key: string][] = [
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"b":2,"\\u0061":3}', 'a'],
    ['{"/":1,"\\/":2}', '/'],
    ['{"é":1,"\\u00e9":2}', 'é'],
    ['{"😀":1,"\\ud83d\\ude00":2}', '😀'],
    ['{"":1,"":2}', ''],
    ['{"1":1, "b":{}, "1" : 2}', '1'],
    ['[{"b":[{"c":{"a":1,"x":":","a":{}}}]}]', 'a'],
    ['{"a":{"b":1},"c":[{}],"a":2}', 'a'],
    ['{"\\"\\\\":1,"\\u0022\\\\":2}', '"\\'],
    ['{"constructor":1,"constructor":2}', 'constructor'],
  ];
  for (const [text, key] of table) assert.throws(() => parseJson(text), { name: 'DuplicateKey', key }, text);
});

test('equal keys in different objects, equal values and colons in strings are no duplicates', () => {
  for (const text of [
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":":"}}}',
    '{"a":"a","b":"a"}',
    '{"a:":1,"a":":\\":","b":"\\\\"}',
    '{"a":1,"A":2,"a ":3}',
    '["a","a","a"]',
  ])
    assert.deepEqual(parseJson(text), JSON.parse(text));
});

test('a copy of any key of any text is noticed', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, noNullPrototype: true }), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!text.includes('__proto__') && !text.includes('\\u'));
      const [key] = Object.keys(value);
      assert.throws(() => parseJson(`${text.slice(0, -1)},${JSON.stringify(key)}:null}`), {
        name: 'DuplicateKey',
        key,
      });
    }),
  );
});

test('a backslash followed by u0000 is text like any other', () => {
  assert.deepEqual(parseJson('{"a":"\\\\u0000"}'), { a: '\\u0000' });
});

test('a byte order mark in front is ignored', () => {
  assert.deepEqual(parseJson('\ufeff{"a":1}'), { a: 1 });
});

test('everything else is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      fc.pre(!text.includes('__proto__') && !text.includes('\\u0000'));
      assert.deepEqual(parseJson(text), JSON.parse(text));
    }),
  );
});

test('Base64 that is not canonical is refused', () => {
  for (const text of [
    'A',
    'AA',
    'AAA',
    'AA=',
    'AB==',
    'AAB=',
    'AA==AA==',
    'AA-_',
    'A A=',
    'AAAA\n',
    '====',
    '=',
    'é===',
  ]) {
    assert.equal(parseBase64(text), null, JSON.stringify(text));
  }
});

test('Base64 gives back the bytes it was made of', () => {
  assert.deepEqual(parseBase64(''), Buffer.alloc(0));
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      assert.deepEqual(parseBase64(Buffer.from(bytes).toString('base64')), Buffer.from(bytes));
    }),
  );
});

test('any one wrong character is noticed', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1 }),
      fc.nat(),
      fc.constantFrom('-', '_', ' ', '\n', '\u0000', 'é'),
      (bytes, at, bad) => {
        const good = Buffer.from(bytes).toString('base64');
        const index = at % good.length;
        assert.equal(parseBase64(good.slice(0, index) + bad + good.slice(index + 1)), null);
      },
    ),
  );
});

test('line breaks of mail-style encoders pass when asked for', () => {
  assert.deepEqual(parseBase64('aGVs\r\nbG8=\n', { lineBreaks: true }), Buffer.from('hello'));
  assert.equal(parseBase64('aGVs bG8=', { lineBreaks: true }), null);
});
