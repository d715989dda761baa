// Part `logins`: downloads while 64 connections try passwords without end, against downloads alone (security D2).
import { setTimeout as pause } from 'node:timers/promises';
import { alternate, type Bench, bytesPerSecond } from './bench.ts';
import { startLoad } from './load-client.ts';
import { type Row, ratioRow } from './table.ts';
import { createLink, downloadRequest, startWaybill, uploadedIds, uploadRequest } from './waybill.ts';

export const attackers = 64;
/** Longer than any one download; the flood ends with its process. */
const floodMs = 60_000;

export async function measureLogins(bench: Bench): Promise<Row[]> {
  const server = await startWaybill(bench, { name: 'logins', workers: 1 });
  const bytes = bench.sizes.fileBytes;
  const uploaded = await bench.load.once(server.port, [uploadRequest(bytes)]);
  const link = await createLink(server, uploadedIds(uploaded, bytes)[0]!);
  const download = async () => {
    const { elapsedMs } = await bench.load.once(server.port, [await downloadRequest(server, link)]);
    return bytesPerSecond(bytes, elapsedMs);
  };
  const underFlood = async () => {
    const flood = startLoad();
    const flooding = flood.repeat(server.port, wrongLogin, attackers, floodMs);
    flooding.catch(() => {});
    try {
      // The line in front of the hashes is full by the time the first answer could have come.
      await pause(500);
      return await download();
    } finally {
      await flood.stop();
      await untilQuiet(server.port);
    }
  };
  await download();
  const label = `download while ${attackers} logins flood`;
  bench.say(label);
  const [floodValues, aloneValues] = await alternate(bench.sizes.rounds, [underFlood, download]);
  return [
    ratioRow(
      { work: label, unit: 'GB/s' },
      floodValues!,
      { name: 'no logins', values: aloneValues! },
      { must: 0.6, aim: 0.6 },
    ),
  ];
}

/** Each try for another account, or the account's own brake would end the flood. */
export const wrongLogin = {
  head: 'POST /login HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json',
  body: '{"user":{"email":"person{n}@example.com","password":"not the right one"}}',
};

const drainTimeoutMs = 3 * 60_000;

/** Tries that were waiting when the flood ended are still worked off, in order; one of ours goes behind them. */
async function untilQuiet(port: number): Promise<void> {
  const signal = AbortSignal.timeout(drainTimeoutMs);
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: wrongLogin.body.replace('{n}', '0'),
      signal,
    });
    await answer.text();
    if (answer.status !== 429) return;
    await pause(100);
  }
}
