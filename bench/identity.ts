// Part `identity`: `GET /account` with a key, and idle memory, with all kinds of sign-in services configured, compared with
// none.
import { setTimeout as pause } from 'node:timers/promises';
import { alternate, type Bench } from './bench.ts';
import { familyOf, isMemoryKnown, proportionalBytes } from './memory-use.ts';
import { connections, requestsPerSecond } from './small-requests.ts';
import { limitRow, missingRow, type Row, ratioRow } from './table.ts';
import { startWaybill, type Waybill } from './waybill.ts';

/** Nothing answers there; the synchronisation of the directory tries all the same. */
const services = {
  WAYBILL_OIDC_ISSUER: 'http://127.0.0.1:9',
  WAYBILL_OIDC_CLIENT_ID: 'waybill',
  WAYBILL_OIDC_CLIENT_SECRET: 'secret',
  WAYBILL_SAML_METADATA_URL: 'http://127.0.0.1:9',
  WAYBILL_LDAP_URL: 'ldap://127.0.0.1:9',
  WAYBILL_LDAP_BASE_DN: 'dc=example,dc=com',
  WAYBILL_SCIM_TOKEN: 'a token of the directory, long enough',
  WAYBILL_SCIM_SERVICE: 'oidc',
};
/** After the first run of the jobs. */
const settleMs = 20_000;
const megabyte = 1_000_000;

export async function measureIdentity(bench: Bench): Promise<Row[]> {
  const without = await startWaybill(bench, { name: 'identity-none', workers: 1 });
  const configured = await startWaybill(bench, { name: 'identity-all', workers: 1, environment: services });
  bench.say('idle memory with all sign-in services');
  await pause(settleMs);
  const rows = [idleRow(without, configured)];
  const turns = [configured, without].map(
    (server) => () => requestsPerSecond(bench, server.port, '/account', server.key),
  );
  for (const turn of turns) await turn();
  bench.say('GET /account with all sign-in services');
  const [ours, reference] = await alternate(bench.sizes.rounds, turns);
  rows.push(
    ratioRow(
      { work: `GET /account with all sign-in services, ${connections} connections`, unit: '/s' },
      ours!,
      { name: 'without them', values: reference! },
      { must: 0.98, aim: 1 },
    ),
  );
  return rows;
}

function idleRow(without: Waybill, configured: Waybill): Row {
  const label = 'idle memory with all sign-in services';
  if (!isMemoryKnown) return missingRow(label, 'this system has no /proc');
  const [before, after] = [without, configured].map(({ pid }) =>
    familyOf(pid).reduce((sum, member) => sum + proportionalBytes(member), 0),
  ) as [number, number];
  return limitRow(label, 'MB', Math.max(0, after - before), {
    must: 15 * megabyte,
    aim: 5 * megabyte,
    over: 'without them',
  });
}
