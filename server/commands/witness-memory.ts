// The folder of a witness: its key, its API key, the last signed checkpoint, and hashes that locate later changes.
// Files are replaced atomically.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { syncFolder, writeWhole } from '../lib/durable-files.ts';
import { type Signer, seedBytes, signatureTypes, signerFromSeed } from '../lib/tlog/notes.ts';

export interface WitnessMemory {
  origin: string;
  /** Trusted verifier keys, oldest first. */
  keys: string[];
  size: number;
  /** The last signed checkpoint, as served. */
  note: string;
  /** One hash per 256 entries, then one per remaining entry, in Base64. */
  blocks: string;
  tail: string;
  /** The latest time of an entry; absent in memories of earlier versions. */
  latestAt?: number;
}

export interface WitnessFolder {
  signer: Signer;
  apiKey: string;
  memory: WitnessMemory | null;
  save(memory: WitnessMemory): Promise<void>;
  /** Stores evidence of a contradiction. */
  keepProof(name: string, text: string): Promise<void>;
}

/** The sentence says what the operator must do first. */
export class WitnessProblem extends Error {}

export async function openWitnessFolder(folder: string): Promise<WitnessFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // An unreadable file MUST fail: treating it as a first visit would sign any log with a new key.
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
