// A JSON value under construction, and what may come next in it. Refuses what is against the grammar, too deep, or a
// trap for JavaScript. Knows nothing of bytes.
import { notJson } from './string.ts';

export type JsonPath = readonly (string | number)[];

export interface JsonTree {
  /** Where the next value goes. Changes as the tree grows: copy it to keep it. */
  path: JsonPath;
  mayTakeKey(): boolean;
  mayTakeValue(): boolean;
  takeKey(key: string): void;
  takeValue(value: unknown): void;
  /** Brackets, braces, comma and colon; throws for anything else and out of place. */
  takeMark(byte: number): void;
  isOutside(): boolean;
  /** The whole value. */
  finish(): unknown;
}

/** What may come next. `firstKey` and `firstValue` stand behind an opening bracket, where it may close at once. */
type Expected = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'comma' | 'nothing';
type Container = unknown[] | Record<string, unknown>;

export function createJsonTree(maxDepth: number): JsonTree {
  const containers: Container[] = [];
  const path: (string | number)[] = [];
  let expected: Expected = 'value';
  let root: unknown;

  function takeValue(value: unknown): void {
    const container = containers.at(-1);
    if (container === undefined) root = value;
    else if (Array.isArray(container)) path[path.length - 1] = container.push(value);
    else container[path.at(-1)!] = value;
    expected = container === undefined ? 'nothing' : 'comma';
  }

  function open(container: Container): void {
    if (containers.length >= maxDepth) throw new RangeError(`The JSON is nested more than ${maxDepth} levels deep.`);
    containers.push(container);
    path.push(Array.isArray(container) ? 0 : '');
    expected = Array.isArray(container) ? 'firstValue' : 'firstKey';
  }

  function close(isArray: boolean): void {
    const container = containers.pop();
    if (container === undefined || Array.isArray(container) !== isArray) throw notJson();
    path.pop();
    takeValue(container);
  }

  const mayTakeKey = () => expected === 'key' || expected === 'firstKey';
  const mayTakeValue = () => expected === 'value' || expected === 'firstValue';

  return {
    path,
    mayTakeKey,
    mayTakeValue,
    takeKey(key) {
      // Refused also where a later key of the same name would have hidden it from a parser that reads everything first.
      if (key === '__proto__') throw new RangeError('The JSON holds a key that is not permitted.');
      path[path.length - 1] = key;
      expected = 'colon';
    },
    takeValue,
    takeMark(byte) {
      if (byte === CLOSE_BRACKET && (expected === 'firstValue' || expected === 'comma')) close(true);
      else if (byte === CLOSE_BRACE && (expected === 'firstKey' || expected === 'comma')) close(false);
      else if (byte === COMMA && expected === 'comma') expected = Array.isArray(containers.at(-1)) ? 'value' : 'key';
      else if (byte === COLON && expected === 'colon') expected = 'value';
      else if (byte === OPEN_BRACKET && mayTakeValue()) open([]);
      else if (byte === OPEN_BRACE && mayTakeValue()) open({});
      else throw notJson();
    },
    isOutside: () => containers.length === 0,
    finish() {
      if (expected !== 'nothing') throw endsEarly();
      return root;
    },
  };
}

/** The sentence for a body that stops in the middle. */
export function endsEarly(): RangeError {
  return new RangeError('The body ends before its JSON does.');
}

const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
