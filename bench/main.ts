// `npm run bench`: measures our server and reference servers in one run and prints a table of ratios. Uses loopback only and
// removes its processes and files also after a failure.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { measureAccount } from './account.ts';
import { measureAdmin } from './admin.ts';
import { type Bench, fullSizes, type Part, quickSizes } from './bench.ts';
import { measureClient } from './client.ts';
import { measureDownloads } from './download.ts';
import { measureIdentity } from './identity.ts';
import { measureInserts } from './inserts.ts';
import { measureLatency } from './latency.ts';
import { startLoad } from './load-client.ts';
import { measureLog } from './log.ts';
import { measureMemory } from './memory.ts';
import { measureMessages } from './messages.ts';
import { measureScanner } from './scanner.ts';
import { measureStart } from './start.ts';
import { missingRow, printTable, type Row, verdictOf } from './table.ts';
import { measureUploads } from './upload.ts';
import { measureUploadsThroughTls } from './upload-tls.ts';
import { measureWebhooks } from './webhooks.ts';
import { measureWeight } from './weight.ts';
import { measureWorkers } from './workers.ts';

const parts: Record<string, Part> = {
  upload: measureUploads,
  'upload-tls': measureUploadsThroughTls,
  scanner: measureScanner,
  download: measureDownloads,
  account: measureAccount,
  identity: measureIdentity,
  workers: measureWorkers,
  messages: measureMessages,
  webhooks: measureWebhooks,
  inserts: measureInserts,
  latency: measureLatency,
  memory: measureMemory,
  weight: measureWeight,
  log: measureLog,
  admin: measureAdmin,
  client: measureClient,
  start: measureStart,
};
const partTimeoutMs = 20 * 60_000;
const interruptedMs = 5000;

const usage = `npm run bench -- [options] [${Object.keys(parts).join(' ')}]

  --quick           small files and fewer rounds: not for published figures
  --json FILE       also write the rows to a file
  --folder FOLDER   measure on the file system of this folder (default: the one for temporary files)
  --profile FOLDER  write processor profiles of our server there (slows it down a little)
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    folder: { type: 'string', default: tmpdir() },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !(name in parts));
if (values.help || unknown.length > 0) {
  process.stdout.write(unknown.length > 0 ? `there is no part "${unknown[0]}"\n\n${usage}` : usage);
  process.exit(unknown.length > 0 ? 2 : 0);
}

const steps: (() => Promise<void> | void)[] = [];
const folder = mkdtempSync(join(resolve(values.folder), 'waybill-bench-'));
// A server that is ending may still write.
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.once(signal, async () => {
    console.log(`interrupted by ${signal}`);
    // Processes that do not end in time are killed at exit (see child.ts).
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
    const result = { ...machine, rows: rows.map(withVerdict) };
    writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
  }
  return rows.some((row) => row.value === null) ? 1 : 0;
}

/** Ends the servers of a part and removes its files before the next one. A part that fails does not end the run. */
async function runPart(name: string): Promise<Row[]> {
  const partFolder = join(folder, name);
  mkdirSync(partFolder);
  const load = startLoad();
  steps.push(load.stop);
  const bench: Bench = {
    folder: partFolder,
    sizes: values.quick ? quickSizes : fullSizes,
    load,
    profileFolder: values.profile === undefined ? null : resolve(values.profile),
    say: (line) => console.log(`[${name}] ${line}`),
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
    `Medians of ${rounds} rounds in which the servers of a row took turns, with one process each unless the row says otherwise, over ` +
    `loopback; our server with SHA-256, CRC-32, AES-256-GCM and durable commits.\n` +
    `A ratio is the median of the ratios of the rounds. Memory is the peak that /proc reports.`
  );
}
