// Schemas with two forms: snake_case JSON outside, camelCase domain values inside. A field is declared once; requests are
// decoded by zod, answers are encoded by a function compiled from the schema, which also drops fields that it does not have.
import { z } from 'zod';
import { type CamelCase, camelCase } from './camel-case.ts';

declare const domainName: unique symbol;
declare const sourceOf: unique symbol;

/** A schema whose field has another name inside than the camelCase form of its wire name. */
export type Named<Schema, Name extends string> = Schema & { readonly [domainName]: Name };

/** A schema whose field is computed from these fields of the domain object. */
export type Derived<Schema, Source> = Schema & { readonly [sourceOf]: Source };

type Compute = (source: never) => unknown;

// By definition, because the copies that `.describe()` and `.meta()` make share it.
const domainNames = new WeakMap<object, string>();
const computations = new WeakMap<object, Compute>();
const objects = new WeakMap<object, z.ZodObject>();

/** Gives a field its domain name: `expires_at: named('expiresOn', date)`. */
export function named<const Name extends string, Schema extends z.ZodType>(
  name: Name,
  schema: Schema,
): Named<Schema, Name> {
  const copy = copyOf(schema);
  domainNames.set(copy._zod.def, name);
  return copy as Named<Schema, Name>;
}

/** Fields that have the same names inside, such as the settings of a group. */
export function unrenamed<const Shape extends z.ZodRawShape>(
  shape: Shape,
): { [Key in keyof Shape & string]: Named<Shape[Key], Key> } {
  const fields = Object.entries(shape).map(([name, schema]) => [name, named(name, schema as z.ZodType)]);
  return Object.fromEntries(fields);
}

/** A field of answers that the domain object does not have: it is computed from others. */
export function derived<Source, Schema extends z.ZodType>(
  schema: Schema,
  compute: (source: Source) => z.output<Schema>,
): Derived<Schema, Source> {
  const copy = copyOf(schema);
  computations.set(copy._zod.def, compute);
  return copy as Derived<Schema, Source>;
}

/** The same schema with a definition of its own. */
function copyOf<Schema extends z.ZodType>(schema: Schema): Schema {
  const { def } = schema._zod;
  const copy = z.core.clone(schema, { ...def }, { parent: true });
  const object = objects.get(def);
  if (object !== undefined) objects.set(copy._zod.def, object);
  return copy;
}

type DomainKey<Key extends string, Schema> = Schema extends { readonly [sourceOf]: unknown }
  ? never
  : Schema extends { readonly [domainName]: infer Name extends string }
    ? Name
    : Schema extends { readonly _zod: { readonly def: { readonly innerType: infer Inner } } }
      ? DomainKey<Key, Inner>
      : CamelCase<Key>;

type Sources<Shape> = {
  [Key in keyof Shape]: Shape[Key] extends { readonly [sourceOf]: infer Source } ? (source: Source) => void : never;
}[keyof Shape];
type All<Source> = [Source] extends [never]
  ? unknown
  : (Source extends unknown ? Source : never) extends (source: infer Whole) => void
    ? Whole
    : unknown;

type Flat<Type> = { [Key in keyof Type]: Type[Key] };

type DomainFields<Shape, Output> = {
  [Key in keyof Output as Key extends keyof Shape & string ? DomainKey<Key, Shape[Key]> : never]: object extends Pick<
    Output,
    Key
  >
    ? Exclude<Output[Key], undefined>
    : Output[Key];
};

/** The domain form of an object with these fields. */
export type DomainOf<Shape extends z.ZodRawShape> = Flat<
  DomainFields<Shape, z.output<z.ZodObject<Shape>>> & All<Sources<Shape>>
>;

export type Wire<Shape extends z.ZodRawShape> = z.ZodCodec<
  z.ZodObject<Shape>,
  z.ZodCustom<DomainOf<Shape>, DomainOf<Shape>>
>;

/** An object with these fields on the wire, and with their domain names inside. */
export function wire<const Shape extends z.ZodRawShape>(
  shape: Shape,
  refine?: (object: z.ZodObject<Shape>) => z.ZodObject<Shape>,
): Wire<Shape> {
  const names = Object.entries(shape).flatMap(([key, schema]) =>
    computations.has(schema._zod.def) ? [] : [[key, nameIn(schema, camelCase(key))] as const],
  );
  const object = refine === undefined ? z.object(shape) : refine(z.object(shape));
  const codec = z.codec(object, z.custom<DomainOf<Shape>>(), {
    decode: (value) => rename(value as Record<string, unknown>, names) as DomainOf<Shape>,
    encode: () => {
      throw new TypeError('answers are encoded by encoderOf');
    },
  });
  objects.set(codec._zod.def, object);
  return codec as unknown as Wire<Shape>;
}

/** The fields of such an object, for an object that has more. */
export function fieldsOf<Shape extends z.ZodRawShape>(schema: Wire<Shape>): Shape {
  return schema.def.in.shape;
}

function nameIn(schema: z.core.$ZodType, otherwise: string): string {
  const def = schema._zod.def as { innerType?: z.core.$ZodType };
  return domainNames.get(def) ?? (def.innerType === undefined ? otherwise : nameIn(def.innerType, otherwise));
}

