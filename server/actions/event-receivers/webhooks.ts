// System Administrators list, create, change, test and replay webhooks.

import {
  changeWebhook as changeRow,
  countWebhooks,
  deleteWebhook as deleteRow,
  findWebhook,
  insertWebhook,
  listWebhooks as listAll,
  listDeliveries as listRows,
  type WebhookDelivery,
} from '../../db/event-receivers/webhooks.ts';
import { findLastSeq } from '../../db/events/events.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { OutgoingEvent } from '../../domain/outgoing-events.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { secretOverlapMs, unknownEvent, type Webhook, type WebhookFormat } from '../../domain/webhooks.ts';
import { isoInstant } from '../../lib/dates.ts';
import { AddressRefused, resolveOutbound } from '../../lib/outbound-address.ts';
import { webhookSecret } from '../../lib/standard-webhooks.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { type Posted, postEvent } from './post-event.ts';

const mostWebhooks = 50;
const secretBytes = 32;

export interface WebhookInput {
  url?: string | undefined;
  events?: readonly string[] | undefined;
  format?: WebhookFormat | undefined;
  enabled?: boolean | undefined;
}

export async function listWebhooks(ctx: Ctx, caller: UserCaller): Promise<Webhook[]> {
  requireRight(caller, 'system.read');
  return listAll(ctx.db.read);
}

export async function getWebhook(ctx: Ctx, caller: UserCaller, id: string): Promise<Webhook> {
  requireRight(caller, 'system.read');
  const webhook = await findWebhook(ctx.db.read, id);
  if (webhook === null) throw new Problem('not_found', 'webhook.not_found', 'There is no such webhook.');
  return webhook;
}

export async function createWebhook(
  ctx: Ctx,
  caller: UserCaller,
  input: WebhookInput & { url: string },
): Promise<Webhook> {
  requireRight(caller, 'system.change');
  const { url, host } = await readAddress(ctx, input.url);
  const events = readEvents(input.events ?? ['*']);
  const now = ctx.clock.now();
  const webhook: Webhook = {
    id: ctx.random.id(),
    url,
    host,
    events,
    format: input.format ?? 'standard',
    state: input.enabled === false ? 'off' : 'on',
    secret: webhookSecret(ctx.random.bytes(secretBytes)),
    previousSecret: null,
    previousSecretEndsAt: null,
    generation: 0,
    position: await findLastSeq(ctx.db.read),
    ahead: [],
    deliveries: 0,
    attempts: 0,
    firstFailedAt: null,
    nextAt: 0,
    lastError: '',
    deliveredAt: null,
    createdAt: now,
    updatedAt: now,
  };
  await ctx.db.write(async (tx) => {
    if ((await countWebhooks(tx)) >= mostWebhooks)
      throw invalid('webhook.too_many', `There can be at most ${mostWebhooks} webhooks.`, 'url').withValues({
        most: mostWebhooks,
      });
    await insertWebhook(tx, webhook);
    await record(ctx, tx, caller, { action: 'webhook.created', ...about(webhook), facts: { host } });
  });
  return webhook;
}

export async function changeWebhook(ctx: Ctx, caller: UserCaller, id: string, input: WebhookInput): Promise<Webhook> {
  requireRight(caller, 'system.change');
  const before = await getWebhook(ctx, caller, id);
  const address = input.url === undefined ? null : await readAddress(ctx, input.url);
  const { enabled } = input;
  const changes: Partial<Webhook> = {
    ...address,
    ...(input.events === undefined ? {} : { events: readEvents(input.events) }),
    ...(input.format === undefined ? {} : { format: input.format }),
    ...(enabled === undefined ? {} : { state: enabled ? 'on' : 'off' }),
    // The next attempt is immediate, and three days begin again.
    attempts: 0,
    firstFailedAt: null,
    nextAt: 0,
    updatedAt: ctx.clock.now(),
  };
  return apply(ctx, caller, before, { changes, action: 'webhook.changed' });
}

export async function deleteWebhook(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  requireRight(caller, 'system.change');
  const webhook = await getWebhook(ctx, caller, id);
  await ctx.db.write(async (tx) => {
    if (!(await deleteRow(tx, id))) return;
    await record(ctx, tx, caller, { action: 'webhook.deleted', ...about(webhook), facts: { host: webhook.host } });
  });
}

