// The composition root: creates the running service from a configuration, in production and in tests.
import type { Socket } from 'node:net';
import { loadApp } from '#web/app/load.ts';
import { loadPages } from '#web/pages/load.ts';
import type { Ctx } from './actions/context.ts';
import { createProcessWatch, endDownloadsOf } from './actions/downloads/crashed-processes.ts';
import { stopWebhooks } from './actions/event-receivers/deliver-webhooks.ts';
import { findLostPasskeys, fixPasskeyDomain } from './actions/passkeys/domain.ts';
import { type ClientCounts, createClientCounts } from './actions/security/clients.ts';
import { ensureShipped, isSetUp, setUpFromConfig } from './actions/setup/setup.ts';
import type { SystemFacts } from './actions/system/system.ts';
import { maintainLeases } from './actions/uploads/leases.ts';
import { renewSealing } from './actions/uploads/sealing.ts';
import type { Config } from './config.ts';
import { findTablesFault } from './db/open.ts';
import { type Log, type MailTransport, Unavailable, type Vault } from './domain/ports.ts';
import type { HttpDeps } from './http/deps.ts';
import { csrfOf } from './http/identity/visits.ts';
import { createPageRenderer } from './http/pages/page-renderer.ts';
import { createLimits } from './http/transport/limits.ts';
import { createMeters, type Meters } from './http/transport/meters.ts';
import { createRedirectServer } from './http/transport/redirect.ts';
import { createHttpServer } from './http/transport/server.ts';
import { createBackupTools } from './installation/backup-tools.ts';
import { saveClock } from './installation/clock.ts';
import { databaseCheck, dependenciesOf } from './installation/dependencies.ts';
import { listLicences } from './installation/licences.ts';
import { type MailService, openMailService } from './installation/mail-route.ts';
import { createInstallationMetrics, measuredTransport, measuredVault } from './installation/metrics.ts';
import { storesOf } from './installation/move-blobs.ts';
import { type Inside, type InsideSubstitutes, openInside } from './installation/open.ts';
import { failingChecks, readinessWarnings } from './installation/readiness.ts';
import { watchRelay } from './installation/relay-watch.ts';
import { certificateCheck, openServerCertificate, type ServerCertificate } from './installation/server-certificate.ts';
import { openSetupToken } from './installation/setup-token.ts';
import { createOutageLog, createWatch, type HealthCheck, type OutageLog, type Watch } from './installation/watch.ts';
import { allJobs } from './jobs/all.ts';
import { createBackUp, createDrill } from './jobs/back-up.ts';
import { createFinishErasures } from './jobs/finish-erasures.ts';
import { areUploadsStuck } from './jobs/finish-uploads.ts';
import type { Job } from './jobs/job.ts';
import { createMarkStore } from './jobs/mark-store.ts';
import { createRenewCertificate } from './jobs/renew-certificate.ts';
import { createJobRunner, type JobRunner } from './jobs/runner.ts';
import { createScanFiles } from './jobs/scan-files.ts';
import { followScanner } from './jobs/scanner-in-force.ts';
import { createSendOutbox } from './jobs/send-outbox.ts';
import { actAsOwnerOf } from './lib/acting-user.ts';
import { createFolder, requirePrivateFolder } from './lib/folders.ts';
import { openGeo } from './lib/geo.ts';
import { openHostNames } from './lib/host-names.ts';
import type { Metric } from './lib/metrics.ts';
import { assertBuilt, builtFiles } from './lib/program-files.ts';

/** Replacements in tests. */
export interface Substitutes extends InsideSubstitutes {
  mailTransport?: MailTransport;
}

export interface App {
  ctx: Ctx;
  url: string;
  jobs: JobRunner;
  /** Serves a connection that another process accepted, at the port of the service or of redirects. */
  take(connection: Socket, port?: Port): void;
  /** Metrics of this process. */
  metrics(): Metric[];
  /** Metrics of the whole installation, equal in every process. */
  installationMetrics(): Promise<Metric[]>;
  /** Names of the checks that fail, as known to the log. */
  failing(): string[];
  routes: { method: string; path: string; kinds: string[] }[];
  /** Serves requests on open connections until none has come for `quietMs`; none by default. */
  close(limits?: { quietMs: number }): Promise<void>;
}

export type Port = 'service' | 'redirect';

/** Creates everything required before a process serves: folders, tables, keys, groups, first administrator. */
export async function prepare(config: Config, log: Log, substitutes: Substitutes = {}): Promise<void> {
  await createFolder(config.dataDir);
  await requirePrivateFolder(config.dataDir);
  if (config.storage === 'file') await createFolder(config.storageDir);
  assertBuilt();
  await openGeo(config.geoipDb);
  const { ctx, createdKeyFile, close } = await openInside(config, log, { updatesTables: true, substitutes });
  try {
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
        organisationName: config.organisationName,
      });
    }
    await openSetupToken(ctx, config);
    await fixPasskeyDomain(ctx);
    const lost = await findLostPasskeys(ctx.db.read, config.baseUrl.hostname, ctx.settings.current());
    if (lost !== null) log.warn({ ...lost }, 'passkeys were set up for another domain and do not work at this address');
  } finally {
    await close();
  }
}

