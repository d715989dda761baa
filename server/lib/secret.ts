// A value that must not appear in logs, errors or replies. However it is printed, `[secret]` comes out; only
// `reveal()` gives it, so every use can be found by its name.
import { inspect } from 'node:util';

const SHOWN = '[secret]';

export interface Secret<Value = string> {
  /** The value itself. Call it where it is used, never keep the result. */
  reveal(): Value;
  toString(): string;
  toJSON(): string;
}

/** Hides the value inside a function, where no printer, serialiser or copy can reach it. */
export function createSecret<Value>(value: Value): Secret<Value> {
  return Object.freeze({
    reveal: () => value,
    toString: () => SHOWN,
    toJSON: () => SHOWN,
    [Symbol.toPrimitive]: () => SHOWN,
    [inspect.custom]: () => SHOWN,
  });
}
