// Opens database, keys, clock, settings and store of an installation. Part of the composition root; nothing else opens
// them.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Ctx } from '../actions/context.ts';
import { openVault } from '../blobs/encrypted.ts';
import { openMovingEvidence, openMovingStore } from '../blobs/moving-store.ts';
import { openBlobStore, openEvidenceFiles } from '../blobs/open.ts';
import type { Config } from '../config.ts';
import { findTablesFault, migrateDatabase, openDatabase } from '../db/open.ts';
import type { Db, LockedDb } from '../db/schema/schema.ts';
import { claimInstallationId, findInstallationId } from '../db/system/installation.ts';
import { unlock } from '../db/unlock.ts';
import type { BlobStore, Clock, EvidenceFiles, Log, Random, Vault } from '../domain/ports.ts';
import { actAsOwnerOf } from '../lib/acting-user.ts';
import { type BaseClock, systemClock } from '../lib/clock.ts';
import { counted } from '../lib/counted.ts';
import { createFolder } from '../lib/folders.ts';
import { createRandom } from '../lib/ids.ts';
import { OperatorProblem } from '../lib/operator-problem.ts';
import type { HashParameters } from '../lib/password.ts';
import { assertCorrectClock, openClock, type Reference, referenceOf, type ServiceClock } from './clock.ts';
import { type MasterSeal, openKeys } from './keys.ts';
import { detectCopy, openQuarantine, type Quarantine } from './quarantine.ts';
import { openSettings, surroundingsOf } from './settings.ts';
import { createStoreOwner, guardVault, type OwnerOptions, type StoreOwner, storePlace } from './store-owner.ts';

/** Replacements in tests. */
export interface InsideSubstitutes {
  clock?: BaseClock;
  /** Replaces the clock of the database. */
  reference?: () => Promise<number>;
  random?: Random;
  passwordParameters?: HashParameters;
  wrapVault?(vault: Vault): Vault;
  wrapEvidence?(files: EvidenceFiles): EvidenceFiles;
}

export interface Inside {
  ctx: Ctx;
  clock: ServiceClock;
  owner: StoreOwner;
  quarantine: Quarantine;
  /** Encrypted bytes, as stored. */
  store: BlobStore;
  master: MasterSeal;
  /** Loads file keys that another process has created. */
  refreshKeys(): Promise<void>;
  /** Set when the key file was just created. */
  createdKeyFile: string | null;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Migrates the tables; only the first process does. */
  updatesTables?: boolean;
  /** Commands change no tables and create no database. */
  isCommand?: boolean;
  /** A wrong clock delays the start instead of refusing it. */
  waitsForClock?: boolean;
  substitutes?: InsideSubstitutes;
}

