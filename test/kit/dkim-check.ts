// Checks a DKIM signature as RFC 6376 says, for `rsa-sha256` and `relaxed/relaxed`, with nothing of the library that signs.
import { createHash, createPublicKey, verify } from 'node:crypto';

/** Null if the signature is right. `record`: the text of the DNS record `<selector>._domainkey.<domain>`. */
export function dkimFault(mime: Buffer, record: (name: string) => string | undefined): string | null {
  const text = mime.toString('latin1');
  const split = text.indexOf('\r\n\r\n');
  const headers = text.slice(0, split).split(/\r\n(?![ \t])/);
  const at = headers.findIndex((header) => nameOf(header) === 'dkim-signature');
  if (at === -1) return 'there is no signature';
  const tags = tagsOf(headers[at]!.slice(headers[at]!.indexOf(':') + 1));
  const { v, a, c, d = '', s = '', h = '', bh, b = '' } = tags;
  if (v !== '1' || a !== 'rsa-sha256' || c !== 'relaxed/relaxed') return `it is of another kind: ${v} ${a} ${c}`;
  const bodyHash = createHash('sha256')
    .update(relaxedBody(text.slice(split + 4)), 'latin1')
    .digest('base64');
  if (bh !== bodyHash) return 'the body is not the signed one';
  const names = h.split(':').map((name) => name.trim().toLowerCase());
  if (!names.includes('from')) return 'From is not signed';
  const published = tagsOf(record(`${s}._domainkey.${d}`) ?? '').p;
  if (published === undefined) return 'there is no key in the DNS';
  const rest = headers.toSpliced(at, 1);
  const signed = names.flatMap((name) => {
    const last = rest.findLastIndex((header) => nameOf(header) === name);
    return last === -1 ? [] : rest.splice(last, 1);
  });
  const own = headers[at]!.replace(/(;\s*b=)[^;]*/, '$1');
  const input = [...signed, own].map(relaxedHeader).join('\r\n');
  const key = createPublicKey({ key: Buffer.from(published, 'base64'), format: 'der', type: 'spki' });
  return verify('sha256', Buffer.from(input, 'latin1'), key, Buffer.from(b, 'base64'))
    ? null
    : 'the signature is wrong';
}

const nameOf = (header: string) => header.slice(0, header.indexOf(':')).trim().toLowerCase();

function tagsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(';')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '')
      .map((tag) => [tag.slice(0, tag.indexOf('=')).trim(), tag.slice(tag.indexOf('=') + 1).replace(/\s+/g, '')]),
  );
}

function relaxedHeader(header: string): string {
  const value = header.slice(header.indexOf(':') + 1).replaceAll('\r\n', '');
  return `${nameOf(header)}:${value.replace(/[ \t]+/g, ' ').trim()}`;
}

function relaxedBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''));
  while (lines.at(-1) === '') lines.pop();
  return lines.length === 0 ? '' : `${lines.join('\r\n')}\r\n`;
}
