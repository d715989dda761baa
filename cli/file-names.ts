// Under which name something is kept on this machine: inside the folder, never longer than file systems take, and never that
// of another file of the same command.
import { createHash } from 'node:crypto';
import { basename, dirname, extname, join } from 'node:path';
import { plainText } from './plain-text.ts';

/** Of one name, on every usual file system. */
const mostBytes = 255;
/** More than that after a dot is no extension that anybody would miss. */
const mostExtensionBytes = 32;
/** `.part`, and what is written beside that. */
const addedBytes = 23;

/** Never outside the folder: no parents, no roots, no names that a system treats as its own. */
export function safeName(name: string): string {
  const parts = name
    .split(/[/\\]/)
    .map((part) =>
      cutName(
        plainText(part)
          .replace(/[<>:"|?*]/g, '_')
          .replace(/[. ]+$/, ''),
      ),
    )
    .filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.length === 0 ? 'download' : join(...parts);
}

/** With `added` before its extension, which it keeps. */
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

/** Gives each file of a command a name of its own: the second `report.txt` becomes `report (2).txt`. */
export function distinctNames(): (wanted: string) => string {
  const given = new Set<string>();
  // Some file systems tell neither capitals nor ways of writing an accent apart.
  const take = (name: string) => given.size !== given.add(name.normalize('NFC').toLowerCase()).size;
  return (wanted) => {
    let name = wanted;
    for (let number = 2; !take(name); number += 1)
      name = join(dirname(wanted), cutName(basename(wanted), ` (${number})`));
    return name;
  };
}

/** Where a file is kept until it is whole: beside its place, so that it only has to be renamed. */
export function partOf(path: string): string {
  const name = basename(path);
  if (Buffer.byteLength(name) + addedBytes <= mostBytes) return `${path}.part`;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return join(dirname(path), `${digest}.part`);
}
