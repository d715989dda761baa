// The master key: 32 bytes in a file. Created only for an empty installation, refused if others can read it.
import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, writeWhole } from './durable-files.ts';
import { createFolder } from './folders.ts';
import { parseBase64 } from './json/json.ts';
import { OperatorProblem } from './operator-problem.ts';

export class MasterKeyProblem extends OperatorProblem {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'MasterKeyProblem';
  }
}

export interface MasterKey {
  key: Buffer;
  next: Buffer | null;
  wasCreated: boolean;
}

/** Creates a key only if `mayCreate` confirms that there is no data yet. */
export async function loadMasterKey(
  path: string,
  mayCreate: boolean,
  random: { bytes(length: number): Buffer },
): Promise<MasterKey> {
  const existing = await readKeyFile(path);
  if (existing !== null) return { ...existing, wasCreated: false };
  if (!mayCreate) {
    throw new MasterKeyProblem(
      `The master key is missing: ${path}. Put it back from where you keep its copy; without it the stored files can't be read.`,
    );
  }
  const key = random.bytes(32);
  if (await createKeyFile(path, key)) return { key, next: null, wasCreated: true };
  // Another process was first.
  return loadMasterKey(path, false, random);
}

/** Atomic. False if the file exists. */
async function createKeyFile(path: string, key: Buffer): Promise<boolean> {
  const folderPath = dirname(path);
  await createFolder(folderPath);
  const draftPath = `${path}.${process.pid}.${randomUUID()}`;
  const draft = await open(draftPath, 'wx', 0o600);
  try {
    await draft.write(`${key.toString('base64')}\n`);
    await draft.sync();
    await link(draftPath, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await draft.close();
    await rm(draftPath, { force: true });
  }
  await syncFolder(folderPath);
  return true;
}

export function removeMasterKey(path: string): Promise<void> {
  return rm(path, { force: true });
}

async function readKeyFile(path: string): Promise<Pick<MasterKey, 'key' | 'next'> | null> {
  let text: string;
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0)
      throw new MasterKeyProblem(`The master key ${path} can be read by others. Run: chmod 600 ${path}`);
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const [key, next, ...more] = text
    .trim()
    .split(/\s+/)
    .map((line) => parseBase64(line));
  const isWrong = (bytes: Buffer | null | undefined) => bytes !== undefined && bytes?.length !== 32;
  // Two different keys only during a rotation.
  const isTwice = key != null && next?.equals(key) === true;
  if (key === undefined || isWrong(key) || isWrong(next) || isTwice || more.length > 0)
    throw new MasterKeyProblem(`The master key ${path} is not 32 bytes in Base64.`);
  return { key: key!, next: next ?? null };
}

/** Replaces the file atomically and durably. */
export async function replaceMasterKeys(path: string, keys: readonly Buffer[]): Promise<void> {
  await writeWhole(path, keys.map((key) => `${key.toString('base64')}\n`).join(''));
  await syncFolder(dirname(path));
}

/** Existing ones are kept under other names, because older backups need them. */
export async function keepFormerKey(path: string, key: Buffer): Promise<void> {
  const there = await readFile(path, 'utf8').catch(ignoreMissing);
  if (there !== undefined) {
    if (parseBase64(there.trim())?.equals(key) === true) return;
    let number = 1;
    while (await isThere(`${path}.${number}`)) number += 1;
    await rename(path, `${path}.${number}`);
  }
  await replaceMasterKeys(path, [key]);
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(ignoreMissing)) !== undefined;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
