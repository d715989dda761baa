// Detects text types that may carry script.

/** In no text encoding; the rest may be any of the many 8-bit ones. */
const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

const HTML = /^<(?:!doctype\s+html|html|head|body|script|title|meta|link|style|iframe|table|div|h1|p|a|b|br)[\s>/]/i;

const UTF8_MARK = '\xef\xbb\xbf';

/** Null if the bytes are no text. */
export function textType(head: Buffer): string | null {
  if (isUtf16(head)) return 'text/plain';
  const bytes = head.toString('latin1');
  if (BINARY.test(bytes)) return null;
  const whole = bytes.startsWith(UTF8_MARK) ? bytes.slice(UTF8_MARK.length) : bytes;
  const text = withoutPreamble(whole);
  if (/^<svg[\s>/]/i.test(text)) return 'image/svg+xml';
  if (/^\s*<\?xml\s/.test(whole) && /^<(?:[a-z_]|!doctype)/i.test(text)) {
    if (/^<!doctype\s+svg/i.test(text)) return 'image/svg+xml';
    return /^<(?:html|!doctype\s+html)[\s>]/i.test(text) ? 'application/xhtml+xml' : 'application/xml';
  }
  return HTML.test(text) ? 'text/html' : 'text/plain';
}

/** Detected by its byte-order mark only. */
export function isUtf16(head: Buffer): boolean {
  const mark = head.length >= 2 ? head.readUInt16BE(0) : 0;
  return mark === 0xfffe || mark === 0xfeff;
}

/** Skips white space, an XML declaration and comments. */
function withoutPreamble(text: string): string {
  let at = 0;
  for (;;) {
    while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
    const end = text.startsWith('<?', at) ? '?>' : text.startsWith('<!--', at) ? '-->' : null;
    if (end === null) return text.slice(at);
    const next = text.indexOf(end, at);
    if (next < 0) return '';
    at = next + end.length;
  }
}
