// The composition root: from a configuration to a running service as a value. Production and tests start the same one.
import { mkdir } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { loadApp } from '#web/app/load.ts';
import { loadPages } from '#web/pages/load.ts';
import type { Ctx } from './actions/context.ts';
import { ensureShipped, isSetUp, setUpFromConfig } from './actions/setup/setup.ts';
import { keepLeases } from './actions/uploads/leases.ts';
import { openVault } from './blobs/encrypted.ts';
import { openBlobStore } from './blobs/open.ts';
import type { Config } from './config.ts';
import { connect } from './db/engine/connect.ts';
import { migrate, pendingMigrations } from './db/engine/migrate.ts';
import { migrations } from './db/migrations/all.ts';
import type { LockedDb, Tables } from './db/schema.ts';
import { unlock } from './db/unlock.ts';
import type { Clock, Log, MailTransport, Random, Vault } from './domain/ports.ts';
import type { Surroundings } from './domain/settings.ts';
import { createLimits } from './http/limits.ts';
import { createPageRenderer } from './http/page-renderer.ts';
import { createHttpServer } from './http/server.ts';
import { csrfOf } from './http/visits.ts';
import { openClock, openKeys, openSettings, saveClock } from './installation.ts';
import { allJobs } from './jobs/all.ts';
import type { MailSettings } from './jobs/outgoing-mail.ts';
import { createJobRunner, type JobRunner } from './jobs/runner.ts';
import { createSendOutbox } from './jobs/send-outbox.ts';
import { parseDomain } from './lib/address.ts';
import { type BaseClock, systemClock } from './lib/clock.ts';
import { openGeo } from './lib/geo.ts';
import { openHostNames } from './lib/host-names.ts';
import { createRandom } from './lib/ids.ts';
import type { HashParameters } from './lib/password.ts';
import { version } from './lib/version.ts';
import { openFolderTransport } from './mail/folder.ts';
import { openSmtpTransport, parseSmtpUrl, smtpProtection } from './mail/smtp.ts';
import { openSetupToken } from './setup-token.ts';

/** What tests put in place of the real thing. */
export interface Substitutes {
  clock?: BaseClock;
  random?: Random;
  passwordParameters?: HashParameters;
  mailTransport?: MailTransport;
  /** Wraps the byte store, to provoke faults. */
  wrapVault?(vault: Vault): Vault;
}

export interface App {
  ctx: Ctx;
  /** Where it listens, as a person would type it. */
  url: string;
  jobs: JobRunner;
  /** Serves a connection that another process accepted. */
  take(connection: Socket): void;
  routes: { method: string; path: string; kinds: string[] }[];
  close(): Promise<void>;
}

/** Everything that must be there before any process serves: folders, tables, keys, groups, the first administrator. */
export async function prepare(config: Config, log: Log, substitutes: Substitutes = {}): Promise<void> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const db = await connect<Tables>(databaseUrl(config), { silenceMs: 0 });
  try {
    await migrate(db, migrations);
    const { ctx, createdKeyFile } = await openInside(config, db, log, substitutes);
    if (createdKeyFile !== null)
      log.info(
        { file: createdKeyFile },
        'a new master key was made; keep a copy of it elsewhere, without it stored files cannot be read',
      );
    await ensureShipped(ctx);
    if (config.adminEmail !== null) {
      await setUpFromConfig(ctx, {
        email: config.adminEmail,
        password: config.adminPassword?.reveal() ?? null,
        apiKey: config.adminApiKey?.reveal() ?? null,
      });
    }
    await openSetupToken(ctx, config, log);
    await ctx.blobs.close();
  } finally {
    await db.close();
  }
}

/** The inside of a prepared installation without a server, for the operator's commands. */
export async function withInstallation<Result>(
  config: Config,
  log: Log,
  work: (ctx: Ctx) => Promise<Result>,
): Promise<Result> {
  const db = await connect<Tables>(databaseUrl(config));
  try {
    const { ctx } = await openInside(config, db, log, {});
    try {
      return await work(ctx);
    } finally {
      await ctx.blobs.close();
    }
  } finally {
    await db.close();
  }
}

/** A serving process over a prepared installation. */
export async function startApp(
  config: Config,
  log: Log,
  substitutes: Substitutes = {},
  from: { connections: 'own port' | 'handed over' } = { connections: 'own port' },
): Promise<App> {
  const db = await connect<Tables>(databaseUrl(config));
  const { ctx, clock, settings } = await openInside(config, db, log, substitutes);
  let isReady = await isSetUp(ctx);
  const geo = await openGeo(config.geoipDb);
  const token = await openSetupToken(ctx, config, log);
  const pages = createPageRenderer(await loadPages(), settings, {
    baseUrl: config.baseUrl,
    isSetUp: () => isReady,
    csrfOf: (raw) => csrfOf({ ctx, baseUrl: config.baseUrl }, raw),
  });
  const transport = substitutes.mailTransport ?? openTransport(config);
  const http = createHttpServer({
    ctx,
    baseUrl: config.baseUrl,
    trustProxy: config.trustProxy,
    allowInsecureHttp: config.insecureHttp,
    openapi: config.openapi,
    geo,
    hostNames: openHostNames(config.hostNames),
    limits: createLimits({ apiRatePerMinute: config.apiRatePerMinute }),
    pages,
    builtApp: loadApp(),
    canSendMail: transport.isReal,
    failingChecks: () => failingChecks(ctx),
    setup: {
      tokenSource: token.source,
      masterKeyFile: config.masterKey === null ? config.masterKeyFile : null,
      async done() {
        isReady = true;
        await settings.refresh();
        await token.remove();
      },
    },
  });
  const sendOutbox = createSendOutbox(transport, mailSettingsOf(config));
  const jobs = createJobRunner(ctx, [...allJobs, sendOutbox], { upkeep: () => upkeep() });
  const upkeep = async () => {
    await keepLeases(ctx);
    await settings.refresh();
    if (!isReady) isReady = await isSetUp(ctx);
    await saveClock(db, clock);
  };
  if (from.connections === 'handed over') await http.open();
  const url = from.connections === 'handed over' || config.role === 'jobs' ? '' : await http.listen(config.listen);
  if (config.role !== 'web') jobs.start();
  else jobs.startUpkeep();
  return {
    ctx,
    url,
    jobs,
    take: http.take,
    routes: http.routes,
    async close() {
      await http.close(config.shutdownGraceMs);
      await jobs.stop();
      await transport.close();
      await saveClock(db, clock).catch(() => {});
      await ctx.blobs.close();
      await db.close();
    },
  };
}

