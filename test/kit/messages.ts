// Messages for tests: sending them, files inside the request, and everything a refused one must not leave behind.
import type { z } from 'zod';
import { type CreatedMessageBody, createdMessageAnswer, messageAnswer } from '#contract/messages.ts';
import { signInWithPassword } from '#server/actions/sessions/sessions.ts';
import type { Tables } from '#server/db/schema/schema.ts';
import { insertProof } from '#server/db/sessions/codes.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { viewKinds } from '#server/domain/events.ts';
import type { TestApp } from './app.ts';
import { Browser } from './browser.ts';
import type { ApiClient } from './client.ts';
import { storedBlobs } from './inside.ts';
import { wireForm } from './wire-form.ts';

/** A new person. A few seconds pass for each, because keys can be shown ten times a minute. */
export function newPerson(
  app: TestApp,
  name: string,
  options: Parameters<TestApp['person']>[1] = {},
): Promise<ApiClient> {
  app.clock.advance(7000);
  return app.person(name, options);
}

/** Object form of an attachment: the file itself, Base64 encoded. */
export function inlineFile(filename: string, bytes: Uint8Array | string, more: Record<string, unknown> = {}) {
  return { filename, data: Buffer.from(bytes as Uint8Array).toString('base64'), ...more };
}

export async function sendMessage(
  client: ApiClient,
  message: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<CreatedMessageBody> {
  const { body } = await client.expect(200, 'sendMessage', { body: { message }, headers });
  return wireForm(createdMessageAnswer, body).message;
}

export async function readMessage(client: ApiClient, id: string): Promise<z.input<typeof messageAnswer>['message']> {
  const { body } = await client.expect(200, 'getMessage', { params: { id } });
  return wireForm(messageAnswer, body).message;
}

export async function fileUrlOf(client: ApiClient, id: string, index = 0): Promise<string> {
  return (await readMessage(client, id)).attachments[index]!.url.slice(client.url.length);
}

const traceTables = [
  'messages',
  'message_recipients',
  'message_attachments',
  'counters',
  'outbox',
  'attachments',
  'parts',
  'reservations',
  'idempotency',
  'events',
] as const satisfies (keyof Tables)[];

/** Row counts of each table that creating a message writes to, and the stored blobs. Recorded views do not count. */
export async function tracesOf(app: TestApp): Promise<Record<string, number | string[]>> {
  const traces: Record<string, number | string[]> = { blobs: await storedBlobs(app) };
  for (const table of traceTables) {
    const { rows } = await app.app.ctx.db.read
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .$if(table === 'events', (query) => query.where('action' as never, 'not in', viewKinds as never))
      .executeTakeFirstOrThrow();
    traces[table] = Number(rows);
  }
  return traces;
}

export async function countersOf(app: TestApp, messageId: string): Promise<Record<string, number>> {
  const rows = await app.app.ctx.db.read
    .selectFrom('counters')
    .select(['identity', 'used'])
    .where('message_id', '=', messageId)
    .execute();
  return Object.fromEntries(rows.map((row) => [row.identity, Number(row.used)]));
}

export async function browserProving(app: TestApp, ...addresses: string[]): Promise<Browser> {
  const { ctx } = app.app;
  const token = ctx.random.id(44);
  const now = ctx.clock.now();
  for (const address of addresses) {
    const row = { idHash: ctx.keys.hash('proof', token), address, now, expiresAt: now + 86_400_000 };
    await ctx.db.write((tx) => insertProof(tx, row));
  }
  const browser = new Browser(app.url);
  browser.cookies.set('local-rcpt', token);
  return browser;
}

export async function browserOf(app: TestApp, email: string, password: string): Promise<Browser> {
  const { token } = await signInWithPassword(app.app.ctx, systemCaller, { login: email, password, keep: false });
  const browser = new Browser(app.url);
  browser.cookies.set('local-sid', token);
  return browser;
}
