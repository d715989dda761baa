import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { toYaml } from './yaml.ts';

test('what another program reads is what was written', () => {
  for (const value of [
    { a: 1, b: [true, null, 'x', [], {}], c: { d: { e: 'no', f: '2026-11-16', g: '0x1F', h: '- a: b # c' } } },
    { '200': 'x', yes: 'y', 'a b': 'ä\n"\u0001', '/message/{id}': [[1, [2]], { k: [] }] },
    [],
    'text',
    null,
    0.5,
  ])
    assert.deepEqual(parse(toYaml(value)), value);
});

test('is written in lines that people can read', () => {
  assert.equal(
    toYaml({ info: { title: 'API' }, tags: ['a', { name: 'b' }] }),
    'info:\n  title: "API"\ntags:\n  - "a"\n  -\n    name: "b"\n',
  );
  assert.equal(toYaml({ one: ['a'], yes: 1, 'a b': 2, none: undefined }), 'one:\n  - "a"\n"yes": 1\n"a b": 2\n');
});
