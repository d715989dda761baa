// Delivers events to webhooks: at least once, in order for each object. Each webhook has its own position and lease, so that
// a slow receiver delays no other.
import { setTimeout as pause } from 'node:timers/promises';
import {
  type DeliveryProgress,
  endWebhookLease,
  findWebhook,
  insertDeliveries,
  listDueWebhooks,
  saveProgress,
  takeWebhookLease,
  type WebhookDelivery,
  type WebhookLease,
} from '../../db/event-receivers/webhooks.ts';
import { findLastSeq } from '../../db/events/events.ts';
import { systemCaller } from '../../domain/caller.ts';
import { type OutgoingEvent, objectKeyOf } from '../../domain/outgoing-events.ts';
import { actionsOf, failingMs, retryDelayMs, type Webhook } from '../../domain/webhooks.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { readOutgoing } from './outgoing.ts';
import { type Posted, postEvent } from './post-event.ts';

const batchSize = 64;
/** Objects whose events are sent at the same time. */
const parallel = 4;
/** No request begins later in a batch. */
const batchMs = 10_000;
/** Another process continues the deliveries of a dead one after this time. */
const leaseMs = 15_000;
const renewEveryMs = 5000;
/** A run waits so long for slow receivers, then continues without them. */
const runMs = 2000;
const keptDeliveries = 1000;
/** A receiver that answers 410 wants no more events. */
const gone = 410;

interface Running {
  controller: AbortController;
  webhooks: Map<string, Promise<number>>;
}

/** Deliveries of this process. */
const runningOf = new WeakMap<object, Running>();

/** Returns the number of delivered events. */
export async function deliverWebhooks(ctx: Ctx): Promise<number> {
  const running = runningIn(ctx);
  if (running.controller.signal.aborted) return 0;
  const due = await listDueWebhooks(ctx.db.read, await findLastSeq(ctx.db.read), ctx.clock.now());
  for (const id of due) {
    if (running.webhooks.has(id)) continue;
    const turn = serve(ctx, { id, holder: ctx.random.id() }, running.controller.signal)
      .catch((error: unknown) => {
        ctx.log.error({ webhook: id, err: String(error) }, 'events could not be delivered to a webhook');
        return 0;
      })
      .finally(() => running.webhooks.delete(id));
    running.webhooks.set(id, turn);
  }
  let delivered = 0;
  const turns = [...running.webhooks.values()].map(async (turn) => {
    delivered += await turn;
  });
  const waiting = new AbortController();
  await Promise.race([
    Promise.all(turns).finally(() => waiting.abort()),
    pause(runMs, null, { signal: waiting.signal }).catch(() => {}),
  ]);
  waiting.abort();
  return delivered;
}

/** Ends the deliveries of this process; events without an answer are sent again. */
export async function stopWebhooks(ctx: Pick<Ctx, 'blobs'>): Promise<void> {
  const running = runningIn(ctx);
  running.controller.abort();
  await Promise.all(running.webhooks.values());
}

function runningIn({ blobs }: Pick<Ctx, 'blobs'>): Running {
  const running = runningOf.get(blobs) ?? { controller: new AbortController(), webhooks: new Map() };
  runningOf.set(blobs, running);
  return running;
}

async function serve(ctx: Ctx, { id, holder }: WebhookLease, signal: AbortSignal): Promise<number> {
  if (!(await hasWork(ctx, id))) return 0;
  const lease: HeldLease = { id, holder, heldUntil: 0 };
  let delivered = 0;
  let renewing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renew(ctx, lease).catch((error: unknown) =>
      ctx.log.warn({ webhook: id, err: String(error) }, 'the lease of a webhook could not be renewed'),
    );
  }, renewEveryMs);
  timer.unref();
  try {
    while (await renew(ctx, lease)) {
      const webhook = await findWebhook(ctx.db.read, id);
      const count = webhook === null || signal.aborted ? 0 : await deliverBatch(ctx, lease, { webhook, signal });
      delivered += count;
      if (count === 0) break;
    }
  } finally {
    clearInterval(timer);
  }
  await renewing;
  await ctx.db.write((tx) => endWebhookLease(tx, lease));
  return delivered;
}

interface HeldLease extends WebhookLease {
  /** In uptime of this process; no request begins later. */
  heldUntil: number;
}

async function renew(ctx: Ctx, lease: HeldLease): Promise<boolean> {
  const heldUntil = ctx.clock.uptime() + leaseMs;
  const now = ctx.clock.now();
  const isHeld = await ctx.db.write((tx) => takeWebhookLease(tx, lease, now, now + leaseMs));
  lease.heldUntil = isHeld ? heldUntil : 0;
  return isHeld;
}

/** Skipped events alone are saved rarely: each webhook would write once a second. */
const savedSkips = 1000;

async function hasWork(ctx: Ctx, id: string): Promise<boolean> {
  const webhook = await findWebhook(ctx.db.read, id);
  const actions = webhook === null ? null : actionsOf(webhook.events);
  if (webhook === null || actions === null) return webhook !== null;
  const { events, upToSeq } = await readOutgoing(ctx, webhook.position, { actions, limit: 1 });
  return events.length > 0 || upToSeq - webhook.position >= savedSkips;
}

