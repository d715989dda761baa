// The context of one command: settings, server and output.

import type { AccountBody } from '#contract/account.ts';
import { type Client, createClient } from '#contract/client.ts';
import { timers } from '../transfer/timers.ts';
import { type Connection, openConnection } from './connection.ts';
import { exitCodes, Failure } from './failures.ts';
import { createOutput, type Output, writeLine } from './output.ts';
import { type GlobalFlags, type Needs, readSettings, type Settings } from './settings.ts';
import { version } from './version.ts';
import type { World } from './world.ts';

export interface Session {
  world: World;
  settings: Settings;
  output: Output;
  connection: Connection;
  /** Throws when no server is known. */
  server(): string;
  client(): Client;
  /** The API key, for addresses of the configured server; empty for all others. Throws when there is no key. */
  authorization(url: string): Record<string, string>;
  close(): void;
}

export function openSession(world: World, flags: GlobalFlags, needs: Needs = {}): Session {
  const settings = readSettings(world, flags, needs);
  const output = createOutput(world, settings);
  for (const { message } of needs.reportsFaults === true ? [] : settings.faults)
    output.warn(`waybill: ${message}; this setting is not used`);
  if (settings.isInsecure)
    output.warn(
      'waybill: certificates are not checked (--insecure): others on the network can read and change what you send',
    );
  const connection = openConnection({
    caFile: settings.caFile,
    isInsecure: settings.isInsecure,
    env: world.env,
    userAgent: `waybill-cli/${version} (${world.platform})`,
    timeoutMs: settings.timeoutMs,
    bytesPerSecond: settings.bytesPerSecond,
    clock: timers,
    ...(settings.isVerbose ? { trace: (line: string) => writeLine(world.stderr, line) } : {}),
  });
  const server = () => {
    if (settings.server !== null) return settings.server;
    throw new Failure(exitCodes.notSignedIn, 'no server is known yet', {
      code: 'not_signed_in',
      hint: 'Run `waybill login https://files.example.com`.',
    });
  };
  const authorization = (url: string): Record<string, string> => {
    if (new URL(url).origin !== new URL(server()).origin) return {};
    if (settings.apiKey !== null) return { authorization: `Bearer ${settings.apiKey}` };
    throw new Failure(exitCodes.notSignedIn, `you are not signed in to ${server()}`, {
      code: 'not_signed_in',
      hint: `Run \`waybill login ${server()}\`.`,
    });
  };
  return {
    world,
    settings,
    output,
    connection,
    server,
    authorization,
    client() {
      // Before the call, so that a missing key is not reported as a network fault.
      const headers = authorization(server());
      return createClient({ baseUrl: server(), fetch: connection.fetch, headers: () => headers });
    },
    close: () => connection.close(),
  };
}

export interface Account {
  user: AccountBody;
  /** Set by Waybill, which has upload ids, idempotency keys and dry runs; null for other servers of this API. */
  chunkBytes: number | null;
}

/** Reads the caller's account and whether the server is Waybill. */
export async function readAccount(session: Session): Promise<Account> {
  let chunkBytes: number | null = null;
  const headers = session.authorization(session.server());
  const client = createClient({
    baseUrl: session.server(),
    headers: () => headers,
    fetch: async (input, init) => {
      const response = await session.connection.fetch(input, init);
      const header = response.headers.get('upload-chunk-size');
      chunkBytes = header === null ? null : Number(header);
      return response;
    },
  });
  const { user } = await client.getAccount();
  return { user, chunkBytes };
}
