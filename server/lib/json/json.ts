// Strict JSON and Base64: refuses what JavaScript repairs silently, such as `__proto__`, 1e400 and wrong Base64
// characters.

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** Readers may disagree on the value of a repeated key. */
export class DuplicateKey extends RangeError {
  override name = 'DuplicateKey';
  readonly key: string;

  constructor(key: string) {
    super('The JSON holds a key more than once.');
    this.key = key;
  }
}

/** Throws a RangeError with a sentence for people. */
export function parseJson(text: string, options: { maxDepth?: number } = {}): JsonValue {
  // Some Windows tools add a byte order mark.
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (/^[ \t\r\n]*$/.test(json)) throw new RangeError('The body is empty where JSON was expected.');
  // Before parsing, so that deep nesting costs one pass and no stack.
  const writtenKeys = scanStructure(json, options.maxDepth ?? 32);
  let value: JsonValue;
  try {
    value = JSON.parse(json);
  } catch {
    throw new RangeError('The body is not valid JSON.');
  }
  // JSON.parse keeps one of equal keys.
  if (checkValue(value) !== writtenKeys) throw new DuplicateKey(findDuplicateKey(json));
  return value;
}

/** Canonical Base64 only, else null. `lineBreaks` permits line ends as in mails. */
export function parseBase64(text: string, options: { lineBreaks?: boolean } = {}): Buffer | null {
  const base64 = options.lineBreaks ? text.replace(/\r?\n/g, '') : text;
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return null;
  const bytes = Buffer.from(base64, 'base64');
  // Only the last group can have unused bits.
  const lastGroup = bytes.subarray((Math.ceil(bytes.length / 3) - 1) * 3);
  return base64.endsWith(lastGroup.toString('base64')) ? bytes : null;
}

/** Refuses deep nesting. Returns the number of keys, by colons. */
function scanStructure(json: string, maxDepth: number): number {
  let depth = 0;
  let keys = 0;
  let isInString = false;
  for (let index = 0; index < json.length; index += 1) {
    const char = json.charCodeAt(index);
    if (isInString) {
      if (char === BACKSLASH) index += 1;
      else if (char === QUOTE) isInString = false;
    } else if (char === QUOTE) isInString = true;
    else if (char === COLON) keys += 1;
    else if (char === OPEN_BRACKET || char === OPEN_BRACE) {
      depth += 1;
      if (depth > maxDepth) throw new RangeError(`The JSON is nested more than ${maxDepth} levels deep.`);
    } else if (char === CLOSE_BRACKET || char === CLOSE_BRACE) depth -= 1;
  }
  return keys;
}

function findDuplicateKey(json: string): string {
  const open: Set<string>[] = [];
  for (const [mark, text, colon] of json.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")([ \t\r\n]*:)?|[{}]/g)) {
    if (mark === '{') open.push(new Set());
    else if (mark === '}') open.pop();
    else if (colon !== undefined) {
      const key = JSON.parse(text!) as string;
      const keys = open.at(-1)!;
      if (keys.has(key)) return key;
      keys.add(key);
    }
  }
  return '';
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const COLON = 0x3a;

/** Refuses values that databases treat differently, such as NUL. Returns the number of keys. */
function checkValue(value: JsonValue): number {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError('The JSON holds a number that is too large.');
  if (typeof value === 'string') refuseText(value);
  if (typeof value !== 'object' || value === null) return 0;
  const isArray = Array.isArray(value);
  let keys = 0;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__') throw new RangeError('The JSON holds a key that is not permitted.');
    if (!isArray) {
      refuseText(key);
      keys += 1;
    }
    keys += checkValue(inner);
  }
  return keys;
}

function refuseText(text: string): void {
  if (text.includes('\0')) throw new RangeError('The JSON must not contain NUL characters.');
  if (!text.isWellFormed()) throw new RangeError('The JSON holds half of a character (a lone surrogate).');
}
