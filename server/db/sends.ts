// Queries on what was sent under which rules. Policies are kept once each, however many sends they judged.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Policy } from '../domain/policy.ts';
import type { Send, SendFacts } from '../domain/sends.ts';
import { policyOf } from './groups.ts';
import type { Query, Tx } from './schema.ts';

/** Policies are few and the same object for as long as they are the same (db/groups.ts). */
const known = new WeakMap<Policy, { id: string; document: string }>();

function documentOf(policy: Policy): { id: string; document: string } {
  const found = known.get(policy);
  if (found !== undefined) return found;
  const document = JSON.stringify(policy);
  const made = { id: createHash('sha256').update(document).digest('base64url'), document };
  known.set(policy, made);
  return made;
}

export async function insertSend(tx: Tx, send: Send & { isLocal: boolean }): Promise<void> {
  const { id: policyId, document } = documentOf(send.policy);
  await tx
    .insertInto('policy_documents')
    .values({ id: policyId, is_local: send.isLocal ? 1 : 0, document })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const { kind, ...facts } = send.facts;
  await tx
    .insertInto('sends')
    .values({
      id: send.id,
      kind,
      user_id: send.userId,
      group_id: send.groupId,
      policy_id: policyId,
      facts: JSON.stringify(facts),
      sent_at: send.sentAt,
    })
    .execute();
}

/** With the address of the person, or their id once they are gone. */
export type ListedSend = Send & { user: string };

/** A page of what people of a group have sent, newest first. */
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

export async function deleteSendsOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('sends').where('user_id', '=', userId).execute();
}

export async function deleteOldSends(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom('sends').where('sent_at', '<', before).execute();
}