function rename(value: Record<string, unknown>, names: readonly (readonly [from: string, to: string])[]): object {
  const renamed: Record<string, unknown> = {};
  for (const [from, to] of names) if (value[from] !== undefined) renamed[to] = value[from];
  return renamed;
}

/** The object that a schema describes on the wire; null for a schema of something else. */
export function wireObject(schema: z.core.$ZodType): z.ZodObject | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return schema as z.ZodObject;
  return def.type === 'pipe' ? wireObject(def.in) : null;
}

/** The fields that a schema has on the wire; none for one that is no object. */
export function wireShape(schema: z.core.$ZodType | undefined): Readonly<Record<string, z.ZodType>> {
  return (schema && wireObject(schema)?.shape) ?? {};
}

type Encode = (value: never) => unknown;

const encoders = new WeakMap<object, Encode | null>();
const unchanged = (value: unknown) => value;

/** Turns domain values into their wire form. */
export function encoderOf<Schema extends z.ZodType>(schema: Schema): (value: z.output<Schema>) => z.input<Schema> {
  return (compile(schema) ?? unchanged) as (value: z.output<Schema>) => z.input<Schema>;
}

/** Null where the two forms are the same. */
function compile(schema: z.core.$ZodType): Encode | null {
  const known = encoders.get(schema);
  if (known !== undefined) return known;
  const encode = compileDefinition((schema as z.core.$ZodTypes)._zod.def);
  encoders.set(schema, encode);
  return encode;
}

function compileDefinition(def: z.core.$ZodTypes['_zod']['def']): Encode | null {
  switch (def.type) {
    case 'object':
      return compileObject(def);
    case 'array':
      return mapItems(compile(def.element));
    case 'record':
      return mapValues(compile(def.valueType));
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'readonly':
    case 'default':
      return unlessMissing(compile(def.innerType));
    case 'pipe':
      return compilePipe(def);
    case 'union':
      return compileUnion(def);
    default:
      return null;
  }
}

function compileObject({ shape, catchall }: z.core.$ZodObjectDef): Encode {
  return encodeFields(
    compileFields(shape, (key) => key),
    catchall !== undefined,
  );
}

interface Field {
  wireName: string;
  name: string;
  compute: Compute | undefined;
  encode: Encode | null;
}

function compileFields(shape: z.core.$ZodShape, nameOf: (key: string) => string): Field[] {
  return Object.entries(shape).map(([key, schema]) => ({
    wireName: key,
    name: nameIn(schema, nameOf(key)),
    compute: computations.get(schema._zod.def),
    encode: compile(schema),
  }));
}

function encodeFields(fields: readonly Field[], keepsOthers: boolean): Encode {
  return (value: Record<string, unknown>) => {
    const encoded: Record<string, unknown> = keepsOthers ? { ...value } : {};
    for (const { wireName, name, compute, encode } of fields) {
      const inside = compute === undefined ? value[name] : compute(value as never);
      if (inside === undefined) continue;
      const outside = encode === null ? inside : encode(inside as never);
      if (outside !== undefined) encoded[wireName] = outside;
    }
    return encoded;
  };
}

function mapItems(encode: Encode | null): Encode | null {
  return encode === null ? null : (items: readonly never[]) => items.map((item) => encode(item));
}

function mapValues(encode: Encode | null): Encode | null {
  if (encode === null) return null;
  return (values: Record<string, never>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, encode(value)]));
}

function unlessMissing(encode: Encode | null): Encode | null {
  return encode === null ? null : (value: never) => (value === null || value === undefined ? value : encode(value));
}

function compilePipe(def: z.core.$ZodPipeDef): Encode | null {
  const object = objects.get(def);
  if (object !== undefined) return encodeFields(compileFields(object.shape, camelCase), false);
  const reverse = def.reverseTransform as ((value: unknown, context: never) => unknown) | undefined;
  const inner = compile(def.in);
  if (reverse === undefined) return inner;
  return (value: unknown) => {
    const outer = reverse(value, undefined as never);
    return inner === null ? outer : inner(outer as never);
  };
}

function compileUnion(def: z.core.$ZodUnionDef & { discriminator?: string }): Encode | null {
  const options = def.options.map((option) => [option, compile(option)] as const);
  if (options.every(([, encode]) => encode === null)) return null;
  const { discriminator } = def;
  if (discriminator === undefined) return encodeObjectsOf(options);
  const byValue = new Map(
    options.flatMap(([option, encode]) =>
      [...(option._zod.propValues?.[discriminator] ?? [])].map((value) => [value, encode] as const),
    ),
  );
  const name = camelCase(discriminator);
  return (value: Record<string, z.core.util.Primitive>) => byValue.get(value[name])?.(value as never) ?? value;
}

/** A union of one form of objects and anything that is no object. */
function encodeObjectsOf(options: readonly (readonly [z.core.$ZodType, Encode | null])[]): Encode {
  const encoding = options.flatMap(([, encode]) => (encode === null ? [] : [encode]));
  const [encode] = encoding;
  if (encode === undefined || encoding.length > 1)
    throw new TypeError('a union of several objects in an answer needs a discriminator');
  return (value: unknown) => (typeof value === 'object' && value !== null ? encode(value as never) : value);
}