export async function openInside(config: Config, log: Log, options: OpenOptions = {}): Promise<Inside> {
  if (options.isCommand === true) requireDatabase(config);
  const db = await openDatabase(databaseUrl(config), {
    connections: Math.floor(config.databaseConnections / config.workers),
    ...(options.updatesTables === true ? { silenceMs: 0 } : {}),
  });
  try {
    if (options.isCommand === true) await requireTables(db);
    const substitutes = options.substitutes ?? {};
    const { base, reference } = timeOf(db, substitutes);
    if (options.waitsForClock !== true) await assertCorrectClock(base, reference);
    if (options.updatesTables === true) {
      const ran = await migrateDatabase(db);
      if (ran.length > 0) {
        log.info({}, `the tables were brought up to date: ${counted(ran.length, 'migration')}`);
        log.debug({ migrations: ran }, 'these migrations ran');
      }
      await detectCopy(db, sqlitePath(config));
      await warnOfFewConnections(db, config, log);
    }
    const clock = await openClock(db, base, reference);
    const inside = await openOver(db, clock, { config, log, substitutes });
    return {
      ...inside,
      async close() {
        await inside.ctx.blobs.close();
        await inside.ctx.evidence.close();
        await db.close();
      },
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function warnOfFewConnections(db: LockedDb, { databaseConnections: ours }: Config, log: Log): Promise<void> {
  const permitted = (await db.connectionsPermitted?.()) ?? null;
  if (permitted === null || permitted >= ours) return;
  log.warn(
    { permitted, ours },
    `The database permits ${permitted} connections, but the workers of this machine may open ${ours}: at its limit requests ` +
      'wait for one another. Raise max_connections of PostgreSQL (or the limit of the role or the database), or lower ' +
      'WAYBILL_DATABASE_CONNECTIONS.',
  );
}

/** A test clock is not compared with the clock of the database. */
function timeOf(db: LockedDb, { clock, reference }: InsideSubstitutes): { base: BaseClock; reference: Reference } {
  return { base: clock ?? systemClock(), reference: reference ?? (clock === undefined ? referenceOf(db) : null) };
}

/** The database alone, for commands that need no key. */
export async function withDatabase<Result>(
  config: Config,
  work: (db: LockedDb) => Promise<Result>,
  { tables }: { tables: 'current' | 'any' } = { tables: 'current' },
): Promise<Result> {
  actAsOwnerOf(config.dataDir);
  requireDatabase(config);
  const db = await openDatabase(databaseUrl(config));
  try {
    if (tables === 'current') await requireTables(db);
    return await work(db);
  } finally {
    await db.close();
  }
}

/** Creates or migrates the database. Returns the names of the migrations that ran. */
export async function updateTables(config: Config): Promise<string[]> {
  await createFolder(config.dataDir);
  actAsOwnerOf(config.dataDir);
  const db = await openDatabase(databaseUrl(config), { silenceMs: 0 });
  try {
    return await migrateDatabase(db);
  } finally {
    await db.close();
  }
}

/** SQLite would create an empty one, possibly with the wrong owner. */
function requireDatabase(config: Config): void {
  const path = sqlitePath(config);
  if (path === null) return;
  try {
    statSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES')
      throw new OperatorProblem(`This user cannot enter ${config.dataDir}. Run the command as root (sudo).`);
    throw new OperatorProblem(
      `There is no database in ${config.dataDir}. Set WAYBILL_DATA_DIR as for the service, or start it first: waybill-server start`,
    );
  }
}

async function requireTables(db: LockedDb): Promise<void> {
  const fault = await findTablesFault(db);
  if (fault !== null) throw new OperatorProblem(fault);
}

interface Surroundings {
  config: Config;
  log: Log;
  substitutes: InsideSubstitutes;
}

async function openOver(locked: LockedDb, clock: ServiceClock, { config, log, substitutes }: Surroundings) {
  const random = substitutes.random ?? createRandom();
  const { passwordParameters } = substitutes;
  const { keys, master, refresh, createdKeyFile } = await openKeys(config, locked, {
    random,
    clock,
    passwordParameters,
  });
  const settings = await openSettings(locked, surroundingsOf(config));
  const db = guardedBy(clock, unlock(locked, keys));
  if ((await findInstallationId(db.read)) === '') await db.write((tx) => claimInstallationId(tx, random.id()));
  const quarantine = await openQuarantine(db);
  const { store, files, former } = await openStores(config);
  const owner = createStoreOwner(db, store, {
    where: storePlace(config),
    former,
    onOlderDatabase: () => quarantine.begin('older'),
  });
  const vault = cachingState(guardVault(openVault(store), owner), clock);
  const blobs = substitutes.wrapVault?.(vault) ?? vault;
  const evidence = substitutes.wrapEvidence?.(files) ?? files;
  const ctx: Ctx = { db, blobs, clock, random, settings, log, keys, evidence };
  return { ctx, clock, owner, quarantine, store, master, refreshKeys: refresh, createdKeyFile };
}

/** A machine with a wrong clock may read, but not write. */
function guardedBy(clock: ServiceClock, db: Db): Db {
  return {
    ...db,
    async write(work) {
      clock.assertRight();
      return db.write(work);
    },
  };
}

const stateAgeMs = 2000;

/** Caches the state, because checking an S3 store costs a round trip. */
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

export function databaseUrl(config: Config): string {
  return config.databaseUrl?.reveal() ?? `sqlite:${sqlitePath(config)}`;
}

export function sqlitePath(config: Config): string | null {
  return config.databaseUrl === null ? join(config.dataDir, 'waybill.db') : null;
}

type StorePlace = 'file' | 's3';

export function storeOf(config: Config, place: StorePlace = config.storage): Parameters<typeof openBlobStore>[0] {
  if (place === 'file') return { kind: 'file', dir: config.storageDir, minFreeBytes: config.minFreeBytes };
  return { kind: 's3', ...bucketOf(config) };
}

export function evidenceOf(
  config: Config,
  place: StorePlace = config.storage,
): Parameters<typeof openEvidenceFiles>[0] {
  if (place === 'file') return { kind: 'file', dir: join(config.dataDir, 'evidence') };
  return { kind: 's3', ...bucketOf(config), prefix: `${config.s3Prefix}evidence/` };
}

/** Files that are not moved yet are read from the former store. */
async function openStores(
  config: Config,
): Promise<{ store: BlobStore; files: EvidenceFiles; former: NonNullable<OwnerOptions['former']> | null }> {
  const store = await openBlobStore(storeOf(config));
  const files = await openEvidenceFiles(evidenceOf(config));
  const { storageBefore } = config;
  if (storageBefore === 'none') return { store, files, former: null };
  const former = await openBlobStore(storeOf(config, storageBefore));
  return {
    former: {
      store: former,
      where: `${storePlace({ ...config, storage: storageBefore })}, where files were before`,
    },
    store: openMovingStore(store, former),
    files: openMovingEvidence(files, await openEvidenceFiles(evidenceOf(config, storageBefore))),
  };
}

function bucketOf(config: Config) {
  return {
    endpoint: config.s3Endpoint!.href,
    bucket: config.s3Bucket!,
    region: config.s3Region,
    accessKey: config.s3AccessKey!.reveal(),
    secretKey: config.s3SecretKey!.reveal(),
    pathStyle: config.s3PathStyle,
    prefix: config.s3Prefix,
  };
}
