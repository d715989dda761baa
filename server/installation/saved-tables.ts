// Tables of a backup as encrypted blobs of lines, with checksums.

import { Readable } from 'node:stream';
import type { SqlValue } from '../db/engine/values.ts';
import { createCounting, decodeLine, encodeLine } from '../db/portable.ts';
import type { Random, Vault } from '../domain/ports.ts';
import { OperatorProblem } from '../lib/operator-problem.ts';
import type { SavedTable } from './backup-manifest.ts';

export interface TableVault {
  vault: Vault;
  dataKey: Buffer;
  /** Binds a table to its snapshot. */
  snapshotId: string;
}

export async function saveTable(
  { vault, dataKey, snapshotId }: TableVault,
  { name, columns, batches }: { name: string; columns: string[]; batches: AsyncIterable<SqlValue[][]> },
  random: Random,
): Promise<SavedTable> {
  const counting = createCounting();
  async function* body(): AsyncGenerator<Buffer> {
    for await (const batch of batches) {
      const lines = batch.map(encodeLine);
      for (const line of lines) counting.add(line);
      if (lines.length > 0) yield Buffer.from(`${lines.join('\n')}\n`);
    }
  }
  const blob = random.id();
  const place = { key: blob, dataKey, context: `${snapshotId}/${name}` };
  const { sizeBytes, sha256 } = await vault.receive(place, Readable.from(body()));
  return { name, columns, blob, sizeBytes, sha256, ...counting.result() };
}

/** Throws at the end when the rows differ from the saved ones. */
export async function* readTable(
  { vault, dataKey, snapshotId }: TableVault,
  table: SavedTable,
): AsyncGenerator<SqlValue[]> {
  const counting = createCounting();
  const place = { key: table.blob, dataKey, context: `${snapshotId}/${table.name}` };
  for await (const line of linesOf(vault.read(place, { start: 0, end: table.sizeBytes }))) {
    counting.add(line);
    yield decodeLine(line);
  }
  const { rows, sum } = counting.result();
  if (rows !== table.rows || sum !== table.sum)
    throw new OperatorProblem(`The table ${table.name} of the backup ${snapshotId} is not what was saved.`);
}

async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    let bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      yield bytes.toString('utf8', 0, end);
      bytes = bytes.subarray(end + 1);
    }
    rest = Buffer.from(bytes);
  }
}
