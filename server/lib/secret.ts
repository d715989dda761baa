// Prints as `[secret]`; only `reveal()` returns the value, so every use can be found by name.
import { inspect } from 'node:util';

const SHOWN = '[secret]';

export interface Secret<Value = string> {
  /** Never store the result. */
  reveal(): Value;
  toString(): string;
  toJSON(): string;
}

/** A closure, which no printer, serializer or copy can reach. */
export function createSecret<Value>(value: Value): Secret<Value> {
  return Object.freeze({
    reveal: () => value,
    toString: () => SHOWN,
    toJSON: () => SHOWN,
    [Symbol.toPrimitive]: () => SHOWN,
    [inspect.custom]: () => SHOWN,
  });
}
