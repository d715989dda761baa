// Part `growth`: how cost grows with the size of a file, the files of a message, people, lines of the log and processes. A few
// points each, for plots; nothing is judged.
import { availableParallelism } from 'node:os';
import { writePeople } from './admin.ts';
import { type Bench, filesAtOnce, fullSizes } from './bench.ts';
import { figuresMs, figuresPaths, sumDays, uploadLogged, writeLog } from './log.ts';
import { uploadSmall } from './messages.ts';
import { type Line, measureLines, type Series } from './series.ts';
import { requestsPerSecond } from './small-requests.ts';
import { median, type Row } from './table.ts';
import { startWaybill, uploadedIds, uploadRequest, type Waybill } from './waybill.ts';

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;
const full = {
  mebibytes: [1, 4, 16, 64, 256, 1024],
  files: [1, 10, 100, 1000],
  people: [10, 100, 1000, 10_000],
  logLines: [1000, 10_000, 100_000, 1_000_000],
};
const quick = {
  mebibytes: [1, 16, 64],
  files: [1, 10, 100],
  people: [10, 1000],
  logLines: [1000, 10_000],
};
const uploadsAtOnce = 16;
const shownRequests = 10_000;

export async function measureGrowth(bench: Bench): Promise<Row[]> {
  const points = bench.sizes.rounds < fullSizes.rounds ? quick : full;
  await addSeries(
    bench,
    { name: 'file-size', title: 'Upload by size of the file', xLabel: 'size in MiB', yLabel: 'seconds per GiB' },
    () => byFileSize(bench, points.mebibytes),
  );
  await addSeries(
    bench,
    { name: 'files', title: 'A message by number of its files', xLabel: 'files', yLabel: 'milliseconds' },
    () => byFiles(bench, points.files),
  );
  await addSeries(
    bench,
    { name: 'people', title: 'Requests by people in the installation', xLabel: 'people', yLabel: 'milliseconds' },
    () => byPeople(bench, points.people),
  );
  await addSeries(
    bench,
    { name: 'log-lines', title: 'The download log by its length', xLabel: 'lines', yLabel: 'milliseconds' },
    () => byLogLines(bench, points.logLines),
  );
  await addSeries(
    bench,
    { name: 'processes', title: 'The same work by number of processes', xLabel: 'processes', yLabel: 'seconds' },
    () => byProcesses(bench),
  );
  return [];
}

async function addSeries(bench: Bench, head: Omit<Series, 'lines'>, measure: () => Promise<Line[]>): Promise<void> {
  bench.say(head.title);
  bench.addSeries({ ...head, lines: await measure() });
}

/** The median, after one time that does not count. */
async function typical(bench: Bench, measure: () => Promise<number>): Promise<number> {
  await measure();
  const values: number[] = [];
  for (let round = 0; round < bench.sizes.rounds; round++) values.push(await measure());
  return median(values);
}

async function millisecondsOf(work: () => Promise<Response>): Promise<number> {
  const startedAt = performance.now();
  await (await work()).text();
  return performance.now() - startedAt;
}

async function byFileSize(bench: Bench, mebibytes: number[]): Promise<Line[]> {
  const server = await startWaybill(bench, { name: 'growth-size', workers: availableParallelism() });
  const lines = await measureLines(mebibytes, ['one connection'], async (size) => [
    await typical(bench, () => secondsPerGibibyte(bench, server, 1, size * mebibyte)),
  ]);
  await server.stop();
  return lines;
}

async function secondsPerGibibyte(bench: Bench, server: Waybill, count: number, bytes: number): Promise<number> {
  const requests = Array.from({ length: count }, () => uploadRequest(bytes));
  const result = await bench.load.once(server.port, requests);
  uploadedIds(result, bytes);
  server.dropFiles();
  return result.elapsedMs / 1000 / ((count * bytes) / gibibyte);
}

async function byFiles(bench: Bench, counts: number[]): Promise<Line[]> {
  const server = await startWaybill(bench, { name: 'growth-files', workers: 1 });
  const ids: string[] = [];
  while (ids.length < Math.max(...counts)) {
    const names = Array.from({ length: uploadsAtOnce }, (_, index) => `file-${ids.length + index}.txt`);
    ids.push(...(await Promise.all(names.map((name) => uploadSmall(server, name)))));
  }
  const lines = await measureLines(counts, ['POST /message'], async (count) => {
    const attachments = ids.slice(0, count);
    const message = { recipients: ['ben@harbour.example'], subject: 'Drawings', message: 'Here.', attachments };
    return [await typical(bench, () => millisecondsOf(() => server.call('POST', '/message', { json: { message } })))];
  });
  await server.stop();
  return lines;
}

async function byPeople(bench: Bench, counts: number[]): Promise<Line[]> {
  const paths = { 'GET /account': '/account', 'list of people, first page': '/admin/people' };
  const { dataDir, stop } = await startWaybill(bench, { name: 'growth-people', workers: 1 });
  await stop();
  let written = 0;
  return measureLines(counts, Object.keys(paths), async (count) => {
    await writePeople(dataDir, { after: written, last: count });
    written = count;
    const server = await startWaybill(bench, { name: 'growth-people', workers: 1, dataDir });
    const values: number[] = [];
    for (const path of Object.values(paths))
      values.push(await typical(bench, () => millisecondsOf(() => server.call('GET', path))));
    await server.stop();
    return values;
  });
}

async function byLogLines(bench: Bench, counts: number[]): Promise<Line[]> {
  const first = await startWaybill(bench, { name: 'growth-log', workers: 1 });
  await uploadLogged(first);
  await first.stop();
  return measureLines(counts, ['first page', ...Object.keys(figuresPaths)], async (count) => {
    await writeLog(first.dataDir, count);
    const server = await startWaybill(bench, { name: 'growth-log', workers: 1, dataDir: first.dataDir });
    await sumDays(server);
    const page = () => server.call('GET', '/app-api/log?days=366');
    const values = [await typical(bench, () => millisecondsOf(page))];
    for (const path of Object.values(figuresPaths))
      values.push(await typical(bench, () => figuresMs(server, path, count)));
    await server.stop();
    return values;
  });
}

/** Both lines in seconds for a fixed amount, so that they have one scale. */
async function byProcesses(bench: Bench): Promise<Line[]> {
  const counts = Array.from({ length: Math.min(2, availableParallelism()) }, (_, index) => index + 1);
  const names = [`1 GiB, ${filesAtOnce} files at once`, `${shownRequests.toLocaleString('en')} × GET /account`];
  return measureLines(counts, names, async (workers) => {
    const server = await startWaybill(bench, { name: `growth-${workers}`, workers });
    const bytes = bench.sizes.smallerFileBytes;
    const upload = await typical(bench, () => secondsPerGibibyte(bench, server, filesAtOnce, bytes));
    const rate = await typical(bench, () => requestsPerSecond(bench, server.port, '/account', server.key));
    await server.stop();
    return [upload, shownRequests / rate];
  });
}