/** For commands; starts no server. */
export async function withInstallation<Result>(
  config: Config,
  log: Log,
  work: (ctx: Ctx) => Promise<Result>,
): Promise<Result> {
  return withInside(config, log, ({ ctx }) => work(ctx));
}

export async function withInside<Result>(
  config: Config,
  log: Log,
  work: (inside: Inside) => Promise<Result>,
): Promise<Result> {
  actAsOwnerOf(config.dataDir);
  const inside = await openInside(config, log, { isCommand: true });
  try {
    return await work(inside);
  } finally {
    await inside.close();
  }
}

export async function startApp(
  config: Config,
  baseLog: Log,
  substitutes: Substitutes = {},
  from: { connections: 'own port' | 'handed over' } = { connections: 'own port' },
): Promise<App> {
  const meters = createMeters();
  const log = createOutageLog(baseLog, dependenciesOf(config));
  const inside = await openInside(config, log, { waitsForClock: true, substitutes: measured(substitutes, meters) });
  const { ctx, clock, close } = inside;
  const mail = openMailService(ctx, config, substitutes.mailTransport);
  const { transport, check } = watchRelay(measuredTransport(mail.transport, meters));
  const certificate = await openServerCertificate(config, ctx, log);
  const watch = watchInside(inside, log, [
    databaseCheck(config, ctx.db),
    ...(config.role === 'web' ? [] : [check]),
    ...(certificate === null ? [] : [{ name: certificateCheck, check: certificate.check }]),
  ]);
  await watch.check();
  const setup = await watchSetup(ctx, config);
  const clients = createClientCounts(ctx);
  const jobs = createJobRunner(ctx, [...allJobs, ...jobsOf(config, inside, { ...mail, transport })], {
    pausedBecause: (job) => pauseOf(inside, job),
    failed: meters.jobFailed,
    async upkeep() {
      await clock.compare();
      await watch.check();
      if (!clock.isRight()) return;
      await clients.flush();
      await setup.check();
      await refresh(inside);
      if (config.role !== 'web' && (await areUploadsStuck(ctx))) startJob(jobs, 'finish-uploads', log);
    },
  });
  const processes = createProcessWatch(ctx, jobs.holder, storesOf(config));
  const deps = await httpDeps(config, ctx, setup, { mail, jobs, clients, meters, certificate, watch });
  const ports = await openPorts(config, deps, from.connections === 'handed over');
  processes.start();
  if (config.role !== 'web') jobs.start();
  else jobs.startUpkeep();
  return {
    ctx,
    url: ports.url,
    jobs: endingDownloads(jobs, ctx),
    take: ports.take,
    metrics: meters.snapshot,
    installationMetrics: createInstallationMetrics(ctx),
    failing: watch.failing,
    routes: ports.routes,
    async close({ quietMs } = { quietMs: 0 }) {
      await ports.close(quietMs);
      await Promise.all([jobs.stop(), stopWebhooks(ctx)]);
      await processes.stop();
      await transport.close();
      await clients.flush().catch(() => {});
      await saveClock(ctx.db, clock).catch(() => {});
      await close();
    },
  };
}

interface Ports extends Pick<App, 'url' | 'take' | 'routes'> {
  close(quietMs: number): Promise<void>;
}

async function openPorts(config: Config, deps: HttpDeps, isHandedOver: boolean): Promise<Ports> {
  const http = createHttpServer(deps);
  const redirect = createRedirectServer({ baseUrl: config.baseUrl, challenges: deps.certificate?.challenges ?? null });
  let url = '';
  if (isHandedOver) http.open();
  else if (config.role !== 'jobs') {
    url = await http.listen(config.listen);
    if (config.tlsRedirectListen !== null) await redirect.listen(config.tlsRedirectListen);
  }
  return {
    url,
    routes: http.routes,
    take: (connection, port) => (port === 'redirect' ? redirect : http).take(connection),
    async close(quietMs) {
      await redirect.close();
      await http.close({ graceMs: config.shutdownGraceMs, quietMs });
    },
  };
}

async function refresh({ ctx, clock, quarantine, refreshKeys }: Inside): Promise<void> {
  await maintainLeases(ctx);
  await renewSealing(ctx);
  await ctx.settings.refresh();
  await quarantine.refresh();
  await refreshKeys();
  await saveClock(ctx.db, clock);
}

/** Also closes the downloads of a dead process. */
function endingDownloads(jobs: JobRunner, ctx: Ctx): JobRunner {
  return {
    ...jobs,
    async releaseLeasesOf(dead) {
      await jobs.releaseLeasesOf(dead);
      await endDownloadsOf(ctx, dead);
    },
  };
}

