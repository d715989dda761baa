export type CursorValue = string | number;

export function writeCursor(values: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** Null unless it holds exactly these kinds of values. */
export function readCursor(text: string, kinds: readonly ('string' | 'number')[]): CursorValue[] | null {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (!Array.isArray(values) || values.length !== kinds.length) return null;
    const fits = values.every((value, index) =>
      kinds[index] === 'number' ? Number.isSafeInteger(value) : typeof value === 'string',
    );
    return fits ? (values as CursorValue[]) : null;
  } catch {
    return null;
  }
}
