// Codes that people read in one place and type in another.

/** Without look-alikes, five bits each. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeLength = 8;

/** The first eight bytes count. */
export function codeOfBytes(bytes: Buffer): string {
  // Rejection is not needed: 256 is a multiple of 32.
  return [...bytes.subarray(0, codeLength)].map((byte) => alphabet[byte % alphabet.length]).join('');
}

export function spokenCode(code: string): string {
  return `${code.slice(0, codeLength / 2)}-${code.slice(codeLength / 2)}`;
}

/** Spaces, dashes and lower case are accepted. */
export function typedCode(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '');
}
