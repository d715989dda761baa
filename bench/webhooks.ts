// Part `webhooks`: processor time of POST /message with ten webhooks, compared with none.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { alternate, type Bench, type Turn } from './bench.ts';
import { familyOf, isMemoryKnown } from './memory-use.ts';
import { uploadSmall, writers } from './messages.ts';
import { limitRow, median, missingRow, type Row } from './table.ts';
import { startWaybill, type Waybill } from './waybill.ts';

const webhooks = 10;
/** The clock of /proc/<pid>/stat. */
const tickMs = 10;

/** Webhooks for other events cost their polling; those for the sent messages, in another process, cost what the request does. */
const cases: { name: string; events: string[]; environment: Record<string, string> }[] = [
  { name: 'for other events', events: ['evidence.contradiction'], environment: {} },
  { name: 'for it, delivered elsewhere', events: ['message.sent'], environment: { WAYBILL_ROLE: 'web' } },
];

export async function measureWebhooks(bench: Bench): Promise<Row[]> {
  if (!isMemoryKnown) return [missingRow('webhooks', 'this system has no /proc')];
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  bench.atEnd(() => void receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const rows: Row[] = [];
  for (const { name, events, environment } of cases) {
    bench.say(`POST /message, ten webhooks ${name}`);
    const start = (label: string) =>
      startWaybill(bench, {
        name: `webhooks-${label}-${rows.length}`,
        workers: 1,
        environment: { WAYBILL_WEBHOOK_NETWORKS: 'loopback', ...environment },
      });
    const servers = [await start('none'), await start('ten')] as const;
    for (let number = 0; number < webhooks; number++)
      await servers[1].call('POST', '/admin/webhooks', { json: { webhook: { url, events } } });
    const [none, ten] = [await turnOf(bench, servers[0]), await turnOf(bench, servers[1])];
    for (const turn of [none, ten]) await turn();
    // Small differences need more rounds than others, and both orders.
    const [one, two, three, four] = await alternate(bench.sizes.rounds * 2, [none, ten, ten, none]);
    for (const server of servers) await server.stop();
    const ratios = one!.map((_, round) => (two![round]! + three![round]!) / (one![round]! + four![round]!));
    const percent = (median(ratios) - 1) * 100;
    const over = 'none, POST /message, processor time';
    rows.push(limitRow(`ten webhooks ${name}`, '%', percent, { must: 3, aim: 1, over }));
  }
  return rows;
}

/** Processor time of one request. */
async function turnOf(bench: Bench, server: Waybill): Promise<Turn> {
  const ids = [await uploadSmall(server, 'plan.txt')];
  const message = { recipients: ['ben@harbour.example'], subject: 'Plan', message: 'Here it is.', attachments: ids };
  const head = `POST /message HTTP/1.1\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json`;
  const body = JSON.stringify({ message });
  return async () => {
    const before = processorMs(server.pid);
    const { countByStatus } = await bench.load.repeat(server.port, { head, body }, writers, bench.sizes.requestsMs);
    const statuses = Object.keys(countByStatus);
    if (statuses.join() !== '200') throw new Error(`/message was answered with ${statuses.join(', ')}`);
    return (processorMs(server.pid) - before) / Number(countByStatus['200']);
  };
}

function processorMs(pid: number): number {
  const ticks = familyOf(pid).map((one) => {
    const stat = readFileSync(`/proc/${one}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return sum(ticks) * tickMs;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
