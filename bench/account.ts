// Part `account`: `GET /account` with an API key, compared with node:http and a prepared answer of the same text.
import { alternate, type Bench } from './bench.ts';
import { startNodeHttp } from './references/node-http.ts';
import { connections, requestsPerSecond } from './small-requests.ts';
import { type Row, ratioRow } from './table.ts';
import { startWaybill } from './waybill.ts';

export async function measureAccount(bench: Bench): Promise<Row[]> {
  const ours = await startWaybill(bench, { name: 'account', workers: 1 });
  const text = await (await ours.call('GET', '/account')).text();
  const node = await startNodeHttp(bench, text);
  const turns = [ours.port, node.port].map((port) => () => requestsPerSecond(bench, port, '/account', ours.key));
  for (const turn of turns) await turn();
  const label = `GET /account, ${connections} connections`;
  bench.say(label);
  const [oursValues, nodeValues] = await alternate(bench.sizes.rounds, turns);
  return [
    ratioRow(
      { work: label, unit: '/s' },
      oursValues!,
      { name: 'node:http', values: nodeValues! },
      { must: 0.45, aim: 0.6 },
    ),
  ];
}
