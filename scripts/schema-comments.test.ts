import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaComments } from './schema-comments.ts';

test('comments on interfaces and fields are found under the names of tables and columns', () => {
  const comments = schemaComments(`
/** All
 * boats. */
export interface BoatsTable {
  id: string;
  /** In knots. */
  speed: number | null;
}

export interface CrewTable {
  name: string;
}

export interface Tables {
  boats: BoatsTable;
  crew: CrewTable;
}
`);
  assert.deepEqual(
    [...comments],
    [
      ['boats', 'All boats.'],
      ['boats.speed', 'In knots.'],
    ],
  );
});
