import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from './source-files.ts';
import { sentenceOf, unusedPackages } from './unused-packages.ts';

test('each removed part is replaced in the built program, so its package still imports it by that name', () => {
  const files = ['server', 'pages'].flatMap((folder) => {
    const path = join(repositoryRoot, 'dist', folder);
    return readdirSync(path).flatMap((name) => (name.endsWith('.js') ? [readFileSync(join(path, name), 'utf8')] : []));
  });
  for (const source of unusedPackages.keys())
    assert.ok(
      files.some((text) => text.includes(sentenceOf(source))),
      source,
    );
});
