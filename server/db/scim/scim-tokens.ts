// Queries on tokens of SCIM clients.
import type { Query, ScimTokensTable, Tx } from '../schema/schema.ts';
import { defineTable, type ValuesOf } from '../table.ts';

const tokens = defineTable<ScimTokensTable>()(({ plain }) => ({
  ...plain('id', 'token_hash', 'name', 'created_by', 'created_at', 'last_used_at'),
}));

export type ScimToken = ValuesOf<typeof tokens>;

export async function insertScimToken(tx: Tx, token: ScimToken): Promise<void> {
  await tx.insertInto('scim_tokens').values(tokens.write(token)).execute();
}

/** Oldest first. */
export async function listScimTokens(db: Query): Promise<ScimToken[]> {
  return tokens.readAll(await db.selectFrom('scim_tokens').selectAll().orderBy('created_at').orderBy('id').execute());
}

export async function findScimToken(db: Query, hash: Buffer): Promise<ScimToken | undefined> {
  const row = await db.selectFrom('scim_tokens').selectAll().where('token_hash', '=', hash).executeTakeFirst();
  return row && tokens.read(row);
}

export async function noteScimTokenUse(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable('scim_tokens').set({ last_used_at: now }).where('id', '=', id).execute();
}

/** False if there is none. */
export async function deleteScimToken(tx: Tx, id: string): Promise<boolean> {
  const deleted = await tx.deleteFrom('scim_tokens').where('id', '=', id).executeTakeFirst();
  return Number(deleted.numDeletedRows) === 1;
}
