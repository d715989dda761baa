// Searches the files of a folder for parts of secrets: any 16 consecutive bytes, at any offset.
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const windowBytes = 16;

export interface Secret {
  name: string;
  bytes: Buffer;
}

/** Descriptions of the findings. Skips files below `except`. */
export async function findTraces(folder: string, secrets: Secret[], except: string[] = []): Promise<string[]> {
  const maybe = new Uint8Array(1 << filterBits);
  const heads = new Map<bigint, { secret: Secret; at: number }[]>();
  for (const secret of secrets) {
    if (secret.bytes.length < windowBytes) throw new Error(`${secret.name} is too short to be looked for`);
    for (let at = 0; at + windowBytes <= secret.bytes.length; at++) {
      maybe[filterOf(secret.bytes, at)] = 1;
      const head = secret.bytes.readBigUInt64LE(at);
      const places = heads.get(head);
      if (places === undefined) heads.set(head, [{ secret, at }]);
      // Repetitive content is found by its first positions too.
      else if (places.length < 4) places.push({ secret, at });
    }
  }
  const found = new Set<string>();
  for (const path of await filesBelow(folder)) {
    const name = relative(folder, path);
    if (except.some((prefix) => name === prefix || name.startsWith(`${prefix}/`))) continue;
    const content = await readFile(path);
    for (let at = 0; at + windowBytes <= content.length; at++) {
      if (maybe[filterOf(content, at)] === 0) continue;
      for (const place of heads.get(content.readBigUInt64LE(at)) ?? []) {
        const window = place.secret.bytes.subarray(place.at, place.at + windowBytes);
        if (content.subarray(at, at + windowBytes).equals(window)) found.add(`${place.secret.name} in ${name}`);
      }
    }
  }
  return [...found];
}

/** The first four bytes rule out nearly every offset. */
const filterBits = 22;
function filterOf(bytes: Buffer, at: number): number {
  return Math.imul(bytes.readUInt32LE(at), 0x9e3779b1) >>> (32 - filterBits);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
