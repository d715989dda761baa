// Binary identifiers of Active Directory as text: objectGUID and objectSid.

/** As Windows shows it: the first three parts are little-endian. Null if it is none. */
export function guidText(bytes: Buffer): string | null {
  if (bytes.length !== 16) return null;
  const hex = Buffer.from([3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map((at) => bytes[at]!)).toString(
    'hex',
  );
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Null for a text that is no GUID. */
export function guidBytes(text: string): Buffer | null {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return null;
  const plain = Buffer.from(text.replaceAll('-', ''), 'hex');
  return Buffer.from([3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map((at) => plain[at]!));
}
