// The manifest of a backup. Tables, their checksums and their key are encrypted with the master key; only
// identification is readable.
import { OperatorProblem } from '../lib/operator-problem.ts';
import { type MasterSeal, proofOf } from './keys.ts';

export interface SavedTable {
  name: string;
  columns: string[];
  blob: string;
  sizeBytes: number;
  sha256: string;
  rows: number;
  sum: string;
}

export interface Contents {
  /** Opens the tables; Base64. */
  dataKey: string;
  migrations: string[];
  tables: SavedTable[];
  /** Null for a backup of the database only. */
  files: { count: number; bytes: number; missing: number } | null;
}

export interface Manifest {
  id: string;
  installation: string;
  madeAt: number;
  version: string;
  /** Never removed by later backups. */
  isKept?: boolean;
  contents: Contents;
}

interface Written {
  format: 'waybill backup 1';
  id: string;
  installation: string;
  madeAt: number;
  version: string;
  /** Lets old snapshots be removed without their keys; older snapshots without this field have files. */
  hasFiles?: boolean;
  isKept?: boolean;
  /** Identifies the master key without revealing it. */
  keyProof: string;
  sealed: string;
}

export function writeManifest(manifest: Manifest, master: MasterSeal): string {
  const { contents, ...facts } = manifest;
  const sealed = master.seal('backup', Buffer.from(JSON.stringify(contents)), placeOf(facts));
  const written: Written = {
    format: 'waybill backup 1',
    ...facts,
    hasFiles: contents.files !== null,
    keyProof: proofOf(master),
    sealed: sealed.toString('base64'),
  };
  return `${JSON.stringify(written)}\n`;
}

export function readManifest(text: string, masters: readonly MasterSeal[]): Manifest {
  const written = parse(text);
  const { id, installation, madeAt, version } = written;
  const master = masters.find((candidate) => proofOf(candidate) === written.keyProof);
  if (master === undefined)
    throw new OperatorProblem(
      `The backup ${id} was made with another master key. Put the key of that time in place (WAYBILL_MASTER_KEY_FILE), then try again.`,
    );
  try {
    const facts = { id, installation, madeAt, version };
    const opened = master.open('backup', Buffer.from(written.sealed, 'base64'), placeOf(facts));
    return { ...facts, contents: JSON.parse(opened.toString()) as Contents };
  } catch {
    throw new OperatorProblem(`The manifest of the backup ${id} was changed or is damaged. Use another snapshot.`);
  }
}

/** Reads what needs no key. */
export function identify(text: string): Pick<Manifest, 'id' | 'madeAt'> & { hasFiles: boolean; isKept: boolean } {
  const { id, madeAt, hasFiles = true, isKept = false } = parse(text);
  return { id, madeAt, hasFiles, isKept };
}

function parse(text: string): Written {
  try {
    const written = JSON.parse(text) as Written;
    if (written.format === 'waybill backup 1') return written;
  } catch {
    // Thrown below.
  }
  throw new OperatorProblem('This is not a manifest of a backup that this version can read.');
}

function placeOf({ id, installation, madeAt, version }: Omit<Manifest, 'contents'>): string {
  return [installation, id, madeAt, version].join('\0');
}
