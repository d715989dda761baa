// Webhooks, their leases and their latest deliveries.
import type { Webhook } from '../../domain/webhooks.ts';
import type { Query, Tx, WebhookDeliveriesTable, WebhooksTable } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

const webhooks = defineTable<Omit<WebhooksTable, 'lease_holder' | 'lease_ends_at'>>()(
  ({ plain, lists, json, sealedText }) => ({
    ...plain('id', 'host', 'format', 'state', 'generation', 'position', 'deliveries', 'attempts'),
    ...plain('previous_secret_ends_at', 'first_failed_at', 'next_at', 'last_error', 'delivered_at'),
    ...plain('created_at', 'updated_at'),
    ...lists('events'),
    ahead: json<readonly number[]>()('ahead'),
    url: sealedText('address_sealed', 'webhook', 'id', (id) => `${id}/address`),
    secret: sealedText('secret_sealed', 'webhook', 'id', (id) => `${id}/secret`),
    previousSecret: sealedText('previous_secret_sealed', 'webhook', 'id', (id) => `${id}/previous`),
  }),
);

function webhookOf(row: WebhooksTable, db: Pick<Query, 'keys'>): Webhook {
  return webhooks.read(row, db.keys);
}

export async function listWebhooks(db: Query): Promise<Webhook[]> {
  const rows = await db.selectFrom('webhooks').selectAll().orderBy('created_at').orderBy('id').limit(1000).execute();
  return rows.map((row) => webhookOf(row, db));
}

export async function findWebhook(db: Query, id: string): Promise<Webhook | null> {
  const row = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : webhookOf(row, db);
}

export async function countWebhooks(db: Query): Promise<number> {
  const row = await db
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Those that may deliver events before or at this number now. */
export async function listDueWebhooks(db: Query, lastSeq: number, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhooks')
    .select('id')
    .where('state', '=', 'on')
    .where('position', '<', lastSeq)
    .where('next_at', '<=', now)
    .where('lease_ends_at', '<=', now)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function listFailedHosts(db: Query): Promise<string[]> {
  const query = db.selectFrom('webhooks').select('host').where('state', '=', 'failed').orderBy('host').limit(20);
  return (await query.execute()).map(({ host }) => host);
}

export async function insertWebhook(tx: Tx, webhook: Webhook): Promise<void> {
  const row = { ...webhooks.write(webhook, tx.keys), lease_holder: '', lease_ends_at: 0 };
  await tx.insertInto('webhooks').values(row).execute();
}

/** A change by a person; a delivery in progress does not overwrite it. */
export async function changeWebhook(tx: Tx, id: string, changes: Partial<Webhook>): Promise<boolean> {
  const updated = await tx
    .updateTable('webhooks')
    .set((eb) => ({ ...webhooks.changes({ ...changes, id }, tx.keys), generation: eb('generation', '+', 1) }))
    .where('id', '=', id)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function deleteWebhook(tx: Tx, id: string): Promise<boolean> {
  await tx.deleteFrom('webhook_deliveries').where('webhook_id', '=', id).execute();
  const deleted = await tx.deleteFrom('webhooks').where('id', '=', id).executeTakeFirst();
  return Number(deleted.numDeletedRows) === 1;
}

export interface WebhookLease {
  id: string;
  holder: string;
}

export async function takeWebhookLease(
  tx: Tx,
  { id, holder }: WebhookLease,
  now: number,
  endsAt: number,
): Promise<boolean> {
  const updated = await tx
    .updateTable('webhooks')
    .set({ lease_holder: holder, lease_ends_at: endsAt })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('lease_ends_at', '<=', now), eb('lease_holder', '=', holder)]))
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function endWebhookLease(tx: Tx, { id, holder }: WebhookLease): Promise<void> {
  await tx
    .updateTable('webhooks')
    .set({ lease_holder: '', lease_ends_at: 0 })
    .where('id', '=', id)
    .where('lease_holder', '=', holder)
    .execute();
}

export type DeliveryProgress = Pick<
  Webhook,
  'position' | 'ahead' | 'deliveries' | 'attempts' | 'firstFailedAt' | 'nextAt' | 'lastError' | 'deliveredAt' | 'state'
>;

/** False if the lease is lost or a person has changed the webhook. */
export async function saveProgress(
  tx: Tx,
  { id, holder }: WebhookLease,
  generation: number,
  progress: DeliveryProgress,
): Promise<boolean> {
  const updated = await tx
    .updateTable('webhooks')
    .set(webhooks.changes(progress))
    .where('id', '=', id)
    .where('lease_holder', '=', holder)
    .where('generation', '=', generation)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

const deliveries = defineTable<WebhookDeliveriesTable>()(({ plain }) => ({
  ...plain('webhook_id', 'number', 'seq', 'action', 'at', 'took_ms', 'status', 'error'),
}));

export interface WebhookDelivery {
  webhookId: string;
  number: number;
  seq: number;
  action: string;
  at: number;
  tookMs: number;
  status: number | null;
  error: string;
}

/** Keeps the latest ones. */
export async function insertDeliveries(tx: Tx, made: readonly WebhookDelivery[], keep: number): Promise<void> {
  const last = made.at(-1);
  if (last === undefined) return;
  await tx
    .insertInto('webhook_deliveries')
    .values(made.map((delivery) => deliveries.write(delivery)))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx
    .deleteFrom('webhook_deliveries')
    .where('webhook_id', '=', last.webhookId)
    .where('number', '<=', last.number - keep)
    .execute();
}

/** Newest first. */
export async function listDeliveries(
  db: Query,
  webhookId: string,
  page: { beforeNumber: number | null; limit: number },
): Promise<WebhookDelivery[]> {
  let query = db.selectFrom('webhook_deliveries').selectAll().where('webhook_id', '=', webhookId);
  if (page.beforeNumber !== null) query = query.where('number', '<', page.beforeNumber);
  return deliveries.readAll(await query.orderBy('number', 'desc').limit(page.limit).execute());
}
