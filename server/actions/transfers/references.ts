// Public references of transfers: the id of a transfer opens it, so only its owner sees it (docs/adr/0105).

import type { Query, Tx } from '../../db/schema/schema.ts';
import { findMetaNumber, setMeta } from '../../db/system/installation.ts';
import type { MetaKey } from '../../db/system/instants.ts';
import {
  findReferenced,
  findReferences,
  findTransfersAmong,
  insertReference,
  listUnnamed,
  transferSources,
} from '../../db/transfers/transfer-references.ts';
import { idsIn, replaceIds } from '../../lib/ids-in-text.ts';
import { referenceBytes, referenceOfBytes, typedReference } from '../../lib/references.ts';
import type { Ctx } from '../context.ts';

export async function nameTransfer(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  await insertReference(tx, { id, reference: referenceOfBytes(ctx.random.bytes(referenceBytes)) });
}

/** Collisions are as unlikely as a correct guess. */
const mostTries = 3;

/** Creates missing references of older transfers; other ids are ignored. */
export async function referencesOf(ctx: Ctx, ids: Iterable<string>, tx?: Tx): Promise<Map<string, string>> {
  const db = tx ?? ctx.db.read;
  const wanted = [...new Set(ids)];
  const found = await findReferences(db, wanted);
  for (let tries = 0; tries < mostTries; tries++) {
    const unknown = wanted.filter((id) => !found.has(id));
    const unnamed = unknown.length === 0 ? [] : await findTransfersAmong(db, unknown);
    if (unnamed.length === 0) break;
    const name = async (inside: Tx) => {
      for (const id of unnamed) await nameTransfer(ctx, inside, id);
      return findReferences(inside, unnamed);
    };
    const named = await (tx === undefined ? ctx.db.write(name) : name(tx));
    for (const [id, reference] of named) found.set(id, reference);
  }
  return found;
}

export async function findByReference(db: Query, text: string): Promise<string | null> {
  const reference = typedReference(text);
  return reference === null ? null : findReferenced(db, reference);
}

/** `value` must be plain JSON. */
export async function withReferences<Value>(ctx: Ctx, value: Value, tx?: Tx): Promise<Value> {
  const text = JSON.stringify(value);
  const shown = await textWithReferences(ctx, text, tx);
  return shown === text ? value : (JSON.parse(shown) as Value);
}

/** References contain no character that JSON escapes. */
export async function textWithReferences(ctx: Ctx, text: string, tx?: Tx): Promise<string> {
  const ids = idsIn(text);
  if (ids.size === 0) return text;
  const references = await referencesOf(ctx, ids, tx);
  return references.size === 0 ? text : replaceIds(text, references);
}

const batchSize = 500;
/** A version without references may still create transfers, and its clock may differ. */
const overlapMs = 3_600_000;
const metaKey = (table: string): MetaKey => `named_until.${table}`;

/** Oldest first, resumable. Returns how many it created. */
export async function nameOldTransfers(ctx: Ctx, mostBatches: number): Promise<number> {
  let count = 0;
  for (const table of transferSources) {
    const from = await findMetaNumber(ctx.db.read, metaKey(table));
    let place = { createdAt: from, id: '' };
    for (let batch = 0; batch < mostBatches; batch++) {
      const begunAt = ctx.clock.now();
      const unnamed = await listUnnamed(ctx.db.read, table, place, batchSize);
      const last = unnamed.at(-1);
      const isEnd = unnamed.length < batchSize;
      const until = isEnd ? Math.max(place.createdAt, begunAt - overlapMs) : last!.createdAt;
      if (unnamed.length === 0 && until - from < overlapMs) break;
      await ctx.db.write(async (tx) => {
        for (const { id } of unnamed) await nameTransfer(ctx, tx, id);
        await setMeta(tx, metaKey(table), String(until));
      });
      count += unnamed.length;
      if (isEnd) break;
      place = last!;
    }
  }
  return count;
}
