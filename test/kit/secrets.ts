// Finds secrets in output: text, Base64, percent-encoding, and PDF with compressed streams, embedded files and drawn text.
import { inflateSync } from 'node:zlib';

/** The secrets that a reader of these bytes learns. */
export function secretsIn(bytes: Buffer | string, secrets: Iterable<string>): string[] {
  const texts = formsOf(Buffer.from(bytes as Buffer));
  return [...secrets].filter((secret) => texts.some((text) => text.includes(secret)));
}

function formsOf(bytes: Buffer): string[] {
  const text = bytes.toString('latin1');
  const parts = [text, ...(text.startsWith('%PDF') ? pdfTexts(text) : [])];
  return parts.flatMap((part) => [part, decoded(part), part.replace(/%([0-9a-f]{2})/gi, characterOf)]);
}

function characterOf(_: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/** A run of letters may begin with unrelated ones. */
function decoded(text: string): string {
  const runs = [...text.matchAll(/(?<![A-Za-z0-9_+/-])[A-Za-z0-9_+/-]{20,}/g)].flatMap(([run]) =>
    [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64url').toString('latin1')),
  );
  return runs.join('\n');
}

function pdfTexts(text: string): string[] {
  const streams = [...text.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)]
    .map(([, body]) => inflated(body!))
    // Fonts and images have no text.
    .filter((stream) => !stream.includes('\0'));
  const alphabets = streams.filter((stream) => stream.includes('beginbfrange')).map(alphabetOf);
  const drawn = streams.filter((stream) => stream.includes(' Tm')).map(glyphsOf);
  return [
    ...streams,
    ...alphabets.flatMap((alphabet) => drawn.map((glyphs) => glyphs.map((glyph) => alphabet[glyph] ?? '').join(''))),
  ];
}

function inflated(body: string): string {
  const bytes = Buffer.from(body, 'latin1');
  try {
    return inflateSync(bytes).toString('latin1');
  } catch {
    return body;
  }
}

/** The letters of one font by glyph number, from its ToUnicode map. */
function alphabetOf(stream: string): string[] {
  return [...stream.matchAll(/\[([^\]]*)\]/g)].flatMap(([, list]) =>
    [...list!.matchAll(/<([0-9a-f]*)>/gi)].map(([, hex]) => Buffer.from(hex!, 'hex').swap16().toString('utf16le')),
  );
}

function glyphsOf(stream: string): number[] {
  return [...stream.matchAll(/<([0-9a-f]+)>/gi)].flatMap(([, hex]) =>
    [...hex!.matchAll(/.{4}/g)].map(([glyph]) => Number.parseInt(glyph, 16)),
  );
}
