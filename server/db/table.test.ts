import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Sealer } from './schema/schema.ts';
import { defineTable } from './table.ts';

interface NotesTable {
  id: string;
  owner_id: string | null;
  is_open: 0 | 1;
  tags: string;
  text_sealed: Buffer;
  created_at: number;
}

const keys = {
  sealText: (purpose: string, text: string, place: string) => Buffer.from(`${purpose} ${place} ${text}`),
  openText: (purpose: string, sealed: Buffer, place: string) => {
    const prefix = `${purpose} ${place} `;
    assert.ok(String(sealed).startsWith(prefix));
    return String(sealed).slice(prefix.length);
  },
} as unknown as Sealer;

const notes = defineTable<NotesTable>()(({ plain, flags, lists, sealedText, as }) => ({
  ...plain('id', 'owner_id'),
  ...flags('is_open'),
  ...lists('tags'),
  text: sealedText('text_sealed', 'name', 'id'),
  made: as('created_at'),
}));

const note = { id: 'n1', ownerId: null, isOpen: true, tags: ['a', 'b'], text: 'hello', made: 5 };

describe('A table', () => {
  test('reads what it wrote: flags, lists, sealed texts, nulls', () => {
    const row = notes.write(note, keys);
    assert.equal(row.is_open, 1);
    assert.equal(row.tags, '["a","b"]');
    assert.equal(String(row.text_sealed), 'name n1 hello');
    assert.deepEqual(notes.read(row, keys), note);
  });

  test('changes only the columns that are given, null among them', () => {
    assert.deepEqual(notes.changes({ ownerId: null, isOpen: false }, keys), { owner_id: null, is_open: 0 });
  });

  test('names every column of an insertion', () => {
    assert.deepEqual(Object.keys(notes.columns).sort(), [
      'created_at',
      'id',
      'is_open',
      'owner_id',
      'tags',
      'text_sealed',
    ]);
  });
});
