import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../domain/problem.ts';
import { readChunk } from './chunks.ts';

test('without both there is one chunk', () => {
  for (const nothing of [undefined, ''])
    for (const none of [undefined, '']) assert.equal(readChunk(nothing, none), null);
});

test('chunks are counted from 0, 10,000 at most', () => {
  assert.deepEqual(readChunk('1', '0'), { number: 0, of: 1 });
  assert.deepEqual(readChunk('3', '2'), { number: 2, of: 3 });
  assert.deepEqual(readChunk('10000', '9999'), { number: 9999, of: 10_000 });
});

test('anything else is refused, and the refusal names the parameter', () => {
  const wrong: [chunks: string | undefined, chunk: string | undefined, field: string][] = [
    [undefined, '0', 'chunks'],
    ['', '1', 'chunks'],
    ['0', '0', 'chunks'],
    ['10001', '0', 'chunks'],
    ['-1', '0', 'chunks'],
    ['1.5', '0', 'chunks'],
    ['two', '0', 'chunks'],
    ['1000000000', '0', 'chunks'],
    ['2', undefined, 'chunk'],
    ['2', '', 'chunk'],
    ['2', '2', 'chunk'],
    ['2', '3', 'chunk'],
    ['2', '-1', 'chunk'],
    ['2', ' 1', 'chunk'],
  ];
  for (const [chunks, chunk, field] of wrong)
    assert.throws(
      () => readChunk(chunks, chunk),
      (error: unknown) => error instanceof Problem && error.code === 'upload.bad_pieces' && error.field === field,
      `${chunks} ${chunk}`,
    );
});

test('a refusal says what is wrong: a parameter is missing, not a number, or outside its limits', () => {
  const sentences: [chunks: string | undefined, chunk: string | undefined, sentence: RegExp][] = [
    [undefined, '0', /“chunk” needs “chunks” too/],
    ['2', undefined, /“chunk” is required when “chunks” is given/],
    ['2', '', /“chunk” is required when “chunks” is given/],
    ['two', '0', /“chunks” must be a whole number/],
    ['2', 'one', /“chunk” must be a whole number/],
    ['0', '0', /“chunks” must be from 1 to 10000/],
    ['10001', '0', /“chunks” must be from 1 to 10000/],
    ['2', '2', /“chunk” counts from 0 and must be less than “chunks”/],
  ];
  for (const [chunks, chunk, sentence] of sentences)
    assert.throws(() => readChunk(chunks, chunk), sentence, `${chunks} ${chunk}`);
});
