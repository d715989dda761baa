// Signs in through a browser, on this machine or another: shows a code to type there and fetches a key once the
// person has confirmed it. No key is ever part of an address.
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, ClientProblem } from '#contract/client.ts';
import { retrying } from './retrying.ts';
import type { Session } from './session.ts';
import { interruption } from './uploading.ts';

/** Null if the server does not support it. */
export async function pairedKey(session: Session, client: Client): Promise<string | null> {
  const { world, output } = session;
  const started = await startOf(client, `waybill on ${world.hostName}`);
  if (started === null) return null;
  output.event('code', { url: started.url, code: started.code, expires_in: started.expires_in });
  output.show(`Open ${started.url} in a browser, on any device, and enter this code:`);
  output.show('');
  output.show(`  ${started.code}`, 'bold');
  output.show('');
  output.show(`It works for ${Math.round(started.expires_in / 60)} minutes. Waiting for you to confirm…`);
  for (;;) {
    await wait(started.interval * 1000, undefined, { signal: world.signal }).catch(() => {});
    if (world.signal.aborted) throw interruption(world.signal.reason, 0);
    const body = { pairing: { token: started.token } };
    const { pairing } = await retrying(session, () => client.claimPairing({ body }));
    if (pairing.api_key !== null) return pairing.api_key;
  }
}

interface Started {
  token: string;
  code: string;
  url: string;
  expires_in: number;
  interval: number;
}

async function startOf(client: Client, name: string): Promise<Started | null> {
  try {
    const answer = (await client.startPairing({ body: { pairing: { name } } })) as {
      pairing?: Partial<Started>;
    } | null;
    return typeof answer?.pairing?.token === 'string' ? (answer.pairing as Started) : null;
  } catch (error) {
    // A page instead of JSON: not a Waybill server.
    if (error instanceof SyntaxError) return null;
    if (!(error instanceof ClientProblem)) throw error;
    const isUnknownHere = error.status >= 300 && error.status < 500 && error.status !== 429;
    if (isUnknownHere) return null;
    throw error;
  }
}