/** The previous secret signs too for a day. */
export async function rotateWebhookSecret(ctx: Ctx, caller: UserCaller, id: string): Promise<Webhook> {
  requireRight(caller, 'system.change');
  const before = await getWebhook(ctx, caller, id);
  const now = ctx.clock.now();
  const changes: Partial<Webhook> = {
    secret: webhookSecret(ctx.random.bytes(secretBytes)),
    previousSecret: before.secret,
    previousSecretEndsAt: now + secretOverlapMs,
    updatedAt: now,
  };
  return apply(ctx, caller, before, { changes, action: 'webhook.secret_rotated' });
}

/** Sends every event after this position again. */
export async function replayWebhook(ctx: Ctx, caller: UserCaller, id: string, after: number): Promise<Webhook> {
  requireRight(caller, 'system.change');
  const before = await getWebhook(ctx, caller, id);
  if (after > (await findLastSeq(ctx.db.read)))
    throw invalid('webhook.bad_position', 'There is no event after this position.', 'after');
  const changes: Partial<Webhook> = { position: after, ahead: [], attempts: 0, firstFailedAt: null, nextAt: 0 };
  return apply(ctx, caller, before, { changes, action: 'webhook.replayed' });
}

/** Sends an event of the kind `webhook.tested`, which the log does not have. */
export async function testWebhook(ctx: Ctx, caller: UserCaller, id: string): Promise<Posted> {
  requireRight(caller, 'system.change');
  const webhook = await getWebhook(ctx, caller, id);
  const event: OutgoingEvent = {
    id: 0,
    at: isoInstant(ctx.clock.now()),
    action: 'webhook.tested',
    actor_kind: 'user',
    actor: { id: caller.userId, email: caller.email, name: caller.name },
    owner: null,
    object_kind: 'webhook',
    object_id: webhook.id,
    facts: { host: webhook.host },
    remote_ip: caller.from.address,
    request_id: caller.from.requestId,
  };
  return postEvent(ctx, webhook, event);
}

/** Newest first. */
export async function listDeliveries(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  page: { beforeNumber: number | null; size: number },
): Promise<{ deliveries: WebhookDelivery[]; next: number | null }> {
  await getWebhook(ctx, caller, id);
  const { beforeNumber, size } = page;
  const found = await listRows(ctx.db.read, id, { beforeNumber, limit: size + 1 });
  const deliveries = found.slice(0, size);
  return { deliveries, next: found.length > size ? deliveries.at(-1)!.number : null };
}

const about = ({ id }: Pick<Webhook, 'id'>) => ({ object: { kind: 'webhook', id }, ownerId: '' }) as const;

async function apply(
  ctx: Ctx,
  caller: UserCaller,
  before: Webhook,
  change: {
    changes: Partial<Webhook>;
    action: 'webhook.changed' | 'webhook.secret_rotated' | 'webhook.replayed';
  },
): Promise<Webhook> {
  const { changes, action } = change;
  const after = { ...before, ...changes };
  await ctx.db.write(async (tx) => {
    if (!(await changeRow(tx, before.id, changes)))
      throw new Problem('not_found', 'webhook.not_found', 'There is no such webhook.');
    await record(ctx, tx, caller, { action, ...about(after), facts: { host: after.host } });
  });
  return after;
}

async function readAddress(ctx: Ctx, text: string): Promise<{ url: string; host: string }> {
  const url = URL.parse(text.trim());
  if (url === null || url.username !== '' || url.password !== '')
    throw invalid('webhook.bad_address', 'This is not an address such as https://example.com/events.', 'url');
  try {
    await resolveOutbound(url, ctx.settings.surroundings.eventReceivers.webhookNetworks);
  } catch (error) {
    if (error instanceof AddressRefused)
      throw invalid(
        'webhook.address_refused',
        'Events are sent to https:// addresses on the internet only. WAYBILL_WEBHOOK_NETWORKS permits others.',
        'url',
      );
    throw invalid('webhook.unknown_host', 'The name in this address can’t be resolved.', 'url');
  }
  url.hash = '';
  return { url: url.href, host: url.host };
}

function readEvents(events: readonly string[]): readonly string[] {
  const unknown = unknownEvent(events);
  if (unknown !== null)
    throw invalid('webhook.unknown_event', `There is no kind of event “${unknown}”.`, 'events').withValues({
      event: unknown,
    });
  if (events.length === 0) throw invalid('webhook.no_events', 'Choose at least one kind of event.', 'events');
  return events.includes('*') ? ['*'] : [...new Set(events)];
}
