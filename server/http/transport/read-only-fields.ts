// A client may send read-only fields back unchanged; a changed value is refused by name.
import { isDeepStrictEqual } from 'node:util';
import { wireShape } from '#contract/codec.ts';
import type { Endpoint } from '#contract/endpoints.ts';
import { Problem } from '../../domain/problem.ts';

type Fields = Record<string, unknown>;

/** By object, such as `user`. */
export function readOnlyFields(changing: Endpoint, reading: Endpoint): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  if (typeof changing.body !== 'object' || typeof reading.answer !== 'object') return found;
  const [taken, answered] = [wireShape(changing.body), wireShape(reading.answer)];
  for (const place of Object.keys(taken)) {
    const writable = wireShape(taken[place]);
    const names = Object.keys(wireShape(answered[place])).filter((name) => !Object.hasOwn(writable, name));
    if (names.length > 0) found.set(place, names);
  }
  return found;
}

/** Calls `read` only if there are any; its answer has the form of the body. */
export async function withoutUnchanged(
  body: unknown,
  readOnly: ReadonlyMap<string, readonly string[]>,
  read: () => Promise<unknown>,
): Promise<unknown> {
  if (!isObject(body)) return body;
  const rest: Fields = { ...body };
  let current: Fields | null = null;
  for (const [place, names] of readOnly) {
    const fields = rest[place];
    const sent = isObject(fields) ? names.filter((name) => Object.hasOwn(fields, name)) : [];
    if (!isObject(fields) || sent.length === 0) continue;
    current ??= JSON.parse(JSON.stringify(await read())) as Fields;
    const known = current[place] as Fields;
    const changed = sent.filter((name) => !isDeepStrictEqual(fields[name], known[name]));
    if (changed.length > 0) throw readOnlyChanged(changed.map((name) => `${place}.${name}`));
    rest[place] = Object.fromEntries(Object.entries(fields).filter(([name]) => !sent.includes(name)));
  }
  return rest;
}

function readOnlyChanged([name = '', ...others]: string[]): Problem {
  return new Problem(
    'invalid',
    'request.read_only_field',
    `The field "${name}" can’t be changed here. Nothing was done.`,
    {
      field: name.split('.').at(-1)!,
      others: others.map((other) => `The field "${other}" can’t be changed here.`),
    },
  ).withValues({ name });
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
