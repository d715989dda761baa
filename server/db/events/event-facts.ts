// The stored facts of an event. Checksums are encrypted together with their salts: the event log contains the salted
// hash, so with the salt the content of a small file could be guessed.
import { sealedFactsOf } from '../../domain/sealed-facts.ts';
import type { EventsTable, Sealer } from '../schema/schema.ts';

type Facts = Record<string, unknown>;

export interface OpenedFacts {
  facts: Facts;
  /** Salts of encrypted facts, in Base64, by field. Other salts are in the row. */
  salts: Record<string, string>;
}

const placeOf = (objectId: string) => `event/${objectId}`;
const fieldOf = (fact: string) => `facts.${fact}`;

export function writeFacts(
  keys: Sealer,
  event: { action: string; objectId: string; facts: Facts },
  salts: Readonly<Record<string, string>>,
): string {
  const sealed = sealedFactsOf(event.action);
  if (sealed.length === 0) return JSON.stringify(event.facts);
  const stored = { ...event.facts };
  for (const name of sealed) {
    const value = stored[name];
    if (typeof value !== 'string' || value === '') continue;
    const text = JSON.stringify([value, salts[fieldOf(name)]]);
    stored[name] = { sealed: keys.sealText('checksum', text, placeOf(event.objectId)).toString('base64') };
  }
  return JSON.stringify(stored);
}

export function openFacts(keys: Sealer, row: Pick<EventsTable, 'action' | 'object_id' | 'facts'>): OpenedFacts {
  const facts = JSON.parse(row.facts) as Facts;
  const salts: Record<string, string> = {};
  for (const name of sealedFactsOf(row.action)) {
    const stored = facts[name];
    if (!isSealed(stored)) continue;
    const text = keys.openText('checksum', Buffer.from(stored.sealed, 'base64'), placeOf(row.object_id));
    const [value, salt] = JSON.parse(text) as [value: string, salt: string];
    facts[name] = value;
    salts[fieldOf(name)] = salt;
  }
  return { facts, salts };
}

export function withoutSealedSalts(action: string, salts: Readonly<Record<string, string>>): Record<string, string> {
  const sealed = sealedFactsOf(action).map(fieldOf);
  return Object.fromEntries(Object.entries(salts).filter(([field]) => !sealed.includes(field)));
}

export function sealedSalts(action: string, salt: Buffer): Record<string, string> {
  return Object.fromEntries(sealedFactsOf(action).map((name) => [fieldOf(name), salt.toString('base64')]));
}

function isSealed(value: unknown): value is { sealed: string } {
  return typeof value === 'object' && value !== null && 'sealed' in value && typeof value.sealed === 'string';
}
