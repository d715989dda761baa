// SQLite from Node as a reference: inserts the rows of one request in one transaction, which is durable before the same writer
// begins the next one. A separate process.
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { createSharedFlush, openWalFile } from '#server/db/engine/flush.ts';
import type { Bench } from '../bench.ts';
import type { RecordedRow, RecordedValue } from '../recorded-rows.ts';

/** `full`: SQLite flushes in each commit (its default). `shared`: waiting writers share one flush, as in our server. */
export type Flush = 'full' | 'shared';

interface Job {
  rows: RecordedRow[];
  flush: Flush;
  writers: number;
  durationMs: number;
}

export interface BareSqlite {
  /** Transactions a second. */
  insert(job: Job): Promise<number>;
}

/** `path`: a database with the tables, the indexes and the referenced rows. */
export function startBareSqlite(bench: Bench, path: string): BareSqlite {
  const child = fork(fileURLToPath(import.meta.url), [path], { stdio: 'inherit', serialization: 'advanced' });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  bench.atEnd(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  return { insert: (job) => ask(child, job) };
}

function ask(child: ChildProcess, job: Job): Promise<number> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('the process with SQLite has ended'));
    child.once('exit', onExit);
    child.once('message', (answer: number | string) => {
      child.off('exit', onExit);
      if (typeof answer === 'number') resolve(answer);
      else reject(new Error(`SQLite: ${answer}`));
    });
    child.send(job);
  });
}

if (import.meta.main) {
  const path = process.argv[2]!;
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true });
  database.exec('PRAGMA journal_mode=WAL; SELECT count(*) FROM sqlite_schema');
  const wal = await openWalFile(`${path}-wal`);
  const shared = createSharedFlush(wal.sync);
  process.on('message', (job: Job) => {
    database.exec(`PRAGMA synchronous=${job.flush === 'full' ? 'FULL' : 'NORMAL'}`);
    run(database, job, job.flush === 'full' ? async () => {} : shared.wait).then(
      (perSecond) => process.send?.(perSecond),
      (error: unknown) => process.send?.(String(error)),
    );
  });
  process.on('disconnect', () => process.exit(0));
}

async function run(database: DatabaseSync, job: Job, flushed: () => Promise<void>): Promise<number> {
  const transaction = prepare(database, job.rows);
  const startedAt = performance.now();
  const endsAt = startedAt + job.durationMs;
  let count = 0;
  const write = async () => {
    while (performance.now() < endsAt) {
      transaction();
      await flushed();
      count++;
    }
  };
  await Promise.all(Array.from({ length: job.writers }, write));
  return (count * 1000) / (performance.now() - startedAt);
}

function prepare(database: DatabaseSync, rows: RecordedRow[]): () => void {
  const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')];
  const inserts = rows.map(({ table, columns, values }): [StatementSync, RecordedValue[]] => {
    const names = columns.map((column) => `"${column}"`).join(', ');
    const marks = columns.map(() => '?').join(', ');
    return [database.prepare(`INSERT INTO "${table}" (${names}) VALUES (${marks})`), values];
  });
  return () => {
    const generated: SQLInputValue[] = [];
    const bound = (value: RecordedValue) => {
      if ('fixed' in value) return value.fixed;
      generated[value.fresh] ??= freshValue(value.length, value.isText);
      return generated[value.fresh]!;
    };
    begin.run();
    for (const [insert, values] of inserts) insert.run(...values.map(bound));
    commit.run();
  };
}

function freshValue(length: number, isText: boolean): SQLInputValue {
  const bytes = randomBytes(length);
  return isText ? bytes.toString('base64url').slice(0, length) : bytes;
}
