// PATCH of SCIM (RFC 7644, section 3.5.2), also in the forms that Entra and Okta send: any case of `op`, no path, dotted
// names and URNs as keys, booleans as text, members to remove in `value`.
import { badScim } from './fault.ts';
import { type Filter, matches, parseFilter } from './filter.ts';
import { type Complex, isComplex, keyIn, type Path, readPath } from './paths.ts';

export interface Operation {
  op: 'add' | 'replace' | 'remove';
  path?: string;
  value?: unknown;
}

const maxOperations = 1000;
const lists = ['emails', 'phoneNumbers', 'ims', 'photos', 'addresses', 'entitlements', 'roles', 'x509Certificates'];
/** Attributes whose values are lists. */
const listNames = new Set([...lists, 'members', 'groups'].map((attribute) => attribute.toLowerCase()));
/** Attributes that may be given as their `value`. */
const shortened = new Set(['manager']);

export function readOperations(body: unknown): Operation[] {
  const given = isComplex(body) ? body[keyIn(body, 'Operations') ?? ''] : undefined;
  if (!Array.isArray(given) || given.length === 0) throw badScim('invalidSyntax', 'Operations must be a list.');
  if (given.length > maxOperations) throw badScim('tooMany', `At most ${maxOperations} operations are possible.`);
  return given.map((one: unknown): Operation => {
    const op = isComplex(one) && typeof one.op === 'string' ? one.op.toLowerCase() : '';
    if (!isComplex(one) || (op !== 'add' && op !== 'replace' && op !== 'remove'))
      throw badScim('invalidSyntax', 'op must be add, replace or remove.');
    if (one.path !== undefined && typeof one.path !== 'string') throw badScim('invalidPath', 'path must be a text.');
    return { op, ...(one.path === undefined ? {} : { path: one.path }), value: one.value };
  });
}

/** Returns a changed copy. */
export function applyOperations(resource: Complex, operations: readonly Operation[]): Complex {
  const changed = structuredClone(resource);
  for (const operation of operations) applyOne(changed, operation);
  return changed;
}

function applyOne(resource: Complex, { op, path, value }: Operation): void {
  if (path !== undefined && path.trim() !== '') {
    change(resource, parseTarget(path.trim()), op, value);
    return;
  }
  if (op === 'remove') throw badScim('noTarget', 'remove needs a path.');
  if (!isComplex(value)) throw badScim('invalidValue', 'Without a path the value must be an object.');
  for (const [key, one] of Object.entries(value)) {
    const target = parseTarget(key);
    const isExtension = target.filter === null && target.path.length === 1 && /^urn:/i.test(target.path[0]!);
    if (!isExtension) change(resource, target, op, one);
    else if (isComplex(one))
      for (const [name, inner] of Object.entries(one)) change(resource, parseTarget(`${key}:${name}`), op, inner);
    else throw badScim('invalidValue', `The value of ${key} must be an object.`);
  }
}

interface Target {
  path: Path;
  filter: Filter | null;
  /** After the filter. */
  sub: string | null;
}

/** `emails[type eq "work"].value`, `name.givenName`, `urn:…:User:department`. */
function parseTarget(text: string): Target {
  const [, before, inside, after] = /^([^[\]]+)\[(.*)\](?:\.([^[\]]+))?$/s.exec(text) ?? [];
  const path = readPath(before ?? text);
  const sub = after === undefined ? null : readPath(after);
  if (path === null || (after !== undefined && sub?.length !== 1))
    throw badScim('invalidPath', `There is no attribute ${text.slice(0, 200)}.`);
  return { path, filter: inside === undefined ? null : parseFilter(inside), sub: sub?.[0] ?? null };
}

function change(resource: Complex, { path, filter, sub }: Target, op: Operation['op'], value: unknown): void {
  const holder = holderOf(resource, path.slice(0, -1), op !== 'remove');
  if (holder === null) return;
  const key = keyIn(holder, path.at(-1)!) ?? path.at(-1)!;
  if (filter !== null) changeElements(holder, key, { op, filter, sub, value });
  else if (op === 'remove') removeValue(holder, key, value);
  else holder[key] = merged(holder[key], key, op, value);
  if (isEmpty(holder[key])) delete holder[key];
}

