// Copies the database into an empty one of either kind, compares both, and makes the new one the original. Servers must
// be stopped, because their writes would be lost.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createSchema, fillDatabase, findNonEmpty, migrationsName, NewerSchema } from '../db/across/whole-database.ts';
import { type Snapshot, withSnapshot } from '../db/engine/snapshot.ts';
import { openDatabase } from '../db/open.ts';
import { createCounting, encodeLine, type Tally } from '../db/portable.ts';
import type { LockedDb } from '../db/schema/schema.ts';
import { deleteMeta, findMeta } from '../db/system/installation.ts';
import { counted } from '../lib/counted.ts';
import { OperatorProblem } from '../lib/operator-problem.ts';
import { uptimeKey } from './clock.ts';
import { beginQuarantine, placeKey } from './quarantine.ts';

export interface MovedDatabase {
  tables: number;
  rows: number;
}

/** Longer than a server's interval between uptime writes. */
const watchMs = 5000;

export async function moveDatabase(
  fromUrl: string,
  toUrl: string,
  watch: () => Promise<unknown> = () => pause(watchMs),
): Promise<MovedDatabase> {
  if (toUrl.startsWith('sqlite:'))
    await mkdir(dirname(toUrl.slice('sqlite:'.length)), { recursive: true, mode: 0o700 });
  const from = await openDatabase(fromUrl);
  try {
    const uptime = await assertNoServer(from, watch);
    await assertEmpty(toUrl);
    const to = await openDatabase(toUrl, { silenceMs: 0 });
    try {
      const moved = await copyAndCompare(fromUrl, toUrl, to);
      if ((await findMeta(from.read, uptimeKey)) !== uptime) throw stillRuns();
      // The old one first: two active databases must never exist.
      await from.write((tx) => beginQuarantine(tx, 'moved'));
      await to.write((tx) => deleteMeta(tx, placeKey));
      return moved;
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function assertNoServer(db: LockedDb, watch: () => Promise<unknown>): Promise<string | null> {
  const before = await findMeta(db.read, uptimeKey);
  await watch();
  const now = await findMeta(db.read, uptimeKey);
  if (now !== before) throw stillRuns();
  return now;
}

function stillRuns(): OperatorProblem {
  return new OperatorProblem('A server is running over this database. Stop every server, then run this again.');
}

async function assertEmpty(url: string): Promise<void> {
  const table = await findNonEmpty(url);
  if (table !== null)
    throw new OperatorProblem(`The target is in use: it has rows in ${table}. Move into an empty database.`);
}

async function copyAndCompare(fromUrl: string, toUrl: string, to: LockedDb): Promise<MovedDatabase> {
  const copied = await withSnapshot(fromUrl, async (snapshot) => {
    await createSchema(to, await migrationsOf(snapshot)).catch((error: unknown) => {
      throw error instanceof NewerSchema ? new OperatorProblem(error.message) : error;
    });
    const tables = snapshot.tables.filter(({ name }) => name !== migrationsName);
    const contents = tables.map((table) => ({ ...table, rows: () => oneByOne(snapshot.rows(table)) }));
    await fillDatabase(to, contents, async () => {});
    return tally(snapshot);
  });
  const arrived = await withSnapshot(toUrl, tally);
  for (const [name, { rows, sum }] of copied) {
    const there = arrived.get(name);
    if (there?.rows !== rows || there.sum !== sum)
      throw new OperatorProblem(
        `The copy is not the same: the table ${name} has ${counted(rows, 'row')} here and ${there?.rows ?? 0} there, or their sums ` +
          'differ. Nothing was switched over. Look for triggers in the target, or use a new empty database.',
      );
  }
  return { tables: copied.size, rows: [...copied.values()].reduce((total, { rows }) => total + rows, 0) };
}

async function migrationsOf(snapshot: Snapshot): Promise<string[]> {
  const names: string[] = [];
  for await (const batch of snapshot.rows({ name: migrationsName, columns: ['name'] }))
    names.push(...batch.map(([name]) => String(name)));
  return names;
}

async function tally(snapshot: Snapshot): Promise<Map<string, Tally>> {
  const found = new Map<string, Tally>();
  for (const table of snapshot.tables) {
    if (table.name === migrationsName) continue;
    const counting = createCounting();
    for await (const row of oneByOne(snapshot.rows(table))) counting.add(encodeLine(row));
    found.set(table.name, counting.result());
  }
  return found;
}

async function* oneByOne<Row>(batches: AsyncIterable<Row[]>): AsyncGenerator<Row> {
  for await (const batch of batches) yield* batch;
}
