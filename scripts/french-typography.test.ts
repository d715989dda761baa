import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from './source-files.ts';

/** A space that can break, or that has the wrong width. */
const wrongSpace = /[ \u00a0][;?!]|[ \u202f](?:»|:(?=\s|$))|«[ \u202f]/;

test('French texts have a narrow no-break space before ; ? ! and a no-break space before : and inside « »', () => {
  const folder = join(repositoryRoot, 'locales/fr');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  const wrong = files.flatMap((file) => {
    const texts = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, string>;
    return Object.keys(texts)
      .filter((key) => wrongSpace.test(texts[key]!))
      .map((key) => `${file}: ${key}`);
  });
  assert.deepEqual(wrong, []);
});
