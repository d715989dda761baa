import { cleanFileName } from './file-name.ts';

const maxNameBytes = 255;

/** Removes folders and numbers duplicates, ignoring case: the second `a.txt` becomes `a (2).txt`. */
export function uniqueNames(names: string[]): string[] {
  const cleaned = names.map(cleanFileName);
  const taken = new Set<string>();
  const wanted = new Set(cleaned.map(fold));
  const lastNumber = new Map<string, number>();
  return cleaned.map((name) => {
    const key = fold(name);
    let unique = name;
    let number = lastNumber.get(key) ?? 1;
    while (taken.has(fold(unique)) || (number > 1 && wanted.has(fold(unique)))) {
      number += 1;
      unique = numbered(name, number);
    }
    lastNumber.set(key, number);
    taken.add(fold(unique));
    return unique;
  });
}

function fold(name: string): string {
  return name.toUpperCase().toLowerCase().normalize('NFC');
}

function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= 64 ? name.slice(dot) : '';
  const tail = ` (${number})${extension}`;
  const stem = [...name.slice(0, name.length - extension.length)];
  while (stem.length > 1 && Buffer.byteLength(stem.join('') + tail) > maxNameBytes) stem.pop();
  return stem.join('') + tail;
}
