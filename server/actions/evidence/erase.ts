// Erases a person from events: what is about them is blanked and its salts are destroyed, so nobody can find out any more
// what the hashes in the log stood for. Goes in steps; each is one transaction with its own event, which says what it
// blanked, so that verifying can tell an erasure from a forgery, and an interrupted one can go on.
import { findLastSeq } from '../../db/events/events.ts';
import { listEventsAbout, type SealableEvent, saveErased } from '../../db/events/sealable-events.ts';
import type { Caller } from '../../domain/caller.ts';
import type { ErasedPerson } from '../../domain/erasures.ts';
import { withoutFields } from '../../domain/evidence.ts';
import { blanked, fieldsAbout } from '../../domain/evidence-erasure.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { erasureDigest } from './compare-rows.ts';

/** Numbers that are looked through at once. */
const stepSize = 5_000;

/** Looks through the events after a number; returns how many were changed. */
export async function erasePersonFromEvents(
  ctx: Ctx,
  caller: Caller,
  person: ErasedPerson,
  afterSeq = 0,
): Promise<number> {
  const last = await findLastSeq(ctx.db.read);
  const words = [person.userId, ...person.addresses];
  let erased = 0;
  for (let after = afterSeq; after < last; after += stepSize) {
    const page = { afterSeq: after, upToSeq: Math.min(after + stepSize, last) };
    const found = await listEventsAbout(ctx.db, { userId: person.userId, words }, page);
    if (found.length > 0) erased += await eraseStep(ctx, caller, person, found);
  }
  return erased;
}

async function eraseStep(ctx: Ctx, caller: Caller, person: ErasedPerson, found: SealableEvent[]): Promise<number> {
  const erasure = ctx.random.id();
  const digest = erasureDigest();
  const changes: SealableEvent[] = [];
  let count = 0;
  for (const { event, salts } of found) {
    const fields = fieldsAbout(event, person)
      .filter((field) => !Object.hasOwn(salts.erased, field))
      .sort();
    if (fields.length === 0) continue;
    for (const field of fields) digest.add(event.seq, field);
    count += fields.length;
    changes.push({ event: blanked(event, fields), salts: withoutFields(event, salts, fields, erasure) });
  }
  if (changes.length === 0) return 0;
  await ctx.db.write(async (tx) => {
    for (const change of changes) await saveErased(tx, change);
    await record(ctx, tx, caller, {
      action: 'user.erased',
      object: { kind: 'system', id: 'evidence' },
      ownerId: '',
      facts: { erasure, events: changes.length, fields: count, digest: digest.digest() },
    });
  });
  return changes.length;
}
