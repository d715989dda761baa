// `npm run bench`: our server beside reference servers, in one run on this machine, as one table of ratios. Uses
// loopback only; whatever happens to it, no process and no folder stays behind.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { measureAccount } from './account.ts';
import { measureAdmin } from './admin.ts';
import { type Bench, fullSizes, type Part, quickSizes } from './bench.ts';
import { measureCapacity } from './capacity.ts';
import { measureClient } from './client.ts';
import { measureDownloads } from './download.ts';
import { measureEvidence } from './evidence.ts';
import { measureGrowth } from './growth.ts';
import { measureInserts } from './inserts.ts';
import { measureLatency } from './latency.ts';
import { startLoad } from './load-client.ts';
import { measureLog } from './log.ts';
import { measureLogins } from './logins.ts';
import { measureMemory } from './memory.ts';
import { measureMessages } from './messages.ts';
import { measurePeers } from './peers.ts';
import { printSeries, type Series } from './series.ts';
import { measureStart } from './start.ts';
import { missingRow, printTable, type Row, verdictOf } from './table.ts';
import { measureTls } from './tls.ts';
import { measureUploads } from './upload.ts';
import { measureWeight } from './weight.ts';
import { measureWorkers } from './workers.ts';

const parts: Record<string, Part> = {
  upload: measureUploads,
  download: measureDownloads,
  account: measureAccount,
  workers: measureWorkers,
  capacity: measureCapacity,
  messages: measureMessages,
  inserts: measureInserts,
  logins: measureLogins,
  latency: measureLatency,
  memory: measureMemory,
  weight: measureWeight,
  log: measureLog,
  evidence: measureEvidence,
  admin: measureAdmin,
  client: measureClient,
  peers: measurePeers,
  tls: measureTls,
  start: measureStart,
  growth: measureGrowth,
};
const partTimeoutMs = 20 * 60_000;
const interruptedMs = 5000;

const usage = `npm run bench -- [options] [${Object.keys(parts).join(' ')}]

  --quick           small files, fewer rounds: a first look, not a figure to quote
  --json FILE       also write the rows to a file
  --folder FOLDER   measure on the file system of this folder (default: the one for temporary files)
  --profile FOLDER  leave processor profiles of our server there (slows it down a little)
  --psitransfer FOLDER
                    a copy of PsiTransfer with its packages installed, where the package registry has none
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    folder: { type: 'string', default: tmpdir() },
    profile: { type: 'string' },
    psitransfer: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !(name in parts));
if (values.help || unknown.length > 0) {
  process.stdout.write(unknown.length > 0 ? `there is no part "${unknown[0]}"\n\n${usage}` : usage);
  process.exit(unknown.length > 0 ? 2 : 0);
}

const steps: (() => Promise<void> | void)[] = [];
const series: Series[] = [];
const folder = mkdtempSync(join(resolve(values.folder), 'waybill-bench-'));
// Also after an uncaught error and after a signal. A server that is just being ended may still write.
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.once(signal, async () => {
    console.log(`interrupted by ${signal}`);
    // What does not end in time is killed when we exit (see child.ts).
    await Promise.race([endEverything(), pause(interruptedMs)]).catch(() => {});
    process.exit(code);
  });
}

const names = positionals.length > 0 ? Object.keys(parts).filter((name) => positionals.includes(name)) : undefined;
process.exitCode = await run(names ?? Object.keys(parts));

async function run(selected: string[]): Promise<number> {
  const rows: Row[] = [];
  for (const name of selected) rows.push(...(await runPart(name)));
  console.log(`\n${machineLine()}\n\n${printTable(rows)}\n\n${method()}`);
  if (values.json !== undefined) {
    const machine = { machine: machineLine(), arch: process.arch, isQuick: values.quick };
    const result = { ...machine, rows: rows.map(withVerdict), series };
    writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
  }
  return rows.some((row) => row.value === null) ? 1 : 0;
}

/** Its servers and files are gone before the next part begins. A part that fails leaves the others alone. */
async function runPart(name: string): Promise<Row[]> {
  const partFolder = join(folder, name);
  mkdirSync(partFolder);
  const load = startLoad();
  steps.push(load.stop);
  const bench: Bench = {
    folder: partFolder,
    sizes: values.quick ? quickSizes : fullSizes,
    load,
    profileFolder: folderOf(values.profile),
    psiTransferFolder: folderOf(values.psitransfer),
    say: (line) => console.log(`[${name}] ${line}`),
    addSeries: (one) => {
      series.push(one);
      console.log(printSeries(one));
    },
    atEnd: (step) => steps.push(step),
  };
  try {
    return await withTimeout(parts[name]!(bench), partTimeoutMs);
  } catch (error) {
    return [missingRow(name, error instanceof Error ? error.message : String(error))];
  } finally {
    await endEverything();
    rmSync(partFolder, { recursive: true, force: true });
  }
}

function folderOf(path: string | undefined): string | null {
  return path === undefined ? null : resolve(path);
}

async function endEverything(): Promise<void> {
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) await step();
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it took longer than ${timeoutMs / 60_000} minutes`)), timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function machineLine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return `${availableParallelism()} cores (${model}), ${process.platform} ${process.arch}, Node ${process.version}`;
}

function withVerdict(row: Row) {
  return { ...row, verdict: verdictOf(row) };
}

function method(): string {
  const { rounds } = values.quick ? quickSizes : fullSizes;
  return (
    `Each figure is the median of ${rounds} rounds in which all servers of a row took turns, one process each unless the row says otherwise, ` +
    `on one file system, over loopback, with one load generator for all; our server ran with SHA-256, CRC-32, AES-256-GCM and durable commits on.\n` +
    `A ratio is the median of the rounds' own ratios, so a slow minute of the machine strikes both sides; memory is the peak that /proc reports.`
  );
}
