// The keys of an installation: the master key, checked against the database it belongs to, and the keys it wraps.
import type { Keys } from '../actions/context.ts';
import type { Config } from '../config.ts';
import { claimMeta, findMeta, insertKeyEncryptionKey, listKeyEncryptionKeys } from '../db/installation.ts';
import type { LockedDb } from '../db/schema.ts';
import type { Clock, Random } from '../domain/ports.ts';
import { type Keyring, openKeyring, openKeyWrapper } from '../lib/keyring.ts';
import { loadMasterKey, MasterKeyProblem, removeMasterKey } from '../lib/master-key.ts';
import { type HashParameters, openPasswords } from '../lib/password.ts';

export type MasterSeal = Pick<Keyring, 'seal' | 'open' | 'hash'>;

export interface OpenedKeys {
  keys: Keys;
  /** What the master key itself seals: the keys of the installation, and backups. */
  master: MasterSeal;
  /** Path of a key file that was made just now, so that the operator can be told. */
  createdKeyFile: string | null;
}

/** The keys of this installation, or a sentence that says why the start stops. Data is never touched by a wrong key. */
export async function openKeys(
  config: Pick<Config, 'masterKey' | 'masterKeyFile'>,
  db: LockedDb,
  given: { random: Random; clock: Clock; passwordParameters?: HashParameters | undefined },
): Promise<OpenedKeys> {
  const { random, clock, passwordParameters } = given;
  const check = await findMeta(db.read, 'key_check');
  const configured = config.masterKey === null ? null : Buffer.from(config.masterKey.reveal(), 'base64');
  const { key, wasCreated } =
    configured === null
      ? await loadMasterKey(config.masterKeyFile, check === null, random)
      : { key: configured, wasCreated: false };
  const keyring = openKeyring(key, random);
  const expected = proofOf(keyring);
  if (check === null && (await begin(db, { expected, keyring, random, clock })) !== expected) {
    if (wasCreated) await removeMasterKey(config.masterKeyFile);
    throw begunElsewhere(config);
  }
  if (check !== null && check !== expected) {
    throw new MasterKeyProblem(
      'The master key does not belong to this database. Nothing was changed; start again with the right key.',
    );
  }
  const files = openKeyWrapper(await keyEncryptionKeys(keyring, db), random);
  const passwords = openPasswords({
    pepper: keyring.pepper,
    pepperId: '1',
    random,
    ...(passwordParameters === undefined ? {} : { parameters: passwordParameters }),
  });
  return {
    keys: { ...keyring, files, passwords },
    master: keyring,
    createdKeyFile: wasCreated ? config.masterKeyFile : null,
  };
}

/** The master key alone, for what is not opened with its database: restoring a backup. It is never made here. */
export async function openMaster(
  config: Pick<Config, 'masterKey' | 'masterKeyFile'>,
  random: Random,
): Promise<MasterSeal> {
  if (config.masterKey !== null) return openKeyring(Buffer.from(config.masterKey.reveal(), 'base64'), random);
  return openKeyring((await loadMasterKey(config.masterKeyFile, false, random)).key, random);
}

/** What proves that a key is the one of a database or a backup. */
export function proofOf(master: Pick<Keyring, 'hash'>): string {
  return master.hash('key-check', 'waybill').toString('hex');
}

interface Beginning {
  /** What proves that a key is the one of this database. */
  expected: string;
  keyring: Keyring;
  random: Random;
  clock: Clock;
}

/** The first start, in one transaction: of several machines one is first. Returns the proof of the key that counts. */
function begin(db: LockedDb, { expected, keyring, random, clock }: Beginning): Promise<string | null> {
  return db.write(async (tx) => {
    if (!(await claimMeta(tx, 'key_check', expected))) return findMeta(tx, 'key_check');
    await insertKeyEncryptionKey(tx, 1, keyring.seal('key-encryption-key', random.bytes(32), '1'), clock.now());
    return expected;
  });
}

function begunElsewhere({ masterKey, masterKeyFile }: Pick<Config, 'masterKey' | 'masterKeyFile'>): MasterKeyProblem {
  const place = masterKey === null ? `to ${masterKeyFile}` : 'into WAYBILL_MASTER_KEY';
  return new MasterKeyProblem(
    `Another machine has just started this installation with a key of its own. Copy its master key ${place}, then start again.`,
  );
}

async function keyEncryptionKeys(keyring: Keyring, db: LockedDb): Promise<Map<number, Buffer>> {
  const rows = await listKeyEncryptionKeys(db.read);
  return new Map(rows.map((row) => [row.id, keyring.open('key-encryption-key', row.wrapped, String(row.id))]));
}
