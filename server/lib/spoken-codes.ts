// Codes that people read in one place and type in another: eight characters in two groups.

/** No look-alikes: 32 letters and digits, five bits each. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeLength = 8;

/** A code of random bytes, or of a hash; the first eight count. */
export function codeOfBytes(bytes: Buffer): string {
  // Rejection is not needed: 256 is a multiple of 32.
  return [...bytes.subarray(0, codeLength)].map((byte) => alphabet[byte % alphabet.length]).join('');
}

/** In two groups, as people read it. */
export function spokenCode(code: string): string {
  return `${code.slice(0, codeLength / 2)}-${code.slice(codeLength / 2)}`;
}

/** As it was typed: spaces, dashes and lower case are fine. */
export function typedCode(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '');
}
