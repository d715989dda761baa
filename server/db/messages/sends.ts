// Queries on sends and the policies that judged them. Each policy is stored once.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Policy } from '../../domain/policy.ts';
import type { Send, SendFacts } from '../../domain/sends.ts';
import { type Param, prepared, rowOf } from '../engine/prepared.ts';
import { toFlag } from '../flag.ts';
import { policyOf } from '../groups/groups.ts';
import type { Builder, Query, Sealer, SendsTable, Tx } from '../schema/schema.ts';

/** A policy is one object while it is unchanged (db/groups/groups.ts). */
const known = new WeakMap<Policy, { id: string; document: string }>();

function documentOf(policy: Policy): { id: string; document: string } {
  const found = known.get(policy);
  if (found !== undefined) return found;
  const document = JSON.stringify(policy);
  const made = { id: createHash('sha256').update(document).digest('base64url'), document };
  known.set(policy, made);
  return made;
}

const documentById = prepared((db: Builder, param: Param<{ id: string }>) =>
  db.selectFrom('policy_documents').select('id').where('id', '=', param('id')),
);

/** Stored documents, by keys of the installation; no document is ever deleted. */
const storedDocuments = new WeakMap<Sealer, Set<string>>();

async function storeDocument(tx: Tx, send: Send & { isLocal: boolean }): Promise<string> {
  const { id, document } = documentOf(send.policy);
  const stored = storedDocuments.get(tx.keys) ?? new Set();
  storedDocuments.set(tx.keys, stored);
  if (stored.has(id)) return id;
  // A document that this transaction inserts may be rolled back, so only the next one counts as stored.
  if ((await documentById(tx, { id })).length > 0) stored.add(id);
  else
    await tx
      .insertInto('policy_documents')
      .values({ id, is_local: toFlag(send.isLocal), document })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  return id;
}

const sendColumns: Record<keyof SendsTable, true> = {
  id: true,
  kind: true,
  user_id: true,
  group_id: true,
  policy_id: true,
  facts: true,
  sent_at: true,
};
const insertRow = prepared((tx: Builder, param: Param<SendsTable>) =>
  tx.insertInto('sends').values(rowOf(sendColumns, param)),
);

export async function insertSend(tx: Tx, send: Send & { isLocal: boolean }): Promise<void> {
  const policyId = await storeDocument(tx, send);
  const { kind, ...facts } = send.facts;
  await insertRow(tx, {
    id: send.id,
    kind,
    user_id: send.userId,
    group_id: send.groupId,
    policy_id: policyId,
    facts: JSON.stringify(facts),
    sent_at: send.sentAt,
  });
}

/** With the address of the sender, or their id once the account is deleted. */
export type ListedSend = Send & { user: string };

export async function listSendsOfGroup(
  db: Query,
  { groupId, since, before, limit }: { groupId: string; since: number; before: Send | null; limit: number },
): Promise<ListedSend[]> {
  let query = db
    .selectFrom('sends')
    .innerJoin('policy_documents', 'policy_documents.id', 'sends.policy_id')
    .leftJoin('users', (join) => join.onRef('users.id', '=', 'sends.user_id').on('users.state', '<>', 'deleted'))
    .selectAll('sends')
    .select(['policy_documents.document as policy', 'policy_documents.is_local', 'users.email'])
    .where('sends.group_id', '=', groupId)
    .where('sends.sent_at', '>=', since);
  if (before !== null) query = query.where(sql<boolean>`(sends.sent_at, sends.id) < (${before.sentAt}, ${before.id})`);
  const rows = await query.orderBy('sends.sent_at', 'desc').orderBy('sends.id', 'desc').limit(limit).execute();
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    user: row.email ?? row.user_id,
    groupId: row.group_id,
    policy: policyOf(row),
    facts: { kind: row.kind, ...JSON.parse(row.facts) } as SendFacts,
    sentAt: Number(row.sent_at),
  }));
}

/** Reads the whole table, which is acceptable for an erasure. */
export async function deleteSendsOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('sends').where('user_id', '=', userId).execute();
}

export async function deleteOldSends(tx: Tx, before: number): Promise<void> {
  // Deletes group by group, because the key begins with the group; an index by age would slow every send.
  const groupIds = sql<string>`(with recursive known (id) as (
    select min(group_id) from sends union all
    select (select min(group_id) from sends where group_id > known.id) from known where known.id is not null)
    select id from known where id is not null)`;
  await tx.deleteFrom('sends').where('group_id', 'in', groupIds).where('sent_at', '<', before).execute();
}
