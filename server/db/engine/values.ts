// Which JavaScript values both databases store alike. The drivers treat others differently (one stores a Date as NULL,
// the other undefined), so they are refused.

export type SqlValue = string | number | bigint | Uint8Array | null;

/** Throws a TypeError that names the position, never the value, of the first parameter that is not allowed. */
export function checkParameters(parameters: readonly unknown[]): asserts parameters is readonly SqlValue[] {
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index];
    const isAllowed =
      typeof value === 'string' ||
      (typeof value === 'number' && Number.isFinite(value)) ||
      value === null ||
      value instanceof Uint8Array ||
      typeof value === 'bigint';
    if (!isAllowed) {
      const kind = typeof value === 'object' ? value?.constructor?.name : typeof value;
      throw new TypeError(`SQL parameter ${index + 1} is ${kind === 'number' ? 'not finite' : `of type ${kind}`}`);
    }
  }
}

/** An integer too large for a double is an error, not a rounded value. */
export function exactNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`the database returned ${text}, which is too large to be an exact number`);
  }
  return value;
}
