// Changes the master key while servers run. An interrupted rotation resumes: the key file has both keys before the
// database changes and until afterwards, so the database is never sealed with a key missing from the file.
import type { Config } from '../config.ts';
import { lockFile } from '../db/engine/file-lock.ts';
import type { LockedDb } from '../db/schema/schema.ts';
import {
  findMeta,
  insertKeyEncryptionKey,
  listKeyEncryptionKeys,
  rewrapKeyEncryptionKey,
  setMeta,
} from '../db/system/installation.ts';
import type { Random } from '../domain/ports.ts';
import { openKeyring } from '../lib/keyring.ts';
import { keepFormerKey, loadMasterKey, MasterKeyProblem, replaceMasterKeys } from '../lib/master-key.ts';
import { keyCheck, keySettleMs, proofOf, rootKey } from './keys.ts';

/** Proof of the new key, once its file key exists. */
const comingKey = 'key_rotation';
/** An unfinished rotation of another machine may be replaced after this time. */
const abandonedMs = 600_000;

export interface RotationTools {
  config: Pick<Config, 'masterKey' | 'masterKeyFile'>;
  db: LockedDb;
  random: Random;
  now(): number;
  /** Waits until every server has loaded the new file key. */
  settle(ms: number): Promise<void>;
}

/** A run begins with the first step that is not done. */
export const rotationSteps = ['both keys in the file', 'key for new files', 'database', 'new key alone'] as const;
export type RotationStep = (typeof rotationSteps)[number];

interface KeyPair {
  key: Buffer;
  coming: Buffer;
}

/** Runs up to and including step `last`. */
export async function rotateMasterKey(tools: RotationTools, last: RotationStep = 'new key alone'): Promise<void> {
  const { masterKey, masterKeyFile: path } = tools.config;
  if (masterKey !== null)
    throw new MasterKeyProblem(
      'The master key is in WAYBILL_MASTER_KEY. Put it into a file and name that in WAYBILL_MASTER_KEY_FILE, then rotate it.',
    );
  // Before the lock file is created.
  await loadMasterKey(path, false, tools.random);
  using lock = lockFile(`${path}.lock`);
  if (lock === null) throw new MasterKeyProblem(`Another key rotate is running over ${path}. Wait until it has ended.`);
  await takeSteps(tools, last);
}

async function takeSteps(tools: RotationTools, last: RotationStep): Promise<void> {
  const { db, random } = tools;
  const path = tools.config.masterKeyFile;
  const { key, next } = await loadMasterKey(path, false, random);
  const pair = { key, coming: next ?? random.bytes(32) };
  const isDone = (await findMeta(db.read, keyCheck)) === proofOf(openKeyring(pair.coming, random));
  if (!isDone) await requireOwnTurn(tools, pair);
  if (next === null) await replaceMasterKeys(path, [key, pair.coming]);
  if (last === 'both keys in the file') return;
  if (!isDone) await addKeyForFiles(tools, pair);
  if (last === 'key for new files') return;
  if (!isDone) await rewrapAll(tools, pair);
  if (last === 'database') return;
  // Older backups need it.
  await keepFormerKey(`${path}.before`, key);
  await replaceMasterKeys(path, [pair.coming]);
}

/** Throws unless the key is the database's and no other machine is rotating it. */
async function requireOwnTurn({ db, random, now }: RotationTools, { key, coming }: KeyPair): Promise<void> {
  const check = await findMeta(db.read, keyCheck);
  if (check !== proofOf(openKeyring(key, random)))
    throw new MasterKeyProblem(
      'The master key does not belong to this database. If it was changed on another machine, copy the key file from there.',
    );
  const begun = await findMeta(db.read, comingKey);
  if (begun === null || begun === check || begun === proofOf(openKeyring(coming, random))) return;
  const newest = (await listKeyEncryptionKeys(db.read)).at(-1)!;
  if (newest.createdAt + abandonedMs <= now()) return;
  throw new MasterKeyProblem(
    'Another machine is changing the master key. Let it finish there, then copy the key file from it. If that machine is gone, ' +
      'try again in ten minutes.',
  );
}

/** Sealed with the old master key, which every running server has. */
async function addKeyForFiles({ db, random, now, settle }: RotationTools, { key, coming }: KeyPair): Promise<void> {
  const old = openKeyring(key, random);
  const proof = proofOf(openKeyring(coming, random));
  await db.write(async (tx) => {
    if ((await findMeta(tx, comingKey)) === proof) return;
    const id = Math.max(...(await listKeyEncryptionKeys(tx)).map((each) => each.id)) + 1;
    await insertKeyEncryptionKey(tx, id, old.seal('key-encryption-key', random.bytes(32), String(id)), now());
    await setMeta(tx, comingKey, proof);
  });
  const newest = (await listKeyEncryptionKeys(db.read)).at(-1)!;
  await settle(Math.max(0, newest.createdAt + keySettleMs - now()));
}

/** Rewraps everything in one transaction. */
async function rewrapAll({ config, db, random }: RotationTools, pair: KeyPair): Promise<void> {
  const [old, fresh] = [openKeyring(pair.key, random), openKeyring(pair.coming, random)];
  await db.write(async (tx) => {
    const inFile = await loadMasterKey(config.masterKeyFile, false, random);
    const isAsWritten = inFile.key.equals(pair.key) && inFile.next?.equals(pair.coming) === true;
    const isOurTurn =
      (await findMeta(tx, keyCheck)) === proofOf(old) && (await findMeta(tx, comingKey)) === proofOf(fresh);
    if (!isAsWritten || !isOurTurn)
      throw new MasterKeyProblem('The master key was changed elsewhere in the meantime. Run key rotate again.');
    const wrapped = await findMeta(tx, rootKey);
    const root = wrapped === null ? pair.key : old.open('root-key', Buffer.from(wrapped, 'base64'), 'root');
    await setMeta(tx, rootKey, fresh.seal('root-key', root, 'root').toString('base64'));
    for (const { id, wrapped: sealed } of await listKeyEncryptionKeys(tx)) {
      const opened = old.open('key-encryption-key', sealed, String(id));
      await rewrapKeyEncryptionKey(tx, id, fresh.seal('key-encryption-key', opened, String(id)));
    }
    await setMeta(tx, keyCheck, proofOf(fresh));
  });
}
