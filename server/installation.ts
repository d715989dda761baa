// Opening an installation: the master key against the database it belongs to, the keys it wraps, the clock's high-water
// mark, the settings. Part of the composition root.

import type { Keys } from './actions/context.ts';
import type { Config } from './config.ts';
import {
  findMeta,
  findMetaNumber,
  insertKeyEncryptionKey,
  listKeyEncryptionKeys,
  raiseMeta,
  setMeta,
} from './db/installation.ts';
import type { LockedDb } from './db/schema.ts';
import { findSettings } from './db/settings.ts';
import type { Clock, Random } from './domain/ports.ts';
import { defaultSettings, type Settings, type SettingsSource, type Surroundings } from './domain/settings.ts';
import { type BaseClock, type SteadyClock, steadyClock } from './lib/clock.ts';
import { type Keyring, openKeyring, openKeyWrapper } from './lib/keyring.ts';
import { loadMasterKey, MasterKeyProblem } from './lib/master-key.ts';
import { type HashParameters, openPasswords } from './lib/password.ts';

export interface OpenedKeys {
  keys: Keys;
  /** Path of a key file that was made just now, so that the operator can be told. */
  createdKeyFile: string | null;
}

/** The keys of this installation, or a sentence that says why the start stops. Data is never touched by a wrong key. */
export async function openKeys(
  config: Pick<Config, 'masterKey' | 'masterKeyFile'>,
  db: LockedDb,
  random: Random,
  clock: Clock,
  passwordParameters?: HashParameters,
): Promise<OpenedKeys> {
  const check = await findMeta(db.read, 'key_check');
  const given = config.masterKey === null ? null : Buffer.from(config.masterKey.reveal(), 'base64');
  const { key, wasCreated } =
    given === null
      ? await loadMasterKey(config.masterKeyFile, check === null, random)
      : { key: given, wasCreated: false };
  const keyring = openKeyring(key, random);
  const expected = keyring.hash('key-check', 'waybill').toString('hex');
  if (check !== null && check !== expected) {
    throw new MasterKeyProblem(
      'The master key does not belong to this database. Nothing was changed; start again with the right key.',
    );
  }
  if (check === null) await db.write((tx) => setMeta(tx, 'key_check', expected));
  const files = openKeyWrapper(await keyEncryptionKeys(keyring, db, random, clock), random);
  const passwords = openPasswords({
    pepper: keyring.pepper,
    pepperId: '1',
    random,
    ...(passwordParameters === undefined ? {} : { parameters: passwordParameters }),
  });
  return { keys: { ...keyring, files, passwords }, createdKeyFile: wasCreated ? config.masterKeyFile : null };
}

async function keyEncryptionKeys(
  keyring: Keyring,
  db: LockedDb,
  random: Random,
  clock: Clock,
): Promise<Map<number, Buffer>> {
  if ((await listKeyEncryptionKeys(db.read)).length === 0) {
    await db.write(async (tx) => {
      if ((await listKeyEncryptionKeys(tx)).length > 0) return;
      await insertKeyEncryptionKey(tx, 1, keyring.seal('key-encryption-key', random.bytes(32), '1'), clock.now());
    });
  }
  const rows = await listKeyEncryptionKeys(db.read);
  return new Map(rows.map((row) => [row.id, keyring.open('key-encryption-key', row.wrapped, String(row.id))]));
}

const highWaterKey = 'clock_high_water';

const uptimeKey = 'uptime';

export interface ServiceClock extends Clock, SteadyClock {}

/** A clock that never goes back, also across restarts: a clock set back revives nothing (security D22). */
export async function openClock(db: LockedDb, base: BaseClock): Promise<ServiceClock> {
  const steady = steadyClock(base, await findMetaNumber(db.read, highWaterKey));
  const before = await findMetaNumber(db.read, uptimeKey);
  const startedAt = base.monotonic();
  return { now: steady.now, raise: steady.raise, uptime: () => before + base.monotonic() - startedAt };
}

/** Writes the marks down and takes over a higher one of another process. */
export async function saveClock(db: LockedDb, clock: ServiceClock): Promise<void> {
  const now = clock.now();
  const uptime = Math.floor(clock.uptime());
  await db.write(async (tx) => {
    clock.raise(await raiseMeta(tx, highWaterKey, now));
    await raiseMeta(tx, uptimeKey, uptime);
  });
}

export async function openSettings(db: LockedDb, surroundings: Surroundings): Promise<SettingsSource> {
  let settings: Settings = defaultSettings;
  let version = -1;
  const source: SettingsSource = {
    surroundings,
    current: () => settings,
    async refresh() {
      const found = await findSettings(db.read);
      if (found === undefined || found.version === version) return;
      ({ settings, version } = found);
    },
  };
  await source.refresh();
  return source;
}
