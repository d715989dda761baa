// Seals checksums that earlier versions stored in clear (db/attachments/old-checksums.ts), in resumable batches.

import type { Ctx } from '../actions/context.ts';
import { eraseChecksums } from '../actions/evidence/erase.ts';
import { markRewriteDue } from '../actions/system/rewriting.ts';
import {
  clearExtensions,
  inClearKey,
  listEventsOfErased,
  type Place,
  type SealBatch,
  sealAttachments,
  sealEventFacts,
  sealParts,
} from '../db/attachments/old-checksums.ts';
import type { Tx } from '../db/schema/schema.ts';
import { deleteMeta, findMeta, setMeta } from '../db/system/installation.ts';
import type { Job } from './job.ts';

const progressKey = 'checksums_to_seal';
const batchSize = 500;
const batchesAtOnce = 40;

type Step = (ctx: Ctx, ...batch: Parameters<SealBatch>) => ReturnType<SealBatch>;

const sealing = [clearExtensions, sealAttachments, sealParts, sealEventFacts];
const steps: readonly Step[] = [
  ...sealing.map(
    (seal): Step =>
      (_, ...batch) =>
        seal(...batch),
  ),
  eraseOfErased,
];

async function eraseOfErased(ctx: Ctx, tx: Tx, after: Place, limit: number): Promise<Place | null> {
  const events = await listEventsOfErased(tx, after, limit);
  await eraseChecksums(ctx, tx, events);
  return events.length < limit ? null : [events.at(-1)!.event.seq];
}

interface Progress {
  step: number;
  after: Place;
}

export const sealOldChecksums: Job = {
  name: 'seal-checksums',
  everyMs: 60_000,
  isHarmless: true,
  async run(ctx) {
    if ((await findMeta(ctx.db.read, inClearKey)) !== null) return begin(ctx);
    for (let batches = 0; batches < batchesAtOnce; batches++)
      if (await sealNextBatch(ctx)) return batches === 0 ? 'nothing to seal' : 'all checksums are sealed';
    return `${batchesAtOnce} batches of checksums sealed`;
  },
};

/** Requests of an earlier version are over at the next run. */
async function begin({ db }: Ctx): Promise<string> {
  await db.write(async (tx) => {
    await deleteMeta(tx, inClearKey);
    await setMeta(tx, progressKey, JSON.stringify({ step: 0, after: [] } satisfies Progress));
  });
  return 'checksums are sealed from the next run on';
}

/** True when nothing is left. */
function sealNextBatch(ctx: Ctx): Promise<boolean> {
  return ctx.db.write(async (tx) => {
    const text = await findMeta(tx, progressKey);
    if (text === null) return true;
    const { step, after } = JSON.parse(text) as Progress;
    const next = await steps[step]!(ctx, tx, after, batchSize);
    if (next !== null) await setMeta(tx, progressKey, JSON.stringify({ step, after: next } satisfies Progress));
    else if (step + 1 < steps.length)
      await setMeta(tx, progressKey, JSON.stringify({ step: step + 1, after: [] } satisfies Progress));
    else {
      await deleteMeta(tx, progressKey);
      await markRewriteDue(ctx, tx);
    }
    return false;
  });
}
