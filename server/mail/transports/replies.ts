const MAX_REASON_CHARS = 200;

export function oneLine(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .replace(/ {2,}/g, ' ')
    .trim();
  if (plain.length <= MAX_REASON_CHARS) return plain;
  // Removes a halved character.
  return `${plain.slice(0, MAX_REASON_CHARS - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
