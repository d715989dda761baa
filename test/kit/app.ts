// Starts the same service production starts, on a free loopback port, with a clock that only moves when told and cheap
// password hashing; and gives tests people to call it as.
import { createServer } from 'node:net';
import { describe } from 'node:test';
import { type App, prepare, startApp } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import type { MailTransport, Vault } from '#server/domain/ports.ts';
import { type ManualClock, manualClock } from '#server/lib/clock.ts';
import { silentLog } from '#server/lib/log.ts';
import { ApiClient } from './client.ts';
import { type Engine, engines } from './engines.ts';

/** Monday 16 November 2026, 09:00 UTC. */
export const testStart = Date.UTC(2026, 10, 16, 9);

export interface TestApp {
  url: string;
  app: App;
  clock: ManualClock;
  /** The first System Administrator. */
  admin: ApiClient;
  /** Nobody: no credentials at all. */
  anonymous: ApiClient;
  /** A new person in a group (`local-users` unless said otherwise), with their own key. */
  person(name: string, options?: { group?: string; password?: string; email?: string }): Promise<ApiClient>;
  /** A new group with these settings, by their wire names. */
  group(name: string, settings?: Record<string, unknown>): Promise<string>;
  /** Stops the service and starts it again over the same data. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface StartOptions {
  environment?: Record<string, string>;
  wrapVault?(vault: Vault): Vault;
  /** Where owed mail goes instead of a folder of the installation. */
  mailTransport?: MailTransport;
  /** False: the installation waits for its setup page. */
  isSetUp?: boolean;
}

const adminKey = 'AdminKeyAdminKeyAdmin0';
const cheapPasswords = { memoryKiB: 64, passes: 1, parallelism: 1 };

export async function startTestApp(engine: Engine, options: StartOptions = {}): Promise<TestApp> {
  const place = await engine.create();
  const port = await freePort();
  const clock = manualClock(testStart);
  const config = readConfig({
    WAYBILL_LISTEN: `127.0.0.1:${port}`,
    WAYBILL_BASE_URL: `http://127.0.0.1:${port}`,
    WAYBILL_WORKERS: '1',
    WAYBILL_API_RATE: '0',
    WAYBILL_SHUTDOWN_GRACE: '2s',
    WAYBILL_MIN_FREE_SPACE: '0',
    ...(options.isSetUp === false
      ? {}
      : {
          WAYBILL_ADMIN_EMAIL: 'root@example.com',
          WAYBILL_ADMIN_API_KEY: adminKey,
          WAYBILL_ADMIN_PASSWORD: 'quiet river under seven lamps',
        }),
    ...place.environment,
    ...options.environment,
  });
  const substitutes = {
    clock,
    passwordParameters: cheapPasswords,
    ...(options.wrapVault === undefined ? {} : { wrapVault: options.wrapVault }),
    ...(options.mailTransport === undefined ? {} : { mailTransport: options.mailTransport }),
  };
  await prepare(config, silentLog, substitutes);
  const url = `http://127.0.0.1:${port}`;
  const admin = new ApiClient(url, adminKey, 'root@example.com');
  const test: TestApp = {
    url,
    app: await startApp(config, silentLog, substitutes),
    clock,
    admin,
    anonymous: new ApiClient(url, null, ''),
    async person(name, { group, password, email = `${name}@example.com` } = {}) {
      await admin.expect(200, 'createUser', {
        body: {
          user: {
            email,
            name,
            ...(group === undefined ? {} : { group }),
            ...(password === undefined ? {} : { password }),
          },
        },
      });
      const { body } = await admin.expect(200, 'getApiKey', { query: { email } });
      return new ApiClient(url, (body as { user: { api_key: string } }).user.api_key, email);
    },
    async group(name, settings = {}) {
      const { body } = await admin.expect(200, 'createGroup', { body: { group: { name, ...settings } } });
      return (body as { group: { id: string } }).group.id;
    },
    async restart() {
      await test.app.close();
      test.app = await startApp(config, silentLog, substitutes);
    },
    async close() {
      await test.app.close();
      await place.drop();
    },
  };
  return test;
}

/** One `describe` per engine; `start` makes a fresh installation. */
export function onEachEngine(
  title: string,
  tests: (start: (options?: StartOptions) => Promise<TestApp>, engine: Engine) => void,
): void {
  for (const engine of engines)
    describe(`${title} (${engine.name})`, () => tests((options) => startTestApp(engine, options), engine));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
