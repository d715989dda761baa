// Starts the service as in production, on a free loopback port, with the test's clock and cheap password hashing.
import { describe, type TestContext, test } from 'node:test';
import { type App, prepare, startApp } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import type { Log, MailTransport, Vault } from '#server/domain/ports.ts';
import { type ManualClock, manualClock } from '#server/lib/clock.ts';
import { silentLog } from '#server/lib/log.ts';
import { ApiClient } from './client.ts';
import { databases, type Engine, engines, sqliteAndDisk } from './engines.ts';
import { executableVariable, needsInside, type RunningExecutable, sharedClock, startExecutable } from './executable.ts';
import { machinesVariable, startMachines } from './machines.ts';
import { freePorts } from './servers/child.ts';

export const testStart = Date.UTC(2026, 10, 16, 9);

export interface TestApp {
  url: string;
  app: App;
  clock: ManualClock;
  admin: ApiClient;
  /** Sends no credentials. */
  anonymous: ApiClient;
  /** A new person in a group (by default `local-users`), with their own key, who has chosen their password. */
  person(name: string, options?: { group?: string; password?: string; email?: string }): Promise<ApiClient>;
  group(name: string, settings?: Record<string, unknown>): Promise<string>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface StartOptions {
  environment?: Record<string, string>;
  wrapVault?(vault: Vault): Vault;
  /** Tests call `assertInside` before they use `wrapVault`; others also run where the service is in other processes. */
  canRunOutside?: boolean;
  /** The clock that the service compares its own with; by default none. */
  reference?(): Promise<number>;
  mailTransport?: MailTransport;
  log?: Log;
  /** False: the installation waits for its setup page. */
  isSetUp?: boolean;
  /** Of the public address; `localhost` for passkeys in a browser, which need a name. */
  hostName?: string;
  /** The object that becomes the service. */
  into?: TestApp;
}

const adminKey = 'AdminKeyAdminKeyAdmin0';
export const cheapPasswords = { memoryKiB: 64, passes: 1, parallelism: 1 };

export async function startTestApp(engine: Engine, options: StartOptions = {}): Promise<TestApp> {
  const program = process.env[executableVariable];
  if (program !== undefined)
    return startOutside((settings, clockFile) => startExecutable(program, settings, clockFile), engine, options);
  if (process.env[machinesVariable] !== undefined) return startOutside(startMachines, engine, options);
  const place = await engine.create('migrated');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const clock = manualClock(testStart);
  const log = options.log ?? silentLog;
  const config = readConfig({ ...settingsFor(port, options), ...place.environment, ...options.environment });
  const substitutes = {
    clock,
    passwordParameters: cheapPasswords,
    ...(options.wrapVault === undefined ? {} : { wrapVault: options.wrapVault }),
    ...(options.reference === undefined ? {} : { reference: options.reference }),
    ...(options.mailTransport === undefined ? {} : { mailTransport: options.mailTransport }),
  };
  await prepare(config, log, substitutes).catch(async (error) => {
    await place.drop();
    throw error;
  });
  const admin = new ApiClient(url, adminKey, 'root@example.com');
  const test: TestApp = Object.assign(options.into ?? ({} as TestApp), {
    url,
    app: await startApp(config, log, substitutes),
    clock,
    admin,
    anonymous: new ApiClient(url, null, ''),
    ...makersOf(url, admin, () => test.app.ctx),
    async restart() {
      await test.app.close();
      test.app = await startApp(config, log, substitutes);
    },
    async close() {
      await test.app.close();
      await place.drop();
      forget(test);
    },
  });
  return test;
}

type StartElsewhere = (settings: Record<string, string>, clockFile: string) => Promise<RunningExecutable>;

/** With other processes serving, this process joins the installation to read its state. */
async function startOutside(start: StartElsewhere, engine: Engine, options: StartOptions): Promise<TestApp> {
  const { wrapVault, reference, log, mailTransport } = options;
  const isWrapped = wrapVault !== undefined && options.canRunOutside !== true;
  if (isWrapped || (reference ?? log) !== undefined) throw new Error(`${needsInside}: a substitute`);
  if (mailTransport !== undefined && options.environment?.WAYBILL_ROLE !== 'web')
    throw new Error(`${needsInside}: a way for mail`);
  const place = await engine.create('migrated');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    ...settingsFor(port, options),
    WAYBILL_METRICS_LISTEN: 'off',
    ...place.environment,
    ...options.environment,
  };
  const { clock, clockFile } = sharedClock(testStart);
  const running = await start(settings, clockFile).catch(async (error) => {
    await place.drop();
    throw error;
  });
  const config = readConfig({ ...settings, WAYBILL_ROLE: 'web' });
  const substitutes = {
    clock,
    passwordParameters: cheapPasswords,
    ...(mailTransport === undefined ? {} : { mailTransport }),
  };
  const checkContent = async (): Promise<App> => {
    const app = await startApp(config, silentLog, substitutes, { connections: 'handed over' });
    // Applies a changed settings file now instead of within seconds.
    const runOnce: App['jobs']['runOnce'] = async (...job) => {
      await app.ctx.settings.refresh();
      return app.jobs.runOnce(...job);
    };
    return { ...app, jobs: { ...app.jobs, runOnce } };
  };
  const admin = new ApiClient(url, adminKey, 'root@example.com');
  const test: TestApp = Object.assign(options.into ?? ({} as TestApp), {
    url,
    app: await checkContent(),
    clock,
    admin,
    anonymous: new ApiClient(url, null, ''),
    ...makersOf(url, admin, () => test.app.ctx),
    async restart() {
      await test.app.close();
      await running.restart();
      test.app = await checkContent();
    },
    async close() {
      await test.app.close();
      await running.close();
      await place.drop();
      forget(test);
    },
  });
  return test;
}

