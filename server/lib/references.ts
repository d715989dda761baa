// Public references of transfers, such as K7QM-2XPD-94. A reference grants no access.

/** Crockford's alphabet: no I, L, O or U. Five bits each. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const length = 10;
const shape = /^[0-9A-HJKMNP-TV-Z]{10}$/;

export function referenceOfBytes(bytes: Buffer): string {
  // Rejection is not needed: 256 is a multiple of 32.
  let plain = '';
  for (let index = 0; index < length; index++) plain += alphabet[bytes[index]! % alphabet.length];
  return grouped(plain);
}

export const referenceBytes = length;

/** Case, dashes and spaces do not matter. */
export function typedReference(text: string): string | null {
  const plain = text.replace(/[\s-]/g, '').toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1');
  return shape.test(plain) ? grouped(plain) : null;
}

function grouped(plain: string): string {
  return `${plain.slice(0, 4)}-${plain.slice(4, 8)}-${plain.slice(8)}`;
}
