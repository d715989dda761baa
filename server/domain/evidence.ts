// An event as an entry of the log of evidence: canonical JSON in which everything personal is a salted hash. A field
// and its salt can be checked against the entry; without the salt the value cannot be guessed. Destroying the salt erases
// the value while the log still verifies.
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
  /** The salts of fields are made from it, unless `kept` has them. Null once a field was erased; then `kept` has all others. */
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
  /** Base64, 12 or 18 bytes. */
  salt: string;
}

export const secretBytes = 24;
/** Of events from before common fields shared a hash: the salt of each field is made by a hash of its own. */
const oldSecretBytes = 16;
/** Fields of nearly every event. One hash gives the salts of all of them. */
const commonFields: readonly string[] = ['actor', 'object', 'owner', 'ip', 'request'];
const commonSaltBytes = 12;
export const saltBytes = 18;
/** Of an entry; a higher one may mean other fields. */
const version = 1;

/** The entry, byte for byte the same whenever it is made: canonical JSON, so its names are in this order. */
export function entryOf(event: LoggedEvent, salts: Salts): Buffer {
  const { action, actorKind, at, objectKind, seq } = event;
  return Buffer.from(
    `{"action":${JSON.stringify(action)},"actor_kind":${JSON.stringify(actorKind)},"at":${at},` +
      `"facts":${canonicalJson(publicFactsOf(event))},"object_kind":${JSON.stringify(objectKind)},` +
      `"personal":{${personalText(event, salts)}},"seq":${seq},"version":${version}}`,
  );
}

function personalText(event: LoggedEvent, { secret, kept, erased }: Salts): string {
  const hashes: Record<string, string> = {};
  for (const field in erased) hashes[field] = JSON.stringify(erased[field]!.hash);
  const saltOf = secret === null ? null : saltsFrom(secret);
  const personal = personalFields(event);
  for (const field in personal) {
    if (Object.hasOwn(erased, field)) continue;
    const salt = saltOf === null || Object.hasOwn(kept, field) ? atob(kept[field] ?? '') : saltOf(field);
    // Base64 needs no escapes.
    hashes[field] = `"${hashWithSalt(personal[field]!, salt)}"`;
  }
  let text = '';
  for (const field of Object.keys(hashes).sort())
    text += `${text === '' ? '' : ','}${JSON.stringify(field)}:${hashes[field]}`;
  return text;
}

/** The personal fields of an event that were not erased, with their salts. */
export function openFields(event: LoggedEvent, { secret, kept, erased }: Salts): OpenedField[] {
  const saltOf = secret === null ? null : saltsFrom(secret);
  const fields: OpenedField[] = [];
  const personal = personalFields(event);
  for (const field in personal) {
    if (Object.hasOwn(erased, field)) continue;
    const salt = saltOf === null || Object.hasOwn(kept, field) ? (kept[field] ?? '') : btoa(saltOf(field));
    fields.push({ field, value: personal[field]!, salt });
  }
  return fields;
}

/** The hash that the log has for a value: SHA-256 over the salt and the canonical JSON of the value, in Base64. */
export function fieldHash(value: Json, salt: string): string {
  return hashWithSalt(value, Buffer.from(salt, 'base64').toString('latin1'));
}

/** The salt has a character for each byte. */
function hashWithSalt(value: Json, salt: string): string {
  const text = canonicalJson(value);
  const longest = salt.length + 3 * text.length;
  const bytes = longest > hashedBytes.length ? Buffer.allocUnsafe(longest) : hashedBytes;
  const saltEnd = bytes.write(salt, 'latin1');
  return hash('sha256', bytes.subarray(0, saltEnd + bytes.write(text, saltEnd)), 'base64');
}

/** Where salt and value are put together: a new Buffer for each field would cost more than its hash. */
const hashedBytes = Buffer.allocUnsafeSlow(4096);

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

/** Every field that the log hides. Empty ones are left out: they identify no one. */
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
  for (const name in event.facts) {
    const value = event.facts[name];
    if (value !== undefined && !isPublicFact(event.action, name)) fields[`facts.${name}`] = value as Json;
  }
  return fields;
}

function publicFactsOf({ action, facts }: LoggedEvent): Record<string, Json> {
  const shown: Record<string, Json> = {};
  for (const name in facts) if (isPublicFact(action, name)) shown[name] = facts[name] as Json;
  return shown;
}

/**
 * Makes the salt of a field, with a character for each byte. Each is another part of a hash or part of another hash, so
 * showing one gives away nothing about the others.
 */
function saltsFrom(secret: Buffer): (field: string) => string {
  const secretText = secret.toString('base64');
  const common = secret.length === oldSecretBytes ? null : hash('sha512', secretText, 'latin1');
  return (field) => {
    const at = common === null ? -1 : commonFields.indexOf(field) * commonSaltBytes;
    if (common !== null && at >= 0) return common.slice(at, at + commonSaltBytes);
    return hash('sha256', `${secretText} ${field}`, 'latin1').slice(0, saltBytes);
  };
}
