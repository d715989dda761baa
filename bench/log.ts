// Part `log`: `GET /downloads` over a million lines, their statistics, and a restart. The lines are inserted while the server is
// stopped.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { connect } from '#server/db/engine/connect.ts';
import type { LockedDb, Tables } from '#server/db/schema/schema.ts';
import type { Bench } from './bench.ts';
import { forgetPeak, isMemoryKnown, peakBytes, residentBytes } from './memory-use.ts';
import { limitRow, median, type Row } from './table.ts';
import { startWaybill, type Waybill } from './waybill.ts';

const megabyte = 1_000_000;
const fileCount = 100;
const batchRows = 50_000;
const timeoutMs = 5 * 60_000;
const dayMs = 86_400_000;
/** Within the longest period of one request for statistics. */
const logDays = 360;
const statisticsPaths = {
  'statistics of own files': '/app-api/log/figures?days=366',
  'statistics of all files': '/admin/downloads/figures?days=366',
};

export async function measureLog(bench: Bench): Promise<Row[]> {
  const rowCount = bench.sizes.logRows;
  const label = `GET /downloads, ${rowCount.toLocaleString('en')} lines`;
  const first = await startWaybill(bench, { name: 'log', workers: 1 });
  await uploadLogged(first);
  await first.stop();
  bench.say(`writing ${rowCount.toLocaleString('en')} lines of the download log`);
  await writeLog(first.dataDir, rowCount);

  const startedAt = performance.now();
  const server = await startWaybill(bench, { name: 'log', workers: 1, dataDir: first.dataDir });
  const restartMs = performance.now() - startedAt;
  // One request before memory is measured loads everything lazy.
  await (await server.call('GET', '/downloads?after=2099-01-01')).text();
  bench.say(label);
  const idleBytes = isMemoryKnown ? residentBytes(server.pid) : 0;
  if (isMemoryKnown) forgetPeak(server.pid);
  const { answers } = await bench.load.once(server.port, [downloadsRequest(server)], timeoutMs);
  const rows = [limitRow(`${label}, first byte`, 's', answers[0]!.firstByteMs, { must: 1000, aim: 1000 })];
  if (isMemoryKnown) {
    const grownBytes = peakBytes(server.pid) - idleBytes;
    rows.push(
      limitRow(`${label}, memory`, 'MB', grownBytes, { must: 100 * megabyte, aim: 30 * megabyte, over: 'idle' }),
    );
  }
  bench.say('summing up its days');
  await sumDays(server);
  rows.push(...(await statisticsRows(bench, server, rowCount)));
  rows.push(limitRow('restart over that log', 's', restartMs, { must: 3000, aim: 1000 }));
  await server.stop();
  return rows;
}

/** As a job does every ten minutes (docs/adr/0101). */
async function sumDays(server: Waybill): Promise<void> {
  const path = '/admin/system/jobs';
  const startedAt = performance.now();
  await server.call('POST', `${path}/sum-downloads/run`, { json: { run: {} } });
  for (;;) {
    const { jobs } = (await (await server.call('GET', path)).json()) as { jobs: { name: string; note: string }[] };
    const note = jobs.find(({ name }) => name === 'sum-downloads')?.note ?? '';
    if (/^[1-9]\d* days/.test(note)) return;
    if (performance.now() - startedAt > timeoutMs) throw new Error(`the days of the log were not summed: ${note}`);
    await pause(100);
  }
}

async function statisticsRows(bench: Bench, server: Waybill, rowCount: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, path] of Object.entries(statisticsPaths)) {
    const label = `${name}, ${rowCount.toLocaleString('en')} lines`;
    bench.say(label);
    const times: number[] = [];
    for (let round = 0; round < bench.sizes.rounds; round++) times.push(await statisticsMs(server, path, rowCount));
    rows.push(limitRow(label, 's', median(times), { must: 300, aim: 50 }));
  }
  return rows;
}

/** Fails unless every line was counted. */
async function statisticsMs(server: Waybill, path: string, rowCount: number): Promise<number> {
  const startedAt = performance.now();
  const text = await (await server.call('GET', path)).text();
  const elapsedMs = performance.now() - startedAt;
  const { figures } = JSON.parse(text) as { figures: { downloads: number } };
  if (figures.downloads !== rowCount) throw new Error(`${path} counted ${figures.downloads} lines of ${rowCount}`);
  return elapsedMs;
}

function downloadsRequest(server: Waybill) {
  return { head: `GET /downloads HTTP/1.1\r\nAuthorization: Bearer ${server.key}\r\nAccept: application/json` };
}

/** The files whose downloads `writeLog` inserts. */
async function uploadLogged(server: Waybill): Promise<void> {
  for (let index = 0; index < fileCount; index++) {
    const path = `/link/attachments/upload?filename=${encodeURIComponent(`report ${index}.pdf`)}`;
    await server.call('POST', path, { bytes: `report ${index}.pdf` });
  }
}

/** Replaces the log. The database generates the rows, which is faster than inserting a million objects. */
async function writeLog(dataDir: string, rowCount: number): Promise<void> {
  const db: LockedDb = await connect<Tables>(`sqlite:${join(dataDir, 'waybill.db')}`);
  try {
    await db.write((tx) => sql`delete from downloads`.execute(tx));
    await db.write((tx) => sql`delete from download_days`.execute(tx));
    await db.write((tx) => sql`delete from jobs where name = 'sum-downloads'`.execute(tx));
    for (let at = 0; at < rowCount; at += batchRows) {
      const count = Math.min(batchRows, rowCount - at);
      await db.write((tx) => insertLines(at, count, rowCount).execute(tx));
    }
    await db.write((tx) => sql`update users set download_number = ${rowCount}`.execute(tx));
  } finally {
    await db.close();
  }
}

function insertLines(after: number, count: number, rowCount: number) {
  // Evenly over the days up to yesterday, oldest first.
  const firstAt = (Math.floor(Date.now() / dayMs) - logDays) * dayMs;
  const grantedAt = sql.raw(`${firstAt} + n * ${Math.floor((logDays * dayMs) / rowCount)} - 1000`);
  return sql`
    with recursive line (n) as (select ${after + 1} union all select n + 1 from line where n < ${after + count}),
      files as (select id, owner_id, size_bytes, row_number() over (order by id) - 1 as place from attachments)
    insert into downloads (owner_id, number, attachment_id, message_id, link_id, kind, recipient, outcome, granted_at,
      finished_at, sent_bytes, duration_ms, remote_ip, remote_host, user_agent, browser, os, platform, location,
      longitude, latitude, country_code, country_name, city, region_code, region_name)
    select files.owner_id, n, files.id, null, null, 'visitor', 'person' || (n % 5000) || '@example.com', 'complete',
      ${grantedAt}, ${grantedAt} + 250, files.size_bytes, 250,
      '198.51.100.' || (n % 250), 'host-' || (n % 250) || '.example.net',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'Chrome 140', 'Linux', 'desktop', 'Stockholm, Sweden', 18.06, 59.33, 'SE', 'Sweden', 'Stockholm', 'AB',
      'Stockholm County'
    from line join files on files.place = n % ${fileCount}`;
}
