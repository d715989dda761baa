/** Accepts an address in place of an id. */
export function idOf(text: string): string {
  if (!URL.canParse(text)) return text;
  const parts = new URL(text).pathname.split('/').filter((part) => part !== '');
  return parts.at(-1) ?? '';
}
