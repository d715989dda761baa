// Part `inserts`: creating links and messages, compared with inserts of the same rows into a copy of the same database. Both
// sides have the same number of writers, which wait until their rows are durable.
import { join } from 'node:path';
import { alternate, type Bench } from './bench.ts';
import { files, perSecond, uploadSmall, writers } from './messages.ts';
import { copyDatabase, type RecordedRow, recordRows } from './recorded-rows.ts';
import { type BareSqlite, type Flush, startBareSqlite } from './references/sqlite.ts';
import { type Row, ratioRow } from './table.ts';
import { startWaybill, type Waybill } from './waybill.ts';

const target = { must: 0.3, aim: 0.5 };
/** Before recording, so that rows which only the first request writes exist. */
const rehearsals = 3;
const flushNames: Record<Flush, string> = {
  full: 'INSERT, a flush each',
  shared: 'INSERT, shared flush',
};

interface Work {
  label: string;
  path: string;
  body: unknown;
}

export async function measureInserts(bench: Bench): Promise<Row[]> {
  // Jobs write rows too.
  const first = await startWaybill(bench, { name: 'inserts', workers: 1, environment: { WAYBILL_ROLE: 'web' } });
  const ids = await Promise.all(Array.from({ length: files }, (_, index) => uploadSmall(first, `file-${index}.txt`)));
  const message = { recipients: ['ben@harbour.example'], subject: 'Drawings', message: 'Here.', attachments: ids };
  const works: Work[] = [
    { label: 'POST /link', path: '/link', body: { link: { attachment: ids[0] } } },
    { label: `POST /message with ${files} files`, path: '/message', body: { message } },
  ];
  const recorded: { work: Work; rows: RecordedRow[] }[] = [];
  for (const work of works) recorded.push({ work, rows: await record(bench, first, work) });
  await first.stop();

  const copyPath = join(bench.folder, 'bare.db');
  await copyDatabase(databasePath(first), copyPath);
  const sqlite = startBareSqlite(bench, copyPath);
  const server = await startWaybill(bench, { name: 'inserts', workers: 1, dataDir: first.dataDir });
  const rows: Row[] = [];
  for (const one of recorded) rows.push(...(await compare(bench, { server, sqlite }, one)));
  return rows;
}

async function record(bench: Bench, server: Waybill, { path, body }: Work): Promise<RecordedRow[]> {
  const request = () => server.call('POST', path, { json: body });
  for (let time = 0; time < rehearsals; time++) await request();
  return recordRows(databasePath(server), join(bench.folder, `before${path.replaceAll('/', '-')}.db`), request);
}

function databasePath(server: Waybill): string {
  return join(server.dataDir, 'waybill.db');
}

async function compare(
  bench: Bench,
  { server, sqlite }: { server: Waybill; sqlite: BareSqlite },
  { work, rows }: { work: Work; rows: RecordedRow[] },
): Promise<Row[]> {
  const insert = (flush: Flush) => () => sqlite.insert({ rows, flush, writers, durationMs: bench.sizes.requestsMs });
  const turns = [
    () => perSecond(bench, server, work.path, JSON.stringify(work.body)),
    insert('shared'),
    insert('full'),
  ];
  for (const turn of turns) await turn();
  bench.say(`${work.label}: ${rows.length} rows each (${rows.map((row) => row.table).join(', ')})`);
  const [ours, shared, full] = await alternate(bench.sizes.rounds, turns);
  const row = (flush: Flush, values: number[]) =>
    ratioRow(
      { work: `${work.label}, ${writers} connections`, unit: '/s' },
      ours!,
      { name: flushNames[flush], values },
      target,
    );
  return [row('shared', shared!), row('full', full!)];
}