function jobsOf(config: Config, inside: Inside, { transport, settings }: MailService): Job[] {
  const backups = createBackupTools(config, inside);
  return [
    createMarkStore(inside.owner),
    ...(config.acmeDomains.length === 0 ? [] : [createRenewCertificate(config)]),
    createFinishErasures(transport),
    createSendOutbox(transport, settings),
    createBackUp(backups),
    createDrill(backups),
    createScanFiles(followScanner()),
  ];
}

/** Meters are the outermost layer. */
function measured(substitutes: Substitutes, meters: Meters): Substitutes {
  const wrapVault = (vault: Vault) => measuredVault(substitutes.wrapVault?.(vault) ?? vault, meters);
  return { ...substitutes, wrapVault };
}

const storeCheckMs = 15_000;
const tablesCheckMs = 15_000;

function watchInside({ ctx, clock, owner, quarantine }: Inside, log: OutageLog, more: HealthCheck[]): Watch {
  return createWatch(log, [
    { name: 'clock', check: async () => clock.fault() },
    { name: 'storage', everyMs: storeCheckMs, check: async () => (await owner.check()) ?? checkStore(ctx.blobs) },
    { name: 'migrations', everyMs: tablesCheckMs, check: () => checkTables(ctx.db) },
    { name: 'quarantine', check: async () => quarantine.fault() },
    ...more,
  ]);
}

/** An unreachable database is reported by another check; then the schema check is skipped. */
function checkTables(db: Ctx['db']): Promise<string | null> {
  return findTablesFault(db).catch((error: unknown) => {
    if (error instanceof Unavailable) return null;
    throw error;
  });
}

/** Uses the store's own error message, which is more specific. */
async function checkStore(blobs: Vault): Promise<string | null> {
  const state = await blobs.state();
  return state === 'healthy' ? null : `The store is not as it should be (${state}): ${blobs.trouble()}`;
}

/** A machine with a wrong clock changes nothing; a copy neither sends nor erases. */
function pauseOf({ clock, quarantine }: Inside, job: Job): string | null {
  if (!clock.isRight()) return clock.fault();
  return job.isHarmless === true ? null : quarantine.fault();
}

/** Starts the job without awaiting it. */
function startJob(jobs: JobRunner, name: string, log: Log): void {
  jobs.runOnce(name).catch((error: unknown) => log.error({ job: name, err: String(error) }, 'a background job failed'));
}

/** Another process may have created the first administrator. */
async function watchSetup(ctx: Ctx, config: Config) {
  const token = await openSetupToken(ctx, config);
  let isDone = await isSetUp(ctx);
  return {
    isDone: () => isDone,
    tokenSource: token.source,
    async check() {
      if (!isDone) isDone = await isSetUp(ctx);
    },
    async done() {
      isDone = true;
      await ctx.settings.refresh();
      await token.remove();
    },
  };
}

function systemFacts(config: Config, ctx: Ctx, jobs: JobRunner): SystemFacts {
  return {
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    database: config.databaseUrl === null ? 'SQLite' : 'PostgreSQL',
    storage: config.storage === 's3' ? 'S3' : 'folder',
    startedAt: ctx.clock.now(),
    settings: config.inForce,
    licences: listLicences,
    jobs: jobs.jobs,
    runJob: jobs.runOnce,
    failingChecks: () => failingChecks(ctx),
    areBackupsScheduled: config.backupDir !== null,
  };
}

interface HttpParts {
  mail: MailService;
  jobs: JobRunner;
  clients: ClientCounts;
  meters: Meters;
  certificate: ServerCertificate | null;
  watch: Watch;
}

async function httpDeps(
  config: Config,
  ctx: Ctx,
  setup: Awaited<ReturnType<typeof watchSetup>>,
  { mail, jobs, clients, meters, certificate, watch }: HttpParts,
): Promise<HttpDeps> {
  const { baseUrl } = config;
  return {
    ctx,
    processId: jobs.holder,
    baseUrl,
    certificate,
    trustProxy: config.trustProxy,
    allowInsecureHttp: config.insecureHttp,
    openapi: config.openapi,
    geo: await openGeo(config.geoipDb),
    hostNames: openHostNames(config.hostNames),
    meters,
    limits: createLimits({ apiRatePerMinute: config.apiRatePerMinute, meters }),
    pages: createPageRenderer(await loadPages(builtFiles('pages')), ctx.settings, {
      baseUrl,
      isSetUp: setup.isDone,
      canSendMail: () => mail.transport.isReal,
      csrfOf: (raw) => csrfOf({ ctx, baseUrl }, raw),
    }),
    builtApp: loadApp(builtFiles('app')),
    mail: mail.connection,
    clients,
    system: systemFacts(config, ctx, jobs),
    failingChecks: () => failingChecks(ctx),
    readinessWarnings: () => readinessWarnings(ctx, watch.failing()),
    setup: {
      tokenSource: setup.tokenSource,
      masterKeyFile: config.masterKey === null ? config.masterKeyFile : null,
      done: setup.done,
    },
  };
}
