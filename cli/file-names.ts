// Local file names: inside the folder, short enough for file systems, and never the same for two
// files of one command.
import { createHash } from 'node:crypto';
import { basename, dirname, extname, join } from 'node:path';
import { plainText } from './plain-text.ts';

/** The limit of common file systems. */
const mostBytes = 255;
/** Longer endings are not kept as extensions. */
const mostExtensionBytes = 32;
/** For `.part` and the suffix of its note. */
const addedBytes = 23;

/** Windows takes these for devices, with any extension. */
const deviceName = /^(con|prn|aux|nul|clock\$|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*(\.|$)/i;
const unfinishedName = /\.part(\.json)?$/i;

/** The base name, never hidden and valid on every system. */
export function safeName(name: string): string {
  const parts = name
    .split(/[/\\]/)
    .map((part) => part.replace(/^[\s\p{Cf}]+/u, ''))
    .map((part) => plainText(part).replace(/[<>:"|?*]/g, '_'))
    .map(withoutEnd)
    .filter((part) => part !== '');
  const last = (parts.at(-1) ?? 'download').replace(/^\./, '_');
  return withoutEnd(cutName(`${deviceName.test(last) ? '_' : ''}${last}${unfinishedName.test(last) ? '_' : ''}`));
}

/** Windows drops dots and spaces at the end. */
function withoutEnd(name: string): string {
  return name.replace(/[. ]+$/, '');
}

/** Shortens the name, with `added` before its extension. */
function cutName(name: string, added = ''): string {
  if (Buffer.byteLength(name + added) <= mostBytes && added === '') return name;
  const found = extname(name);
  const extension = Buffer.byteLength(found) > mostExtensionBytes ? '' : found;
  const stem = name.slice(0, name.length - extension.length);
  return `${firstBytes(stem, mostBytes - Buffer.byteLength(added + extension))}${added}${extension}`;
}

/** As many whole characters as fit. */
function firstBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  let end = Math.min(bytes.length, most);
  while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

/** Makes names unique within a command: the second `report.txt` becomes `report (2).txt`. */
export function distinctNames(): (wanted: string) => string {
  const given = new Set<string>();
  // Some file systems ignore case (“ß” equals “SS”) and Unicode composition.
  const folded = (name: string) => name.normalize('NFC').toUpperCase().toLowerCase();
  const take = (name: string) => given.size !== given.add(folded(name)).size;
  return (wanted) => {
    let name = wanted;
    for (let number = 2; !take(name); number += 1)
      name = join(dirname(wanted), cutName(basename(wanted), ` (${number})`));
    return name;
  };
}

/** The part file, in the same folder, so that a rename completes it. */
export function partOf(path: string): string {
  const name = basename(path);
  if (Buffer.byteLength(name) + addedBytes <= mostBytes) return `${path}.part`;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return join(dirname(path), `${digest}.part`);
}