async function openInside(config: Config, locked: LockedDb, log: Log, substitutes: Substitutes) {
  const random = substitutes.random ?? createRandom();
  const clock = await openClock(locked, substitutes.clock ?? systemClock());
  const { keys, createdKeyFile } = await openKeys(config, locked, random, clock, substitutes.passwordParameters);
  const settings = await openSettings(locked, surroundingsOf(config));
  const db = unlock(locked, keys);
  const vault = cachingState(openVault(await openBlobStore(storeOf(config))), clock);
  const blobs = substitutes.wrapVault?.(vault) ?? vault;
  const ctx: Ctx = { db, blobs, clock, random, settings, log, keys };
  return { ctx, clock, settings, createdKeyFile };
}

const stateAgeMs = 2000;

/** Asking the store for its health costs a round trip; one answer serves every upload of two seconds. */
function cachingState(vault: Vault, clock: Clock): Vault {
  let asked: { at: number; state: ReturnType<Vault['state']> } | null = null;
  return {
    ...vault,
    state() {
      const now = clock.now();
      if (asked === null || now - asked.at > stateAgeMs) {
        const state = vault.state();
        asked = { at: now, state };
        state.catch(() => {
          asked = null;
        });
      }
      return asked.state;
    },
  };
}

/** Whoever asks whether we are ready does not wait for what has fallen silent. */
const checkMs = 6000;

async function failingChecks(ctx: Ctx): Promise<string[]> {
  const limit = Promise.withResolvers<'too late'>();
  const timer = setTimeout(() => limit.resolve('too late'), checkMs);
  const within = <Answer>(probe: () => Promise<Answer>) =>
    Promise.race([probe().catch(() => 'failed' as const), limit.promise]);
  const [ping, pending, state] = await Promise.all([
    within(() => ctx.db.ping()),
    within(() => pendingMigrations(ctx.db, migrations)),
    within(() => ctx.blobs.state()),
  ]);
  clearTimeout(timer);
  const failing: string[] = [];
  if (ping !== undefined) failing.push('database');
  if (!Array.isArray(pending) || pending.length > 0) failing.push('migrations');
  if (state === 'no_uploads') failing.push('free space');
  else if (state !== 'healthy') failing.push('storage');
  return failing;
}

/** Real mail when a relay is configured; otherwise every mail is a file, so that the product works out of the box. */
export function openTransport(config: Config): MailTransport {
  const url = config.smtpUrl?.reveal();
  return url === undefined ? openFolderTransport(join(config.dataDir, 'mail')) : openSmtpTransport({ url });
}

/** Where mail goes, in words for the operator; never the password. */
export function mailRouteOf(config: Config): { server: string; security: string; user: string | null } {
  const url = config.smtpUrl?.reveal();
  if (url === undefined) return { server: join(config.dataDir, 'mail'), security: 'none (this machine)', user: null };
  const { host, port, user } = parseSmtpUrl(url);
  const protection = smtpProtection({ url });
  return {
    server: `${host}:${port}`,
    security: protection === 'loopback' ? 'none (this machine)' : protection,
    user: user === '' ? null : user,
  };
}

export function mailSettingsOf(config: Config): MailSettings {
  // An installation known by a bare IP address has no domain to write from until its operator names one.
  const domain = parseDomain(config.baseUrl.hostname, { allowSingleLabel: true }) ?? 'localhost';
  const from = config.mailFrom ?? `files@${domain}`;
  return {
    from,
    envelopeFrom: config.mailEnvelopeFrom ?? from,
    ownDomains: config.mailOwnDomains,
    perMinute: config.mailPerMinute,
  };
}

function databaseUrl(config: Config): string {
  return config.databaseUrl?.reveal() ?? `sqlite:${join(config.dataDir, 'waybill.db')}`;
}

function storeOf(config: Config): Parameters<typeof openBlobStore>[0] {
  if (config.storage === 'file') return { kind: 'file', dir: config.storageDir, minFreeBytes: config.minFreeBytes };
  return {
    kind: 's3',
    endpoint: config.s3Endpoint!.href,
    bucket: config.s3Bucket!,
    region: config.s3Region,
    accessKey: config.s3AccessKey!.reveal(),
    secretKey: config.s3SecretKey!.reveal(),
    pathStyle: config.s3PathStyle,
  };
}

function surroundingsOf(config: Config): Surroundings {
  return {
    baseUrl: config.baseUrl.href.replace(/\/$/, ''),
    timeZone: config.timeZone,
    locale: config.locale,
    chunkSizeBytes: config.chunkSizeBytes,
    maxChunkSizeBytes: config.maxChunkSizeBytes,
    formUploadMaxBytes: config.formUploadMaxBytes,
    unfinishedTtlMs: config.unfinishedTtlMs,
    deleteGraceMs: config.deleteGraceMs,
    apiRatePerMinute: config.apiRatePerMinute,
    version,
  };
}
