// The keys of an installation: the master key, checked against its database, and the keys it wraps.
import type { Keys } from '../actions/context.ts';
import type { Config } from '../config.ts';
import type { LockedDb } from '../db/schema/schema.ts';
import { claimMeta, findMeta, insertKeyEncryptionKey, listKeyEncryptionKeys } from '../db/system/installation.ts';
import type { Clock, Random } from '../domain/ports.ts';
import { type GrowingKeyWrapper, type Keyring, openKeyring, openKeyWrapper } from '../lib/keyring.ts';
import { loadMasterKey, MasterKeyProblem, removeMasterKey } from '../lib/master-key.ts';
import { type HashParameters, openPasswords } from '../lib/password.ts';

export type MasterSeal = Pick<Keyring, 'seal' | 'open' | 'hash'>;

export interface OpenedKeys {
  keys: Keys;
  /** Seals the installation's keys, and backups. */
  master: MasterSeal;
  /** Loads keys that another process has created, and a new master key once it is in the key file. */
  refresh(): Promise<void>;
  /** Set when the key file was just created. */
  createdKeyFile: string | null;
}

/** Every running process has loaded a new file key within this time. */
export const keySettleMs = 15_000;
/** A new file key is used from this age on, because clocks may differ by a minute. */
export const keyUseAgeMs = 90_000;
export const rootKey = 'root_key';
export const keyCheck = 'key_check';

/** Throws a sentence for operators when the key is wrong. A wrong key never changes data. */
export async function openKeys(
  config: Pick<Config, 'masterKey' | 'masterKeyFile'>,
  db: LockedDb,
  given: { random: Random; clock: Clock; passwordParameters?: HashParameters | undefined },
): Promise<OpenedKeys> {
  const { random, clock, passwordParameters } = given;
  const check = await findMeta(db.read, keyCheck);
  const { masters, wasCreated } = await loadMasters(config, check === null, random);
  // During a rotation the file has both keys; the database decides.
  const master = masters.find((candidate) => proofOf(candidate) === check) ?? masters[0]!;
  const expected = proofOf(master);
  if (check === null && (await begin(db, { expected, keyring: master, random, clock })) !== expected) {
    if (wasCreated) await removeMasterKey(config.masterKeyFile);
    throw createdElsewhere(config);
  }
  if (check !== null && check !== expected) {
    throw new MasterKeyProblem(
      'The master key does not belong to this database. Nothing was changed; start again with the right key.' +
        ' If it was changed on another machine (key rotate), copy the key file from there.',
    );
  }
  const keyring = await openRoot(db, master, random);
  const files = openKeyWrapper(await keyEncryptionKeys(master, db), random);
  const current = openCurrentMaster(config, master, random);
  const refresh = async () => {
    await current.follow(await findMeta(db.read, keyCheck));
    await loadKeys(db, current.master, files, clock);
  };
  await refresh();
  const passwords = openPasswords({
    pepper: keyring.pepper,
    pepperId: '1',
    random,
    ...(passwordParameters === undefined ? {} : { parameters: passwordParameters }),
  });
  return {
    keys: { ...keyring, files, passwords },
    master: current.master,
    refresh,
    createdKeyFile: wasCreated ? config.masterKeyFile : null,
  };
}

/** Follows a change of the master key while this process runs. */
function openCurrentMaster(
  config: Pick<Config, 'masterKey' | 'masterKeyFile'>,
  opened: Keyring,
  random: Random,
): { master: MasterSeal; follow(check: string | null): Promise<void> } {
  let current = opened;
  return {
    master: {
      seal: (...sealing) => current.seal(...sealing),
      open: (...opening) => current.open(...opening),
      hash: (...hashing) => current.hash(...hashing),
    },
    async follow(check) {
      if (check === proofOf(current)) return;
      // A machine without the new key continues with its open keys until it restarts.
      const loaded = await loadMasters(config, false, random).catch(() => null);
      current = loaded?.masters.find((candidate) => proofOf(candidate) === check) ?? current;
    },
  };
}

/** For backups, without a database. Returns both keys during a rotation. */
export async function openMasters(
  config: Pick<Config, 'masterKey' | 'masterKeyFile'>,
  random: Random,
): Promise<MasterSeal[]> {
  return (await loadMasters(config, false, random)).masters;
}

async function loadMasters(
  { masterKey, masterKeyFile }: Pick<Config, 'masterKey' | 'masterKeyFile'>,
  mayCreate: boolean,
  random: Random,
): Promise<{ masters: Keyring[]; wasCreated: boolean }> {
  if (masterKey !== null)
    return { masters: [openKeyring(Buffer.from(masterKey.reveal(), 'base64'), random)], wasCreated: false };
  const { key, next, wasCreated } = await loadMasterKey(masterKeyFile, mayCreate, random);
  const keys = next === null ? [key] : [key, next];
  return { masters: keys.map((each) => openKeyring(each, random)), wasCreated };
}

/** The first master key, wrapped by later ones: the root of names, texts and lookups. */
async function openRoot(db: LockedDb, master: Keyring, random: Random): Promise<Keyring> {
  const wrapped = await findMeta(db.read, rootKey);
  if (wrapped === null) return master;
  return openKeyring(master.open('root-key', Buffer.from(wrapped, 'base64'), 'root'), random);
}

async function loadKeys(db: LockedDb, master: MasterSeal, files: GrowingKeyWrapper, clock: Clock): Promise<void> {
  const rows = await listKeyEncryptionKeys(db.read);
  for (const { id, wrapped } of rows) {
    if (files.knows(id)) continue;
    try {
      files.add(id, master.open('key-encryption-key', wrapped, String(id)));
    } catch {
      // Sealed with a master key that this machine does not have yet.
    }
  }
  const known = rows.filter(({ id }) => files.knows(id));
  const settled = known.filter(({ createdAt }) => createdAt + keyUseAgeMs <= clock.now());
  files.use((settled.at(-1) ?? known[0]!).id);
}

/** Identifies a master key in databases and backups. */
export function proofOf(master: Pick<Keyring, 'hash'>): string {
  return master.hash('key-check', 'waybill').toString('hex');
}

interface Beginning {
  expected: string;
  keyring: Keyring;
  random: Random;
  clock: Clock;
}

/** Runs once: exactly one of several machines succeeds. Returns the proof of the valid key. */
function begin(db: LockedDb, { expected, keyring, random, clock }: Beginning): Promise<string | null> {
  return db.write(async (tx) => {
    if (!(await claimMeta(tx, keyCheck, expected))) return findMeta(tx, keyCheck);
    await insertKeyEncryptionKey(tx, 1, keyring.seal('key-encryption-key', random.bytes(32), '1'), clock.now());
    return expected;
  });
}

function createdElsewhere({ masterKey, masterKeyFile }: Pick<Config, 'masterKey' | 'masterKeyFile'>): MasterKeyProblem {
  const place = masterKey === null ? `to ${masterKeyFile}` : 'into WAYBILL_MASTER_KEY';
  return new MasterKeyProblem(
    `Another machine has just started this installation with a key of its own. Copy its master key ${place}, then start again.`,
  );
}

async function keyEncryptionKeys(keyring: MasterSeal, db: LockedDb): Promise<Map<number, Buffer>> {
  const rows = await listKeyEncryptionKeys(db.read);
  return new Map(rows.map((row) => [row.id, keyring.open('key-encryption-key', row.wrapped, String(row.id))]));
}
