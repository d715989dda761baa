import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupSettings } from '#contract/group-settings.ts';
import english from '../../../../locales/en/app/admin/group-editor.json' with { type: 'json' };
import { keysOf, sections } from './group-settings.ts';

const rows = sections.flatMap((section) => section.rows);

test('every setting of a group is in exactly one row, so that the editor, Compare and copies show it', () => {
  const shown = rows.flatMap(keysOf).filter((key) => key in groupSettings);
  assert.deepEqual(shown.toSorted(), Object.keys(groupSettings).toSorted());
});

test('every row, help and choice has an English text', () => {
  const choices = rows
    .filter(({ control }) => control === 'choice')
    .flatMap((row) => row.choices.map(({ label }) => label));
  const used = [...rows.flatMap(({ label, help }) => [label, help ?? label]), ...choices];
  assert.deepEqual(
    used.filter((key) => !(key in english)),
    [],
  );
});
