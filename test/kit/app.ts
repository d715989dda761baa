// Starts the same service production starts, on a free loopback port, with a clock that only moves when told and cheap
// password hashing; and gives tests people to call it as.
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
  /** A new person in a group (`local-users` unless said otherwise), with their own key, who has chosen their password. */
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
  /** Tests call `assertInside` before they make use of `wrapVault`; the others also run where the service is in other processes. */
  canRunOutside?: boolean;
  /** The clock that the service compares its own with; without it, none. */
  reference?(): Promise<number>;
  /** Where queued mail goes instead of a folder of the installation. */
  mailTransport?: MailTransport;
  /** Where the service writes its log; nowhere unless said. */
  log?: Log;
  /** False: the installation waits for its setup page. */
  isSetUp?: boolean;
  /** The object that becomes the service; a new one unless said. */
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

/** Other processes serve; beside them this process looks inside, as one more process of the installation. */
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
    // What was set through the file a moment ago counts, as it would within seconds.
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

/**
 * The runner keeps every suite until its process ends, and with it whatever the suite has a name for. A lane would hold
 * all services of all its files, and each collection of garbage would look through them.
 */
function forget(test: Partial<TestApp>): void {
  delete test.app;
}

function settingsFor(port: number, { isSetUp = true }: StartOptions): Record<string, string> {
  const firstAdministrator = {
    WAYBILL_ADMIN_EMAIL: 'root@example.com',
    WAYBILL_ADMIN_API_KEY: adminKey,
    WAYBILL_ADMIN_PASSWORD: 'quiet river under seven lamps',
  };
  return {
    WAYBILL_LISTEN: `127.0.0.1:${port}`,
    WAYBILL_BASE_URL: `http://127.0.0.1:${port}`,
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
      await settleAccount(ctx(), email);
      return new ApiClient(url, (body as { user: { api_key: string } }).user.api_key, email);
    },
    async group(name, settings = {}) {
      const { body } = await admin.expect(200, 'createGroup', { body: { group: { name, ...settings } } });
      return (body as { group: { id: string } }).group.id;
    },
  };
}

/** As if the person had signed in and the administrator had created the account days ago. */
export async function settleAccount(ctx: App['ctx'], email: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    const { id } = await tx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow();
    await tx.updateTable('users').set({ must_change_password: 0 }).where('id', '=', id).execute();
    await tx.deleteFrom('account_access').where('user_id', '=', id).execute();
  });
}

type Suite = (start: (options?: StartOptions) => Promise<TestApp>, engine: Engine) => void;

/** For what stores and reads bytes as well as rows: SQLite with disk, PostgreSQL with S3. `start` makes a fresh installation. */
export function onEachEngine(title: string, tests: Suite): void {
  onThese(engines, title, tests);
}

/** For what is about rows: both databases, files on disk. S3 takes ten times the work and has suites of its own. */
export function onEachDatabase(title: string, tests: Suite): void {
  onThese(databases, title, tests);
}

/** For what happens before and after the database: requests, pages, words. */
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

/** Of the suite that is being written down. */
let isFirstEngine = true;

/**
 * A test of a suite with several engines that runs on the first alone, SQLite: no race, and every statement it sends is
 * sent to PostgreSQL by other tests as well (decision 0079). Whoever is in doubt writes `test`.
 */
export function testOnce(name: string, body: (context: TestContext) => Promise<void> | void): void {
  if (isFirstEngine) test(name, body);
}

async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}
