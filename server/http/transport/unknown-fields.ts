// Most calls refuse unknown fields by name; calls of existing clients ignore them (`toleratesUnknownFields`). A dry run
// of a call that has none is always refused.
import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import { wireShape } from '#contract/codec.ts';
import type { Endpoint } from '#contract/endpoints.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { shortName } from './body.ts';

export interface UnknownField {
  path: readonly string[];
  value: unknown;
}

type Schema = z.core.$ZodType;

const reportedMax = 10;

/** The caller expects a dry run and would get the real thing. */
const dryRunName = /dry[-_]?run/i;

export function refuseUnknownFields(definition: Endpoint, schema: z.ZodType, body: unknown): void {
  const unknown = findUnknownFields(schema, body);
  if (unknown.length === 0) return;
  const dryRun = unknown.find(asksForDryRun);
  if (dryRun !== undefined) throw misplacedDryRun(definition, namesOf(dryRun).find((name) => dryRunName.test(name))!);
  if (definition.toleratesUnknownFields !== undefined) return;
  const [name, ...others] = unknown.slice(0, reportedMax).map(({ path }) => shortName(path.join('.')));
  throw new Problem('invalid', 'request.unknown_field', `There is no field "${name}" here. Nothing was done.`, {
    field: shortName(unknown[0]!.path.at(-1)!),
    others: others.map((other) => `There is no field "${other}" here.`),
  }).withValues({ name: name! });
}

export function refuseDryRun(definition: Endpoint, queryText: string, headers: IncomingHttpHeaders): void {
  if (definition.method === 'GET') return;
  for (const name in headers) if (dryRunName.test(name)) throw misplacedDryRun(definition, name);
  if (headers.prefer !== undefined && dryRunName.test(String(headers.prefer)))
    throw misplacedDryRun(definition, 'prefer');
  if (queryText === '') return;
  for (const name of new URLSearchParams(queryText).keys())
    if (dryRunName.test(name) && !Object.hasOwn(wireShape(definition.query), name))
      throw misplacedDryRun(definition, name);
}

export function refusalOfFormField(name: string): Problem | null {
  return dryRunName.test(name) ? noDryRun(shortName(name)) : null;
}

/** Outermost first; nothing below such a field. */
export function findUnknownFields(schema: Schema, value: unknown): UnknownField[] {
  const found: UnknownField[] = [];
  collect(schema, value, { path: [], found });
  return found;
}

/** `path` changes during the walk; arrays of every step would slow each request. */
interface Walk {
  path: string[];
  found: UnknownField[];
}

function collect(schema: Schema, value: unknown, walk: Walk): void {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      if (isObject(value)) collectOfObject(def, value, walk);
      return;
    case 'array':
      if (Array.isArray(value))
        for (let index = 0; index < value.length; index++) inside(walk, `${index}`, def.element, value[index]);
      return;
    case 'record':
      if (isObject(value)) for (const key of Object.keys(value)) insideNamed(walk, key, def.valueType, value[key]);
      return;
    case 'union':
      collectOfUnion(def.options, value, walk);
      return;
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      collect(def.innerType, value, walk);
      return;
    case 'pipe':
      collect(def.in, value, walk);
      return;
    case 'unknown':
    case 'any':
      if (namesIn(value).some((name) => dryRunName.test(name))) add(walk, value);
  }
}

function collectOfObject({ shape, catchall }: z.core.$ZodObjectDef, value: Record<string, unknown>, walk: Walk): void {
  for (const key of Object.keys(value))
    if (Object.hasOwn(shape, key)) inside(walk, key, shape[key]!, value[key]);
    else insideNamed(walk, key, catchall, value[key]);
}

function inside(walk: Walk, key: string, schema: Schema, value: unknown): void {
  walk.path.push(key);
  collect(schema, value, walk);
  walk.path.pop();
}

/** Any names are accepted, except those of a dry run. */
function insideNamed(walk: Walk, key: string, schema: Schema | undefined, value: unknown): void {
  walk.path.push(key);
  if (schema === undefined || dryRunName.test(key)) add(walk, value);
  else collect(schema, value, walk);
  walk.path.pop();
}

function add({ path, found }: Walk, value: unknown): void {
  found.push({ path: [...path], value });
}

/** If no form matches, the contract refuses the value itself. */
function collectOfUnion(options: readonly Schema[], value: unknown, walk: Walk): void {
  if (typeof value !== 'object' || value === null) return;
  const used = options.find((option) => (option as z.ZodType).safeParse(value).success);
  if (used !== undefined) collect(used, value, walk);
}

function asksForDryRun(field: UnknownField): boolean {
  return namesOf(field).some((name) => dryRunName.test(name));
}

/** The name of the field, and all names inside it. */
function namesOf({ path, value }: UnknownField): string[] {
  return [path.at(-1)!, ...namesIn(value)];
}

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap(namesIn);
  return Array.isArray(value) ? inside : [...Object.keys(value), ...inside];
}

function misplacedDryRun(definition: Endpoint, name: string): Problem {
  const written = shortName(name);
  const place = dryRunPlace(definition);
  if (place === null) return noDryRun(written);
  return invalid(
    'request.misplaced_dry_run',
    `For a dry run put "dry_run" inside "${place}" of the body; "${written}" is somewhere else. Nothing was done.`,
    written,
  ).withValues({ name: written, place });
}

function noDryRun(name: string): Problem {
  return invalid(
    'request.no_dry_run',
    `This call has no dry run, so "${name}" cannot be used. Nothing was done.`,
    name,
  ).withValues({ name });
}

/** The object of the body that `dry_run` belongs in. */
function dryRunPlace({ body }: Endpoint): string | null {
  const fields = typeof body === 'object' ? wireShape(body) : {};
  return Object.keys(fields).find((name) => 'dry_run' in wireShape(fields[name])) ?? null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
