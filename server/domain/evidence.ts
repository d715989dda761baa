// An entry of the evidence log has personal values as salted hashes. Destroying the salt erases the value; the log
// still verifies.
import { hash } from 'node:crypto';
import { canonicalJson, type Json } from '../lib/canonical-json.ts';
import { isPublicFact } from './public-facts.ts';

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

export interface Salts {
  /** Salts are derived from it, unless `kept` has them. Null once a field was erased. */
  secret: Buffer | null;
  /** In Base64. */
  kept: Record<string, string>;
  /** The hash in the log, and the erasure. */
  erased: Record<string, { hash: string; erasure: string }>;
}

export interface OpenedField {
  /** `actor`, `object`, `owner`, `ip`, `request`, or `facts.<name>`. */
  field: string;
  value: Json;
  /** Base64, 12 or 18 bytes. */
  salt: string;
}

export const secretBytes = 24;
/** Older events derive each salt by a separate hash. */
const oldSecretBytes = 16;
/** One hash yields all their salts. */
const commonFields: readonly string[] = ['actor', 'object', 'owner', 'ip', 'request'];
const commonSaltBytes = 12;
export const saltBytes = 18;
/** A higher one may mean other fields. */
const version = 1;

/** Canonical JSON, so the names are in this order. */
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

/** SHA-256 over the salt and the canonical JSON of the value, in Base64. */
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

/** A new buffer per field would cost more than its hash. */
const hashedBytes = Buffer.allocUnsafeSlow(4096);

/** Discards also the secret from which they could be derived. */
export function withoutFields(event: LoggedEvent, salts: Salts, fields: readonly string[], erasure: string): Salts {
  const kept: Record<string, string> = {};
  const erased = { ...salts.erased };
  for (const { field, value, salt } of openFields(event, salts)) {
    if (fields.includes(field)) erased[field] = { hash: fieldHash(value, salt), erasure };
    else kept[field] = salt;
  }
  return { secret: null, kept, erased };
}

/** Empty fields identify no one. */
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

/** One character per byte. Different parts of hashes: one salt reveals nothing about the others. */
function saltsFrom(secret: Buffer): (field: string) => string {
  const secretText = secret.toString('base64');
  const common = secret.length === oldSecretBytes ? null : hash('sha512', secretText, 'latin1');
  return (field) => {
    const at = common === null ? -1 : commonFields.indexOf(field) * commonSaltBytes;
    if (common !== null && at >= 0) return common.slice(at, at + commonSaltBytes);
    return hash('sha256', `${secretText} ${field}`, 'latin1').slice(0, saltBytes);
  };
}
