// Part `latency`: the 99th percentile of `GET /account` while the server handles uploads or sign-ins.
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { startLoad } from './load-client.ts';
import { limitRow, type Row } from './table.ts';
import { startWaybill, uploadRequest, type Waybill } from './waybill.ts';

const uploads = { count: 200, bytes: 8 * 1024 * 1024 };
const visitors = 4;
const attackers = 64;
/** Each attempt for another account, since attempts for one account are limited. */
const wrongLogin = {
  head: 'POST /login HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json',
  body: '{"user":{"email":"person{n}@example.com","password":"not the right one"}}',
};
/** Until the server has cleaned up cut-off requests. */
const restMs = 5000;
const target = { must: 300, aim: 100 };

export async function measureLatency(bench: Bench): Promise<Row[]> {
  const server = await startWaybill(bench, { name: 'latency', workers: Math.min(2, availableParallelism()) });
  await slowest(server, bench.sizes.requestsMs);
  bench.say(`GET /account during ${uploads.count} uploads`);
  const duringUploads = await during(bench, server, async (load) => {
    for (;;) {
      const requests = Array.from({ length: uploads.count }, () => uploadRequest(uploads.bytes));
      await load.once(server.port, requests);
      server.dropFiles();
    }
  });
  bench.say('GET /account during sign-ins');
  const duringLogins = await during(bench, server, async (load) => {
    await load.repeat(server.port, wrongLogin, attackers, bench.sizes.requestsMs * 4);
  });
  await server.stop();
  return [
    limitRow(`GET /account during ${uploads.count} uploads, 99th percentile`, 's', duringUploads, target),
    limitRow(`GET /account during ${attackers} sign-ins, 99th percentile`, 's', duringLogins, target),
  ];
}

/** Measures during the work, which ends with its load generator. */
async function during(bench: Bench, server: Waybill, work: (load: Bench['load']) => Promise<void>): Promise<number> {
  const load = startLoad();
  work(load).catch(() => {});
  try {
    await pause(500);
    return await slowest(server, bench.sizes.requestsMs * 2);
  } finally {
    await load.stop();
    await pause(restMs);
  }
}

async function slowest(server: Waybill, durationMs: number): Promise<number> {
  const load = startLoad();
  try {
    const request = { head: `GET /account HTTP/1.1\r\nAuthorization: Bearer ${server.key}` };
    const { slowestMs, countByStatus } = await load.repeat(server.port, request, visitors, durationMs);
    const isRefused = Object.keys(countByStatus).some((status) => status !== '200');
    if (isRefused) throw new Error(`GET /account was answered with ${JSON.stringify(countByStatus)}`);
    return slowestMs;
  } finally {
    await load.stop();
  }
}
