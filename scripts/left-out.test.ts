// What the built program goes without.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { leftOut, sentenceOf } from './left-out.ts';
import { repositoryRoot } from './source-files.ts';

test('every part that is left out stands in the built program as a refusal, so its package still asks for it by that name', () => {
  const files = ['server', 'pages'].flatMap((folder) => {
    const path = join(repositoryRoot, 'dist', folder);
    return readdirSync(path).flatMap((name) => (name.endsWith('.js') ? [readFileSync(join(path, name), 'utf8')] : []));
  });
  for (const source of leftOut.keys())
    assert.ok(
      files.some((text) => text.includes(sentenceOf(source))),
      source,
    );
});
