// Logs visits of message pages in the background. Rows per message are limited.
import { createHash } from 'node:crypto';
import { addVisit } from '../../db/messages/message-tracking.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

export interface PageVisit {
  messageId: string;
  ownerId: string;
  /** Confirmed address; empty when unknown. */
  address: string;
  isScanner: boolean;
  browser: string;
  device: string;
  network: string;
  country: string;
}

/** Rows without and with a confirmed address. */
const maxUnknownRows = 50;
const maxKnownRows = 500;
/** Visits of one visitor within this time count as one. */
const minIntervalMs = 5000;
const maxRemembered = 10_000;

export function createVisitLog(ctx: Ctx): { add(caller: Caller, visit: PageVisit): void } {
  const lastSeen = new Map<string, number>();
  return {
    add(caller, visit) {
      const now = ctx.clock.now();
      const key = `${visit.messageId} ${visitorKey(visit)}`;
      const last = lastSeen.get(key);
      if (last !== undefined && now - last < minIntervalMs) return;
      if (lastSeen.size >= maxRemembered) lastSeen.clear();
      lastSeen.set(key, now);
      write(ctx, caller, visit, now).catch((error: unknown) =>
        ctx.log.warn({ message: visit.messageId.slice(0, 6), err: String(error) }, 'a visit could not be logged'),
      );
    },
  };
}

function visitorKey(visit: PageVisit): string {
  if (visit.address !== '') return visit.address;
  const fingerprint = [visit.network, visit.browser, visit.device, visit.isScanner].join('\n');
  return createHash('sha256').update(fingerprint).digest('base64url').slice(0, 22);
}

async function write(ctx: Ctx, caller: Caller, visit: PageVisit, now: number): Promise<void> {
  const visitor = visitorKey(visit);
  await ctx.db.write(async (tx) => {
    const maxRows = visit.address === '' ? maxUnknownRows : maxKnownRows;
    const isNew = await addVisit(tx, { ...visit, visitor, at: now }, { mostRows: maxRows, apartMs: minIntervalMs });
    if (!isNew || visit.address === '') return;
    await record(ctx, tx, caller, {
      action: 'message.opened',
      object: { kind: 'message', id: visit.messageId },
      ownerId: visit.ownerId,
      facts: { recipient: visit.address },
    });
  });
}
