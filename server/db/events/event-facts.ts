// The facts of an event as they are stored: checksums sealed, everything else as it is.
import { sealedFactsOf } from '../../domain/sealed-facts.ts';
import type { EventsTable, Sealer } from '../schema/schema.ts';

type Facts = Record<string, unknown>;

const placeOf = (objectId: string) => `event/${objectId}`;

export function writeFacts(keys: Sealer, event: { action: string; objectId: string; facts: Facts }): string {
  const stored = { ...event.facts };
  for (const name of sealedFactsOf(event.action)) {
    const value = stored[name];
    if (typeof value === 'string' && value !== '')
      stored[name] = { sealed: keys.sealText('checksum', value, placeOf(event.objectId)).toString('base64') };
  }
  return JSON.stringify(stored);
}

export function readFacts(keys: Sealer, row: Pick<EventsTable, 'action' | 'object_id' | 'facts'>): Facts {
  const facts = JSON.parse(row.facts) as Facts;
  for (const name of sealedFactsOf(row.action)) {
    const value = facts[name];
    if (isSealed(value))
      facts[name] = keys.openText('checksum', Buffer.from(value.sealed, 'base64'), placeOf(row.object_id));
  }
  return facts;
}

function isSealed(value: unknown): value is { sealed: string } {
  return typeof value === 'object' && value !== null && 'sealed' in value && typeof value.sealed === 'string';
}
