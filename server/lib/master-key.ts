// The master key: 32 bytes in a file of its own. Made once, over an empty installation; never made silently beside
// existing data; refused when others can read it (security D7).
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseBase64 } from './json/json.ts';

/** A sentence for the operator; the start stops. */
export class MasterKeyProblem extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'MasterKeyProblem';
  }
}

export interface MasterKey {
  key: Buffer;
  wasCreated: boolean;
}

/** Reads the key, or makes it when `mayCreate` says that there is nothing yet it could belong to. */
export async function loadMasterKey(
  path: string,
  mayCreate: boolean,
  random: { bytes(length: number): Buffer },
): Promise<MasterKey> {
  const existing = await readKeyFile(path);
  if (existing !== null) return { key: existing, wasCreated: false };
  if (!mayCreate) {
    throw new MasterKeyProblem(
      `The master key is missing: ${path}. Put it back from where you keep its copy; without it the stored files can't be read.`,
    );
  }
  const key = random.bytes(32);
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'wx', 0o600);
  try {
    await file.write(`${key.toString('base64')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
  return { key, wasCreated: true };
}

async function readKeyFile(path: string): Promise<Buffer | null> {
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
  const key = parseBase64(text.trim());
  if (key?.length !== 32) throw new MasterKeyProblem(`The master key ${path} is not 32 bytes in Base64.`);
  return key;
}
