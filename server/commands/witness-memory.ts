// What a witness remembers between its visits, in a folder of its own: its key, the API key it reads with, the last
// checkpoint it has signed, and hashes that tell later what of the log was changed. Every file is replaced as a whole.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { syncFolder, writeWhole } from '../lib/durable-files.ts';
import { type Signer, seedBytes, signatureTypes, signerFromSeed } from '../lib/tlog/notes.ts';

export interface WitnessMemory {
  origin: string;
  /** Verifier keys of the log that are trusted, oldest first. */
  keys: string[];
  size: number;
  /** The last checkpoint that was signed, as it was served. */
  note: string;
  /** One hash for each 256 entries, and one for each entry after them, in Base64. */
  blocks: string;
  tail: string;
}

export interface WitnessFolder {
  signer: Signer;
  apiKey: string;
  memory: WitnessMemory | null;
  save(memory: WitnessMemory): Promise<void>;
  /** Keeps what contradicts the memory, as proof. */
  keepProof(name: string, text: string): Promise<void>;
}

/** Something an operator must do first; the sentence says what. */
export class WitnessProblem extends Error {}

export async function openWitnessFolder(folder: string): Promise<WitnessFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // One that is there and cannot be read is no first visit: that would sign any log, with a new key.
  const read = (name: string) =>
    readFile(join(folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw new WitnessProblem(`${join(folder, name)} can’t be read (${error.code}); correct that and start again`);
    });
  const keyText = (await read('witness.key')) ?? (await createKeyFile(join(folder, 'witness.key')));
  const [name, seed] = keyText.trim().split(' ');
  const apiKey = (await read('api-key'))?.trim() ?? '';
  if (apiKey === '')
    throw new WitnessProblem(
      `put the API key of an auditor into ${join(folder, 'api-key')} and start the witness again`,
    );
  const memory = await read('memory.json');
  return {
    signer: signerFromSeed(name!, signatureTypes.witness, Buffer.from(seed!, 'base64')),
    apiKey,
    memory: memory === null ? null : (JSON.parse(memory) as WitnessMemory),
    save: (fresh) => save(join(folder, 'memory.json'), JSON.stringify(fresh)),
    keepProof: (file, text) => save(join(folder, file), text),
  };
}

async function createKeyFile(path: string): Promise<string> {
  const name = `${hostname().replaceAll(/[\s+]/gu, '-') || 'witness'}/waybill-witness`;
  const text = `${name} ${randomBytes(seedBytes).toString('base64')}\n`;
  await save(path, text);
  return text;
}

async function save(path: string, text: string): Promise<void> {
  await writeWhole(path, text);
  await syncFolder(dirname(path));
}
