// File names are cleaned once on input and never used as names on disk. Only this file builds Content-Disposition
// headers.

const MAX_NAME_BYTES = 255;
/** Extensions up to this length are never cut. */
const MAX_KEPT_EXTENSION_BYTES = 64;
const MAX_FALLBACK_CHARS = 150;
const FALLBACK_NAME = 'file';

/**
 * C0, DEL, C1; soft hyphen; bidi characters; zero-width and other invisible characters; line separators; tags. Each can
 * disguise a name.
 */
const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Windows opens a device for these names, with any extension. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)/i;

/** What follows names an NTFS stream. */
const NAME_BEFORE_STREAM = /\.[0-9]{0,15}[a-z][a-z0-9]{0,15}\s*$/i;

/**
 * Decodes the raw value of a query parameter. Unescaped bytes arrive from Node as one character each. Null if an escape
 * is broken or the bytes are not UTF-8.
 */
export function decodeFileName(rawQueryValue: string): string | null {
  if (/%(?![0-9a-f]{2})/i.test(rawQueryValue) || /[^\u0000-\u00ff]/.test(rawQueryValue)) return null;
  const bytesAsChars = rawQueryValue
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytesAsChars, 'latin1'));
  } catch {
    return null;
  }
}

/** Non-empty, well-formed NFC of at most 255 UTF-8 bytes. */
export function cleanFileName(raw: string): string {
  // Before NFC: removing a character between a letter and its accent lets them join.
  const visible = raw.toWellFormed().replace(INVISIBLE, '').normalize('NFC');
  const lastPart = visible.slice(Math.max(visible.lastIndexOf('/'), visible.lastIndexOf('\\')) + 1);
  const stripped = withoutTrailingDots(withoutStream(lastPart));
  if (stripped === '') return FALLBACK_NAME;
  return cutToBytes(WINDOWS_DEVICE.test(stripped) ? `_${stripped}` : stripped);
}

/** Case-folded, without the dot; may be empty. `.exe` counts as `exe`. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  // Via upper case, which folds letters such as the Kelvin sign and K.
  return dot < 0
    ? ''
    : name
        .slice(dot + 1)
        .toLowerCase()
        .toUpperCase()
        .toLowerCase();
}

/** Empty if it is not a plausible extension: what follows a dot may be secret. */
export function plainExtensionOf(name: string): string {
  const extension = extensionOf(name);
  return isPlainExtension(extension) ? extension : '';
}

export function isPlainExtension(extension: string): boolean {
  return /^[a-z0-9]{1,12}$/.test(extension);
}

/** A name of `[A-Za-z0-9._-]` for headers and URLs; never empty. */
export function asciiFallback(raw: string): string {
  const name = raw.replace(/[.\s]+$/, '');
  const dot = name.lastIndexOf('.');
  const extension = dot < 0 ? '' : asciiOnly(name.slice(dot + 1)).replace(/[._-]+/g, '');
  const stem = asciiOnly(dot < 0 ? name : name.slice(0, dot)).replace(/^[._-]+|[._-]+$/g, '');
  const shortExtension = extension.slice(0, 20);
  const shortStem = stem.slice(0, MAX_FALLBACK_CHARS - 21) || FALLBACK_NAME;
  // A dot left in the stem would make a new extension.
  const plain = shortExtension === '' ? shortStem.replaceAll('.', '_') : shortStem;
  const safe = WINDOWS_DEVICE.test(`${plain}.`) ? `_${plain}` : plain;
  return shortExtension === '' ? safe : `${safe}.${shortExtension}`;
}

/** RFC 6266: an ASCII name, and the true one percent-encoded. */
export function contentDisposition(name: string): string {
  // encodeURIComponent leaves four characters that RFC 8187 does not allow here.
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${asciiFallback(name)}"; filename*=UTF-8''${encoded}`;
}

/** Removes the stream of `report.txt:evil.exe` and `a::$DATA`. Any other colon becomes `_`. */
function withoutStream(name: string): string {
  const colon = name.indexOf(':');
  if (colon < 0) return name;
  const before = name.slice(0, colon);
  const isStream =
    NAME_BEFORE_STREAM.test(before) || name.startsWith(':$', colon + 1) || name.startsWith('$', colon + 1);
  return isStream ? before : name.replaceAll(':', '_');
}

function withoutTrailingDots(name: string): string {
  let end = name.length;
  // A loop, because `/[\s.]+$/` is quadratic.
  while (end > 0 && /[\s.]/.test(name[end - 1]!)) end -= 1;
  return name.slice(0, end);
}

function cutToBytes(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? name.slice(dot) : '';
  const keptBytes = Buffer.byteLength(extension);
  if (keptBytes > MAX_KEPT_EXTENSION_BYTES) return withoutTrailingDots(firstBytes(name, MAX_NAME_BYTES));
  const stem = firstBytes(extension === '' ? name : name.slice(0, dot), MAX_NAME_BYTES - keptBytes);
  return extension === '' ? withoutTrailingDots(stem) : stem + extension;
}

function firstBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(0, maxBytes));
  let end = Math.min(bytes.length, maxBytes);
  while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

function asciiOnly(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '_');
}