/** The runner keeps each suite until its process ends; without this, a worker would hold the services of all its files. */
function forget(test: Partial<TestApp>): void {
  delete test.app;
}

function settingsFor(port: number, { isSetUp = true, hostName = '127.0.0.1' }: StartOptions): Record<string, string> {
  const firstAdministrator = {
    WAYBILL_ADMIN_EMAIL: 'root@example.com',
    WAYBILL_ADMIN_API_KEY: adminKey,
    WAYBILL_ADMIN_PASSWORD: 'quiet river under seven lamps',
  };
  return {
    WAYBILL_LISTEN: `127.0.0.1:${port}`,
    WAYBILL_BASE_URL: `http://${hostName}:${port}`,
    WAYBILL_WORKERS: '1',
    WAYBILL_API_RATE: '0',
    WAYBILL_SHUTDOWN_GRACE: '2s',
    WAYBILL_MIN_FREE_SPACE: '0',
    ...(isSetUp ? firstAdministrator : {}),
  };
}

function makersOf(url: string, admin: ApiClient, ctx: () => App['ctx']): Pick<TestApp, 'person' | 'group'> {
  return {
    async person(name, { group, password, email = `${name}@example.com` } = {}) {
      const user = {
        email,
        name,
        ...(group === undefined ? {} : { group }),
        ...(password === undefined ? {} : { password }),
      };
      await admin.expect(200, 'createUser', { body: { user } });
      const { body } = await admin.expect(200, 'getApiKey', { query: { email } });
      await activateAccount(ctx(), email);
      return new ApiClient(url, (body as { user: { api_key: string } }).user.api_key, email);
    },
    async group(name, settings = {}) {
      const { body } = await admin.expect(200, 'createGroup', { body: { group: { name, ...settings } } });
      return (body as { group: { id: string } }).group.id;
    },
  };
}

/** As if the person had signed in and the account were days old. */
export async function activateAccount(ctx: App['ctx'], email: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    const { id } = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow();
    await tx.updateTable('users').set({ must_change_password: 0 }).where('id', '=', id).execute();
    await tx.deleteFrom('account_access').where('user_id', '=', id).execute();
  });
}

type Suite = (start: (options?: StartOptions) => Promise<TestApp>, engine: Engine) => void;

/** For stored bytes and rows: SQLite with disk, PostgreSQL with S3. */
export function onEachEngine(title: string, tests: Suite): void {
  onThese(engines, title, tests);
}

/** For rows: both databases, files on disk. */
export function onEachDatabase(title: string, tests: Suite): void {
  onThese(databases, title, tests);
}

/** For requests, pages and texts. */
export function onOneEngine(title: string, tests: Suite): void {
  onThese([sqliteAndDisk], title, tests);
}

function onThese(some: Engine[], title: string, tests: Suite): void {
  for (const engine of some)
    describe(`${title} (${engine.name})`, () => {
      isFirstEngine = engine === some[0];
      tests((options) => startTestApp(engine, options), engine);
      isFirstEngine = true;
    });
}

let isFirstEngine = true;

/** A test that runs on SQLite alone: no race, and other tests send each of its statements to PostgreSQL (docs/adr/0054). */
export function testOnce(name: string, body: (context: TestContext) => Promise<void> | void): void {
  if (isFirstEngine) test(name, body);
}

async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}
