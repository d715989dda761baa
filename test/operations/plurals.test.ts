// Operators read "1 file", never "1 files": a number before a noun is written by `counted`.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '#scripts/source-files.ts';
import { counted } from '#server/lib/counted.ts';

const nouns =
  'blob|day|erasure|event|fault|file|hour|job|key|link|mail|message|migration|minute|orphan|reservation|row|second|sender|snapshot|step|table|ticket|time|transfer|upload|warning|witness';

test('a number in a sentence for operators has a noun in the singular or plural', () => {
  const plain = new RegExp(`\\$\\{[^{}]*\\} (?:${nouns})(?:s|es)\\b`);
  const found: string[] = [];
  for (const path of globSync('server/{commands,db,installation,jobs}/**/*.ts', { cwd: repositoryRoot })) {
    if (path.includes('.test.')) continue;
    for (const [index, line] of readFileSync(join(repositoryRoot, path), 'utf8').split('\n').entries())
      if (plain.test(line)) found.push(`${path}:${index + 1}: ${line.trim()}`);
  }
  assert.deepEqual(found, []);
});

test('none, one and several', () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => counted(count, 'file')),
    ['0 files', '1 file', '2 files'],
  );
});
