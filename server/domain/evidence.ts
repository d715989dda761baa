// An event as an entry of the log of evidence: canonical JSON in which everything personal is a salted hash. Whoever is
// given a field with its salt can check it against the entry; without the salt nothing can be found out by guessing. Once
// a salt is destroyed the hash stays and says nothing any more, so the log verifies after a person was erased.
import { hash } from 'node:crypto';
import { canonicalJson, type Json } from '../lib/canonical-json.ts';
import { isPublicFact } from './public-facts.ts';

/** What an event is to the log. */
export interface LoggedEvent {
  seq: number;
  at: number;
  action: string;
  actorKind: string;
  actorId: string;
  objectKind: string;
  objectId: string;
  ownerId: string;
  facts: Record<string, unknown>;
  remoteIp: string;
  requestId: string;
}

/** Where the salts of an event are. */
export interface Salts {
  /** The salts of all fields are made from it. Null once a field was erased; then `kept` has those of the others. */
  secret: Buffer | null;
  /** Salts of fields, in Base64. */
  kept: Record<string, string>;
  /** Fields that were erased: their hashes, as they are in the log, and the erasure that did it. */
  erased: Record<string, { hash: string; erasure: string }>;
}

/** A field that can be shown, with what it takes to check it. */
export interface OpenedField {
  /** `actor`, `object`, `owner`, `ip`, `request`, or `facts.<name>`. */
  field: string;
  value: Json;
  /** Base64, 18 bytes. */
  salt: string;
}

export const secretBytes = 16;
/** Characters of Base64. */
const saltLength = 24;
/** Of an entry; a higher one may mean other fields. */
const version = 1;

/** The entry, byte for byte the same whenever it is made. */
export function entryOf(event: LoggedEvent, salts: Salts): Buffer {
  const hashes: Record<string, string> = {};
  for (const [field, { hash }] of Object.entries(salts.erased)) hashes[field] = hash;
  for (const { field, value, salt } of openFields(event, salts)) hashes[field] = fieldHash(value, salt);
  const entry = {
    version,
    seq: event.seq,
    at: event.at,
    action: event.action,
    actor_kind: event.actorKind,
    object_kind: event.objectKind,
    facts: publicFactsOf(event),
    personal: hashes,
  };
  return Buffer.from(canonicalJson(entry));
}

/** The personal fields of an event that were not erased, with their salts. */
export function openFields(event: LoggedEvent, { secret, kept, erased }: Salts): OpenedField[] {
  const secretText = secret?.toString('base64');
  const fields: OpenedField[] = [];
  for (const [field, value] of Object.entries(personalFields(event))) {
    if (Object.hasOwn(erased, field)) continue;
    fields.push({ field, value, salt: secretText === undefined ? (kept[field] ?? '') : saltOf(secretText, field) });
  }
  return fields;
}

/** What stands in the log for a value: SHA-256 over the salt and the canonical JSON of the value, in Base64. */
export function fieldHash(value: Json, salt: string): string {
  return hash('sha256', Buffer.concat([Buffer.from(salt, 'base64'), Buffer.from(canonicalJson(value))]), 'base64');
}

/** Salts after some fields were erased: theirs are gone, and so is the secret they could be made from. */
export function withoutFields(event: LoggedEvent, salts: Salts, fields: readonly string[], erasure: string): Salts {
  const kept: Record<string, string> = {};
  const erased = { ...salts.erased };
  for (const { field, value, salt } of openFields(event, salts)) {
    if (fields.includes(field)) erased[field] = { hash: fieldHash(value, salt), erasure };
    else kept[field] = salt;
  }
  return { secret: null, kept, erased };
}

/** Every field that the log hides. Empty ones are left out: there is nobody to protect. */
export function personalFields(event: LoggedEvent): Record<string, Json> {
  const fields: Record<string, Json> = {};
  const add = (field: string, value: string) => {
    if (value !== '') fields[field] = value;
  };
  add('actor', event.actorId);
  add('object', event.objectId);
  add('owner', event.ownerId);
  add('ip', event.remoteIp);
  add('request', event.requestId);
  for (const [name, value] of Object.entries(event.facts))
    if (value !== undefined && !isPublicFact(event.action, name)) fields[`facts.${name}`] = value as Json;
  return fields;
}

function publicFactsOf({ action, facts }: LoggedEvent): Record<string, Json> {
  const shown = Object.entries(facts).filter(([name]) => isPublicFact(action, name));
  return Object.fromEntries(shown) as Record<string, Json>;
}

/** Of one field, so that showing it gives away nothing about the others: the first 18 bytes of a hash, in Base64. */
function saltOf(secretText: string, field: string): string {
  return hash('sha256', `${secretText} ${field}`, 'base64').slice(0, saltLength);
}
