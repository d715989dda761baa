// The references of transfers, which administrators use in their calls, read from the tables.
import assert from 'node:assert/strict';
import { transfersAnswer } from '#contract/admin/transfers.ts';
import { wireForm } from '#test/kit/wire-form.ts';
import type { TestApp } from './app.ts';
import type { ApiClient } from './client.ts';

export async function referenceOf(app: TestApp, id: string): Promise<{ reference: string }> {
  const row = await app.app.ctx.db.read
    .selectFrom('transfer_references')
    .select('reference')
    .where('transfer_id', '=', id)
    .executeTakeFirstOrThrow();
  return { reference: row.reference };
}

export async function idsOf(app: TestApp, references: readonly string[]): Promise<string[]> {
  const ids = await idsByReference(app);
  return references.map((reference) => ids.get(reference) ?? `unknown ${reference}`);
}

/** An answer of the console with ids instead of references, to compare with what the test created. */
export async function withIds<Value>(app: TestApp, value: Value): Promise<Value> {
  const ids = await idsByReference(app);
  const text = JSON.stringify(value, (_, each) => (typeof each === 'string' ? (ids.get(each) ?? each) : each));
  return JSON.parse(text) as Value;
}

async function idsByReference(app: TestApp): Promise<Map<string, string>> {
  const rows = await app.app.ctx.db.read.selectFrom('transfer_references').selectAll().execute();
  return new Map(rows.map((row) => [row.reference, row.transfer_id]));
}

/** Finds the reference by the search of the console, for tests without a database. */
export async function searched(admin: ApiClient, id: string): Promise<{ reference: string }> {
  const { body } = await admin.expect(200, 'listTransfers', { query: { id } });
  const [transfer] = wireForm(transfersAnswer, body).transfers;
  assert.ok(transfer !== undefined, 'the search finds no transfer');
  return { reference: transfer.reference };
}
