// Part `capacity`: what a second of processor time is good for, in one process and in two. The load generator is pinned to the last
// core and our server to the first, so that neither takes from the other.
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { alternate, type Bench, filesAtOnce } from './bench.ts';
import { familyOf } from './memory-use.ts';
import { processorSeconds } from './processor-time.ts';
import { connections } from './small-requests.ts';
import { missingRow, type Row, ratioRow, type Unit } from './table.ts';
import { startWaybill, uploadedIds, uploadRequest, type Waybill } from './waybill.ts';

const target = { must: 0.85, aim: 0.95 };
const writers = 16;

/** How much work was done: requests, or bytes. */
type Work = (bench: Bench, server: Waybill) => Promise<number>;

export async function measureCapacity(bench: Bench): Promise<Row[]> {
  const cores = availableParallelism();
  if (process.platform !== 'linux' || cores < 2) return [missingRow('capacity', 'needs Linux and two cores')];
  pin(bench.load.pid, cores - 1);
  const servers = [];
  for (const workers of [1, 2]) {
    const server = await startWaybill(bench, { name: `${workers}-pinned`, workers });
    for (const pid of familyOf(server.pid)) pin(pid, 0);
    servers.push(server);
  }
  const id = await uploadSmall(servers);
  const link = (server: Waybill) => JSON.stringify({ link: { attachment: id.get(server) } });
  const measured = { bench, servers };
  return [
    ...(await compare(measured, 'GET /account', '/s', (_, server) =>
      requests(bench, server, { line: 'GET /account', atOnce: connections }),
    )),
    ...(await compare(measured, 'POST /link', '/s', (_, server) =>
      requests(bench, server, { line: 'POST /link', atOnce: writers, body: link(server) }),
    )),
    ...(await compare(measured, `${filesAtOnce} uploads at once`, 'GB/s', uploads)),
  ];
}

/** By speed on one core, and by processor time: the first says what the core gives, the second what another core would add. */
async function compare(
  { bench, servers }: { bench: Bench; servers: Waybill[] },
  label: string,
  unit: Unit,
  work: Work,
): Promise<Row[]> {
  bench.say(label);
  const speeds = new Map<Waybill, number[]>(servers.map((server) => [server, []]));
  const turns = servers.map((server) => async () => {
    const [startedAt, before] = [performance.now(), processorSeconds(server.pid)];
    const amount = await work(bench, server);
    speeds.get(server)!.push((amount * 1000) / (performance.now() - startedAt));
    return amount / (processorSeconds(server.pid) - before);
  });
  for (const turn of turns) await turn();
  for (const values of speeds.values()) values.length = 0;
  const [one, two] = await alternate(bench.sizes.rounds, turns);
  const [oneSpeed, twoSpeed] = servers.map((server) => speeds.get(server)!);
  const row = (what: string, ours: number[], reference: number[]) =>
    ratioRow({ work: `${label}, ${what}`, unit }, ours, { name: 'one process', values: reference }, target);
  return [
    row('two processes on one core', twoSpeed!, oneSpeed!),
    row('two processes, for a second of processor time', two!, one!),
  ];
}

async function requests(
  bench: Bench,
  server: Waybill,
  { line, atOnce, body }: { line: string; atOnce: number; body?: string },
): Promise<number> {
  const type = body === undefined ? '' : '\r\nContent-Type: application/json';
  const request = {
    head: `${line} HTTP/1.1\r\nAuthorization: Bearer ${server.key}${type}`,
    ...(body === undefined ? {} : { body }),
  };
  const { countByStatus } = await bench.load.repeat(server.port, request, atOnce, bench.sizes.requestsMs);
  if (Object.keys(countByStatus).some((status) => status !== '200'))
    throw new Error(`${line} was answered with ${JSON.stringify(countByStatus)}`);
  return countByStatus[200] ?? 0;
}

async function uploads(bench: Bench, server: Waybill): Promise<number> {
  const bytes = bench.sizes.smallerFileBytes;
  const all = Array.from({ length: filesAtOnce }, () => uploadRequest(bytes));
  uploadedIds(await bench.load.once(server.port, all), bytes);
  server.dropFiles();
  return filesAtOnce * bytes;
}

async function uploadSmall(servers: Waybill[]): Promise<Map<Waybill, string>> {
  const ids = new Map<Waybill, string>();
  for (const server of servers) {
    const answer = await server.call('POST', '/link/attachments/upload?filename=plan.txt', { bytes: 'plan' });
    ids.set(server, ((await answer.json()) as { attachment: { id: string } }).attachment.id);
  }
  return ids;
}

/** With all its threads, also those to come. */
function pin(pid: number, core: number): void {
  execFileSync('/usr/bin/taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' });
}