/** Returns 0 when there is nothing more to do now. */
async function deliverBatch(
  ctx: Ctx,
  lease: HeldLease,
  { webhook, signal }: { webhook: Webhook; signal: AbortSignal },
): Promise<number> {
  if (webhook.state !== 'on' || webhook.nextAt > ctx.clock.now()) return 0;
  const batch = await readOutgoing(ctx, webhook.position, { actions: actionsOf(webhook.events), limit: batchSize });
  if (batch.upToSeq === webhook.position) return 0;
  const open = batch.events.filter(({ id }) => !webhook.ahead.includes(id));
  const made = await postAll(ctx, webhook, { events: open, lease, signal });
  const ended = signal.aborted ? made.filter(({ error }) => error === '') : made;
  const progress = progressOf(webhook, batch, { made: ended, now: ctx.clock.now() });
  const isSaved = await ctx.db.write((tx) => save(ctx, tx, lease, { webhook, made: ended, progress }));
  const isMore = isSaved && progress.position > webhook.position && !signal.aborted && progress.nextAt === 0;
  return isMore ? Math.max(1, ended.filter(({ error }) => error === '').length) : 0;
}

type Attempt = Posted & { event: OutgoingEvent; at: number };

/** In order for each object; other objects continue beside it until an attempt gets no answer. */
async function postAll(
  ctx: Ctx,
  webhook: Webhook,
  { events, lease, signal }: { events: readonly OutgoingEvent[]; lease: HeldLease; signal: AbortSignal },
): Promise<Attempt[]> {
  const queues = Map.groupBy(events, objectKeyOf);
  const waiting = [...queues.values()];
  const made: Attempt[] = [];
  const endsAt = ctx.clock.uptime() + batchMs;
  let isStopped = false;
  const mayBegin = () => !isStopped && !signal.aborted && ctx.clock.uptime() < Math.min(endsAt, lease.heldUntil);
  const work = async () => {
    for (let queue = waiting.shift(); queue !== undefined; queue = waiting.shift()) {
      for (const event of queue) {
        if (!mayBegin()) return;
        const at = ctx.clock.now();
        const posted = await postEvent(ctx, webhook, event, signal);
        made.push({ ...posted, event, at });
        if (posted.error === '') continue;
        if (posted.status === null || posted.status === gone || posted.status >= 429) isStopped = true;
        break;
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return made;
}

function progressOf(
  webhook: Webhook,
  batch: { events: readonly OutgoingEvent[]; upToSeq: number },
  { made, now }: { made: readonly Attempt[]; now: number },
): DeliveryProgress {
  const delivered = new Set(webhook.ahead);
  for (const { event, error } of made) if (error === '') delivered.add(event.id);
  const open = batch.events.find(({ id }) => !delivered.has(id));
  const position = open === undefined ? batch.upToSeq : open.id - 1;
  const failed = made.find(({ error }) => error !== '');
  const common = {
    position,
    ahead: [...delivered].filter((seq) => seq > position),
    deliveries: webhook.deliveries + made.length,
    deliveredAt: made.some(({ error }) => error === '') ? now : webhook.deliveredAt,
  };
  if (failed === undefined)
    return { ...common, state: 'on', attempts: 0, firstFailedAt: null, nextAt: 0, lastError: webhook.lastError };
  // Another event fails than before.
  const isNew = webhook.firstFailedAt === null || (position > webhook.position && webhook.attempts > 0);
  const attempts = isNew ? 1 : webhook.attempts + 1;
  const firstFailedAt = isNew ? now : webhook.firstFailedAt!;
  const isOver = failed.status === gone || now - firstFailedAt >= failingMs;
  return {
    ...common,
    state: isOver ? 'failed' : 'on',
    attempts,
    firstFailedAt,
    nextAt: now + retryDelayMs(attempts),
    lastError: failed.error,
  };
}

async function save(
  ctx: Ctx,
  tx: Parameters<Parameters<Ctx['db']['write']>[0]>[0],
  lease: WebhookLease,
  { webhook, made, progress }: { webhook: Webhook; made: readonly Attempt[]; progress: DeliveryProgress },
): Promise<boolean> {
  if (!(await saveProgress(tx, lease, webhook.generation, progress))) return false;
  const rows = made.map(
    ({ event, at, tookMs, status, error }, index): WebhookDelivery => ({
      webhookId: webhook.id,
      number: webhook.deliveries + index + 1,
      seq: event.id,
      action: event.action,
      at,
      tookMs,
      status,
      error,
    }),
  );
  await insertDeliveries(tx, rows, keptDeliveries);
  if (progress.state === 'failed')
    await record(ctx, tx, systemCaller, {
      action: 'webhook.switched_off',
      object: { kind: 'webhook', id: webhook.id },
      ownerId: '',
      facts: { host: webhook.host, error: progress.lastError },
    });
  return true;
}
