// Attribute names of SCIM, compared without case, and objects read with them.

/** Names from the resource inwards; the first may be the URN of an extension. */
export type Path = readonly string[];

export type Complex = Record<string, unknown>;

const name = /^[A-Za-z$][\w$-]*$/;
const urn = /^(urn:[\w:.-]*?:\d+\.\d+:\w+)(?::(.+))?$/i;
const core = /^urn:ietf:params:scim:schemas:core:2\.0:\w+$/i;

/** Null if it is no attribute. The URN of a core schema is left out. */
export function readPath(text: string): Path | null {
  const [, schema, inner] = urn.exec(text) ?? [];
  const rest = schema === undefined ? text : inner;
  const names = rest === undefined ? [] : rest.split('.');
  if (!names.every((part) => name.test(part)) || names.length > 3) return null;
  if (schema === undefined || core.test(schema)) return names.length === 0 ? null : names;
  return [schema, ...names];
}

export function isComplex(value: unknown): value is Complex {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The key with this name in any case. */
export function keyIn(object: Complex, wanted: string): string | undefined {
  if (Object.hasOwn(object, wanted)) return wanted;
  const folded = wanted.toLowerCase();
  return Object.keys(object).find((key) => key.toLowerCase() === folded);
}

function valueIn(object: Complex, wanted: string): unknown {
  const key = keyIn(object, wanted);
  return key === undefined ? undefined : object[key];
}

/** Every value at a path; lists count as their elements. */
export function valuesAt(value: unknown, path: Path): unknown[] {
  if (Array.isArray(value)) return value.flatMap((element) => valuesAt(element, path));
  const [first, ...rest] = path;
  if (first === undefined) return value === undefined ? [] : [value];
  return isComplex(value) ? valuesAt(valueIn(value, first), rest) : [];
}
