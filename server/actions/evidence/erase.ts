// Blanks a person's data in events and destroys the salts, so that the log's hashes reveal nothing. Each step records
// an event: it distinguishes erasure from forgery, and lets an interrupted erasure continue.
import { findLastSeq } from '../../db/events/events.ts';
import { listEventsAbout, type SealableEvent, saveErased } from '../../db/events/sealable-events.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { type Caller, systemCaller } from '../../domain/caller.ts';
import type { ErasedPerson } from '../../domain/erasures.ts';
import { type LoggedEvent, withoutFields } from '../../domain/evidence.ts';
import { blanked, fieldsAbout, isBlank, sealedFieldsOf } from '../../domain/evidence-erasure.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { erasureDigest } from './compare-rows.ts';

/** Event numbers per step. */
const stepSize = 5_000;

/** Returns the number of changed events. */
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
    if (found.length > 0)
      erased += await ctx.db.write((tx) =>
        eraseFields(
          ctx,
          tx,
          caller,
          listFields(found, (event) => fieldsAbout(event, person)),
        ),
      );
  }
  return erased;
}

interface FieldsOfEvent extends SealableEvent {
  fields: string[];
}

function listFields(found: SealableEvent[], fieldsOf: (event: LoggedEvent) => string[]): FieldsOfEvent[] {
  return found
    .map(({ event, salts }) => ({
      event,
      salts,
      fields: fieldsOf(event)
        .filter((field) => !Object.hasOwn(salts.erased, field))
        .sort(),
    }))
    .filter(({ fields }) => fields.length > 0);
}

/** Erases the checksums of files whose owners were erased before checksums were sealed. */
export async function eraseChecksums(ctx: Ctx, tx: Tx, found: SealableEvent[]): Promise<number> {
  const fieldsOf = (event: LoggedEvent) => sealedFieldsOf(event).filter((field) => !isBlank(event, field));
  return eraseFields(ctx, tx, systemCaller, listFields(found, fieldsOf));
}

async function eraseFields(ctx: Ctx, tx: Tx, caller: Caller, found: FieldsOfEvent[]): Promise<number> {
  if (found.length === 0) return 0;
  const erasure = ctx.random.id();
  const digest = erasureDigest();
  for (const { event, salts, fields } of found) {
    for (const field of fields) digest.add(event.seq, field);
    await saveErased(tx, { event: blanked(event, fields), salts: withoutFields(event, salts, fields, erasure) });
  }
  const count = found.reduce((sum, { fields }) => sum + fields.length, 0);
  await record(ctx, tx, caller, {
    action: 'user.erased',
    object: { kind: 'system', id: 'evidence' },
    ownerId: '',
    facts: { erasure, events: found.length, fields: count, digest: digest.digest() },
  });
  return found.length;
}
