// Easy to read out, hard to guess.

/** Excludes similar letters and digits. */
const characters = 'abcdefghjkmnpqrstuvwxyz23456789';
const groupCount = 4;
const groupLength = 5;

/** `k3vda-9mwpe-…`: about 99 bits. */
export function generatePassword(): string {
  const length = groupCount * groupLength;
  // Bytes beyond the last whole round would favour the first letters.
  const rounds = Math.floor(256 / characters.length) * characters.length;
  let found = '';
  while (found.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < rounds && found.length < length) found += characters[byte % characters.length];
    }
  }
  return found.match(new RegExp(`.{${groupLength}}`, 'g'))!.join('-');
}
