// Logical sides (start and end), so that every page works from right to left.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const physical =
  /(?<![\w-])(?:(?:margin|padding|border|inset|scroll-margin|scroll-padding)-(?:left|right)|border-(?:top|bottom)-(?:left|right)-radius|left|right)(?:-\w+)*\s*:|(?<![\w-])(?:text-align|float|clear|caption-side)\s*:\s*(?:left|right)(?![\w-])/;

const sheets = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.css'),
);

describe('style sheets', () => {
  it('exist', () => assert.ok(sheets.length > 5));

  for (const name of sheets) {
    it(`${name} uses no left or right`, () => {
      const text = readFileSync(join(import.meta.dirname, name), 'utf8').replace(/\/\*.*?\*\//gs, '');
      assert.deepEqual(
        text.split('\n').filter((line) => physical.test(line)),
        [],
      );
    });
  }

  it('with left or right would be found', () => {
    for (const line of ['margin-left: 1px', 'left: 0', ' right : 0', 'text-align: right', 'border-left-color: red'])
      assert.match(line, physical);
    assert.match('border-top-left-radius: 2px', physical);
    for (const line of ['margin-inline-start: 1px', 'inset-inline: 0', 'text-align: start', '--left: 2px', '.right {'])
      assert.doesNotMatch(line, physical);
  });
});
