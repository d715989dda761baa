// People and groups as a SCIM client describes them (RFC 7643).
import { parseAddress } from '../lib/address.ts';
import { badScim } from '../lib/scim/fault.ts';
import { type Complex, isComplex, keyIn } from '../lib/scim/paths.ts';

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** A person as the client wants them. */
export interface ScimPerson {
  userName: string;
  externalId: string | null;
  isActive: boolean;
  /** Everything else that the client may change. */
  attributes: Complex;
}

export interface ScimMember {
  id: string;
  kind: 'User' | 'Group';
}

export interface ScimGroupInput {
  displayName: string;
  externalId: string | null;
  members: ScimMember[];
}

const maxNameLength = 320;
const maxIdLength = 500;
const maxAttributesLength = 64 * 1024;

const userAttributes = (
  'userName externalId active name displayName nickName profileUrl title userType preferredLanguage locale timezone ' +
  'emails phoneNumbers ims photos addresses entitlements roles x509Certificates'
).split(' ');
/** Set by the server; a client may send them back. */
const readOnly = ['id', 'meta', 'groups', 'schemas'];
const urn = /^urn:[\w:.-]+:\d+\.\d+:\w+$/i;

/** Canonical names; readOnly attributes are left out, unknown ones refused. */
function canonical(given: unknown, known: readonly string[], allowsExtensions: boolean): Complex {
  if (!isComplex(given)) throw badScim('invalidSyntax', 'The body must be a JSON object.');
  const names = Object.fromEntries([...known, ...readOnly].map((name) => [name, true]));
  const result: Complex = {};
  for (const [key, value] of Object.entries(given)) {
    const name = keyIn(names, key);
    if (name !== undefined) result[name] = value;
    else if (key.toLowerCase() === 'password')
      throw badScim('mutability', 'Passwords are not set by SCIM. Switch off the synchronisation of passwords.');
    else if (allowsExtensions && urn.test(key) && (isComplex(value) || value === null)) result[key] = value;
    else throw badScim('invalidSyntax', `There is no attribute ${key.slice(0, 200)}.`);
  }
  for (const name of readOnly) delete result[name];
  for (const [key, value] of Object.entries(result))
    if (value === null || (Array.isArray(value) && value.length === 0)) delete result[key];
  return result;
}

function textOf(value: unknown, name: string, maxLength: number): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > maxLength || value.includes('\0'))
    throw badScim('invalidValue', `${name} must be a text of 1 to ${maxLength} characters.`);
  return value;
}

function externalIdOf(value: unknown): string | null {
  return value === undefined || value === '' ? null : textOf(value, 'externalId', maxIdLength);
}

/** Entra sends truth as text. */
function readTruth(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (word === 'true' || word === 'false') return word === 'true';
  throw badScim('invalidValue', `${name} must be true or false.`);
}

export function readPerson(given: unknown): ScimPerson {
  const { userName, externalId, active, ...rest } = canonical(given, userAttributes, true);
  const attributes = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, checked(key, value)]));
  if (JSON.stringify(attributes).length > maxAttributesLength)
    throw badScim('invalidValue', 'The attributes of a person have at most 64 KiB.');
  const person = {
    userName: textOf(userName, 'userName', maxNameLength).trim(),
    externalId: externalIdOf(externalId),
    isActive: active === undefined ? true : readTruth(active, 'active'),
    attributes,
  };
  if (addressOf(person) === null)
    throw badScim('invalidValue', 'emails or userName must have an e-mail address of the person.');
  return person;
}

const listAttributes = new Set(
  'emails phoneNumbers ims photos addresses entitlements roles x509Certificates'.split(' '),
);

function checked(key: string, value: unknown): unknown {
  if (listAttributes.has(key)) {
    if (!Array.isArray(value)) throw badScim('invalidValue', `${key} must be a list.`);
    return value.map((element: unknown) => withTruth(isComplex(element) ? element : { value: element }));
  }
  if (key === 'name' && !isComplex(value)) throw badScim('invalidValue', 'name must be an object.');
  if (key === 'displayName' && typeof value !== 'string') throw badScim('invalidValue', 'displayName must be a text.');
  return value;
}

function withTruth(element: Complex): Complex {
  const key = keyIn(element, 'primary');
  return key === undefined ? element : { ...element, [key]: readTruth(element[key], 'primary') };
}

/** Null if there is none. */
export function addressOf({ userName, attributes }: Pick<ScimPerson, 'userName' | 'attributes'>): string | null {
  const emails = (Array.isArray(attributes.emails) ? attributes.emails : []).filter(isComplex);
  const chosen =
    emails.find(({ primary }) => primary === true) ??
    emails.find(({ type }) => String(type).toLowerCase() === 'work') ??
    emails[0];
  const text = chosen === undefined ? userName : chosen.value;
  return typeof text === 'string' ? (parseAddress(text.trim(), { allowSingleLabel: true })?.address ?? null) : null;
}

export function nameOf({ attributes }: Pick<ScimPerson, 'attributes'>): string {
  const { displayName, name } = attributes;
  if (typeof displayName === 'string' && displayName.trim() !== '') return displayName;
  const parts = isComplex(name) ? name : {};
  if (typeof parts.formatted === 'string' && parts.formatted.trim() !== '') return parts.formatted;
  return [parts.givenName, parts.familyName].filter((part) => typeof part === 'string' && part !== '').join(' ');
}

const maxMembers = 20_000;

export function readGroup(given: unknown): ScimGroupInput {
  const { displayName, externalId, members = [] } = canonical(given, ['displayName', 'externalId', 'members'], false);
  if (!Array.isArray(members)) throw badScim('invalidValue', 'members must be a list.');
  if (members.length > maxMembers) throw badScim('tooMany', `A group has at most ${maxMembers} members.`);
  return {
    displayName: textOf(displayName, 'displayName', maxNameLength).trim(),
    externalId: externalIdOf(externalId),
    members: members.map(readMember),
  };
}

function readMember(given: unknown): ScimMember {
  const { value, type, $ref } = isComplex(given) ? given : { value: given };
  const isGroup = String(type ?? '').toLowerCase() === 'group' || /\/Groups\/[^/]+$/.test(String($ref ?? ''));
  return { id: textOf(value, 'members.value', maxIdLength), kind: isGroup ? 'Group' : 'User' };
}