/** Creates what is missing, unless something is to be removed. */
function holderOf(resource: Complex, names: Path, creates: boolean): Complex | null {
  let holder = resource;
  for (const wanted of names) {
    const key = keyIn(holder, wanted) ?? wanted;
    const next = holder[key];
    if (next === undefined && !creates) return null;
    if (next !== undefined && !isComplex(next))
      throw badScim('invalidPath', `${wanted} has no attributes of its own; choose an element with a filter.`);
    holder[key] = next ?? {};
    holder = holder[key] as Complex;
  }
  return holder;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : isEmpty(value) ? [] : [value]);

function merged(before: unknown, key: string, op: Operation['op'], value: unknown): unknown {
  if (listNames.has(key.toLowerCase()) || Array.isArray(before))
    return op === 'add' ? withAdded(listOf(before), listOf(value)) : listOf(value);
  if (typeof value === 'string' && shortened.has(key.toLowerCase())) return value === '' ? null : { value };
  if (isComplex(before) && isComplex(value)) return withoutNulls({ ...before, ...renamedAs(before, value) });
  return value;
}

/** With the keys of `before` where they differ in case only. */
function renamedAs(before: Complex, value: Complex): Complex {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [keyIn(before, key) ?? key, one]));
}

function withoutNulls(value: Complex): Complex {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
}

const identityOf = (element: unknown) =>
  isComplex(element) && typeof element.value === 'string'
    ? `${element.value}\0${String(element.type ?? '').toLowerCase()}`
    : JSON.stringify(element);

/** An element with the same value and type is replaced. A new primary one takes the place of the others. */
function withAdded(before: unknown[], added: unknown[]): unknown[] {
  const isPrimary = (element: unknown) => isComplex(element) && String(element.primary).toLowerCase() === 'true';
  const kept = added.some(isPrimary)
    ? before.map((element) => (isPrimary(element) ? { ...(element as Complex), primary: false } : element))
    : before;
  return [...new Map([...kept, ...added].map((element) => [identityOf(element), element])).values()];
}

/** With a value only these elements are removed. */
function removeValue(holder: Complex, key: string, value: unknown): void {
  const before = holder[key];
  if (!Array.isArray(before) || isEmpty(value)) {
    delete holder[key];
    return;
  }
  const elementValue = (element: unknown) => (isComplex(element) ? element.value : element);
  const gone = new Set(listOf(value).map(elementValue));
  holder[key] = before.filter((element) => !gone.has(elementValue(element)));
}

interface ElementChange {
  op: Operation['op'];
  filter: Filter;
  sub: string | null;
  value: unknown;
}

function changeElements(holder: Complex, key: string, { op, filter, sub, value }: ElementChange): void {
  const before = listOf(holder[key]);
  const isChosen = (element: unknown) => matches(filter, element);
  if (op === 'remove') {
    holder[key] = before.flatMap((element) => (isChosen(element) ? remainder(element, sub) : [element]));
    return;
  }
  const chosen = before.some(isChosen) ? before : [...before, elementFor(filter)];
  holder[key] = chosen.map((element) => (isChosen(element) ? changedElement(element, sub, value) : element));
}

function remainder(element: unknown, sub: string | null): unknown[] {
  if (sub === null || !isComplex(element)) return [];
  const left = { ...element };
  delete left[keyIn(left, sub) ?? sub];
  const hasMore = Object.keys(left).some((key) => !['type', 'primary'].includes(key.toLowerCase()));
  return hasMore ? [left] : [];
}

function changedElement(element: unknown, sub: string | null, value: unknown): unknown {
  if (!isComplex(element)) throw badScim('invalidPath', 'Only elements with attributes can be chosen by a filter.');
  if (sub !== null) return withoutNulls({ ...element, [keyIn(element, sub) ?? sub]: value });
  if (!isComplex(value)) throw badScim('invalidValue', 'The value must be an object.');
  return withoutNulls({ ...element, ...renamedAs(element, value) });
}

/** Entra changes the work address of a person who has none: the filter says what the new element is. */
function elementFor(filter: Filter): Complex {
  const parts = filter.is === 'and' ? filter.parts : [filter];
  const element: Complex = {};
  for (const part of parts) {
    if (part.is !== 'compare' || part.how !== 'eq' || part.path.length !== 1)
      throw badScim('noTarget', 'No element matches the filter.');
    element[part.path[0]!] = part.value;
  }
  return element;
}
