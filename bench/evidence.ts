// Part `evidence`: what the log of evidence costs the API, in processor time, and sealing and verifying many events with
// memory that does not grow. Processor time, because it is the same on a busy machine.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Ctx } from '#server/actions/context.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { verifyLog } from '#server/actions/evidence/verify.ts';
import { prepare } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { openInside } from '#server/installation/open.ts';
import { sealEvents } from '#server/jobs/seal-events.ts';
import { silentLog } from '#server/lib/log.ts';
import type { Bench } from './bench.ts';
import { residentBytes } from './memory-use.ts';
import { limitRow, type Row } from './table.ts';
import { startWaybill, type Waybill, waybillEnvironment } from './waybill.ts';

const megabyte = 1_000_000;
const writers = 8;
/** Sealed before anything is measured, as a service has that runs for an hour: by then its code is compiled. */
const warmUpEvents = 20_000;

export async function measureEvidence(bench: Bench): Promise<Row[]> {
  return [...(await costRows(bench)), ...(await growthRows(bench))];
}

/**
 * A server that does not seal; then, after as many seconds of load as lie between two runs of the job, sealing of exactly
 * the events of that load. What it adds to the processor time of the requests is what a service that seals pays, whatever
 * else the machine does meanwhile. Both sides are warm when it begins.
 */
async function costRows(bench: Bench): Promise<Row[]> {
  const server = await startWaybill(bench, { name: 'evidence', workers: 1, environment: { WAYBILL_ROLE: 'web' } });
  const body = JSON.stringify({
    message: { recipients: ['ben@harbour.example'], subject: 'Drawings', message: 'Here.' },
  });
  const rows = await inside(server.dataDir, async (ctx) => {
    await send(bench, server, body);
    await appendMany(ctx, warmUpEvents);
    await sealAll(ctx);
    const sum = { requests: 0, requestMs: 0, events: 0, sealMs: 0 };
    for (let round = 0; round < bench.sizes.rounds; round++) {
      const before = cpuMsOf(server.pid);
      sum.requests += await send(bench, server, body);
      sum.requestMs += cpuMsOf(server.pid) - before;
      const { cpuMs, result } = await timed(() => sealAll(ctx));
      sum.sealMs += cpuMs;
      sum.events += result;
    }
    const perRequest = { served: sum.requestMs / sum.requests, sealed: sum.sealMs / sum.requests };
    bench.say(
      `POST /message: ${perRequest.served.toFixed(3)} ms of processor time each, and ${perRequest.sealed.toFixed(3)} ms for ` +
        `sealing its events, ${(sum.events / sum.requests).toFixed(1)} of them, ${Math.round(sum.events / bench.sizes.rounds)} at once`,
    );
    const share = perRequest.sealed / perRequest.served;
    return [limitRow('sealing, of the processor time of POST /message', '%', share * 100, { must: 3, aim: 3 })];
  });
  await server.stop();
  return rows;
}

async function send(bench: Bench, server: Waybill, body: string): Promise<number> {
  const head = `POST /message HTTP/1.1\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json`;
  const { countByStatus } = await bench.load.repeat(server.port, { head, body }, writers, sealEvents.everyMs);
  const refused = Object.keys(countByStatus).filter((status) => status !== '200');
  if (refused.length > 0) throw new Error(`POST /message was answered with ${JSON.stringify(countByStatus)}`);
  return countByStatus['200'] ?? 0;
}

/** A quarter, a half and all of the events, each sealed and looked at; then all of them verified. */
async function growthRows(bench: Bench): Promise<Row[]> {
  const total = bench.sizes.sealedEvents;
  const dataDir = join(bench.folder, 'sealed');
  const config = readConfig(waybillEnvironment(1, dataDir));
  await prepare(config, silentLog);
  return inside(dataDir, async (ctx) => {
    const resident: number[] = [];
    let sealMs = 0;
    for (const share of [0.25, 0.25, 0.5]) {
      await appendMany(ctx, total * share);
      sealMs += (await timed(() => sealAll(ctx))).cpuMs;
      resident.push(residentBytes(process.pid));
      bench.say(
        `${Math.round(resident.at(-1)! / megabyte)} MB resident, ${(sealMs / 1000).toFixed(1)} s of sealing so far`,
      );
    }
    const verified = await timed(() => verifyLog(ctx));
    if (verified.result.fault !== null) throw new Error(verified.result.fault);
    const many = total.toLocaleString('en');
    bench.say(`verifying ${many}: ${(verified.cpuMs / 1000).toFixed(1)} s of processor time`);
    const grown = residentBytes(process.pid) - resident[0]!;
    return [
      limitRow(`sealing ${many} events, each`, 'µs', (sealMs * 1000) / total, { must: null, aim: 100 }),
      limitRow(`verifying ${many} events, each`, 'µs', (verified.cpuMs * 1000) / total, { must: null, aim: 100 }),
      limitRow(`memory from a quarter of them on`, 'MB', grown, { must: 50 * megabyte, aim: 20 * megabyte }),
    ];
  });
}

async function appendMany(ctx: Ctx, count: number): Promise<void> {
  await ctx.db.write((tx) =>
    sql`insert into events (at, action, actor_kind, actor_id, object_kind, object_id, owner_id, facts, remote_ip, request_id, salt)
      with recursive line (n) as (select 1 union all select n + 1 from line where n < ${count})
      select 1700000000000 + n, 'message.recipient_added', 'user', 'person' || (n % 5000), 'message', 'm' || n,
        'person' || (n % 5000), '{"recipient":"person' || n || '@example.com","role":"to","mailed":true}',
        '198.51.100.' || (n % 250), 'r' || n, randomblob(24) from line`.execute(tx),
  );
  await ctx.db.scrub?.();
}

async function inside<Result>(dataDir: string, work: (ctx: Ctx) => Promise<Result>): Promise<Result> {
  const { ctx, close } = await openInside(readConfig(waybillEnvironment(1, dataDir)), silentLog);
  try {
    return await work(ctx);
  } finally {
    await close();
  }
}

async function timed<Result>(work: () => Promise<Result>): Promise<{ cpuMs: number; result: Result }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000, result };
}

/** Of the process and everything it started, threads too; Linux counts in hundredths of a second. */
function cpuMsOf(pid: number): number {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  const fields = statOf(String(pid));
  const own = fields === null ? 0 : (Number(fields[11]) + Number(fields[12])) * 10;
  return children.reduce((sum, child) => sum + cpuMsOf(Number(child)), own);
}

function parentOf(pid: string): number {
  return Number(statOf(pid)?.[1] ?? 0);
}

/** The fields after the name, which may have anything in it; null when the process has ended. */
function statOf(pid: string): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
