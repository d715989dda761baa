// Changes the master key while servers run. Each step is whole by itself, and what was begun is taken up where it stopped: the
// key file has both keys from before the database changes until after it has.

import type { Config } from '../config.ts';
import {
  findMeta,
  insertKeyEncryptionKey,
  listKeyEncryptionKeys,
  rewrapKeyEncryptionKey,
  setMeta,
} from '../db/installation.ts';
import type { LockedDb } from '../db/schema.ts';
import type { Random } from '../domain/ports.ts';
import { openKeyring } from '../lib/keyring.ts';
import { loadMasterKey, replaceMasterKeys } from '../lib/master-key.ts';
import { OperatorProblem } from '../lib/operator-problem.ts';
import { keyCheck, keySettleMs, proofOf, rootKey } from './keys.ts';

/** The proof of the key that is coming, once the key for new files was made for it. */
const comingKey = 'key_rotation';

export interface RotationTools {
  config: Pick<Config, 'masterKey' | 'masterKeyFile'>;
  db: LockedDb;
  random: Random;
  now(): number;
  /** Waits until every server knows the key for new files. */
  settle(ms: number): Promise<void>;
}

/** In order. The first that is not done is what a run begins with. */
export const rotationSteps = ['both keys in the file', 'key for new files', 'database', 'new key alone'] as const;
export type RotationStep = (typeof rotationSteps)[number];

/** Goes up to the step and no further. */
export async function rotateMasterKey(tools: RotationTools, last: RotationStep = 'new key alone'): Promise<void> {
  const { config, db, random } = tools;
  if (config.masterKey !== null)
    throw new OperatorProblem(
      'The master key is in WAYBILL_MASTER_KEY. Put it into a file and name that in WAYBILL_MASTER_KEY_FILE, then rotate it.',
    );
  const path = config.masterKeyFile;
  const { key, next } = await loadMasterKey(path, false, random);
  const check = await findMeta(db.read, keyCheck);
  const coming = next ?? random.bytes(32);
  const [old, fresh] = [openKeyring(key, random), openKeyring(coming, random)];
  const isDone = check === proofOf(fresh);
  if (!isDone && check !== proofOf(old)) throw new OperatorProblem('The master key does not belong to this database.');
  if (next === null) await replaceMasterKeys(path, [key, coming]);
  if (last === 'both keys in the file') return;
  if (!isDone) await addKeyForFiles(tools, key, proofOf(fresh));
  if (last === 'key for new files') return;
  if (!isDone) await rewrapAll(db, { key, coming, random });
  if (last === 'database') return;
  // Older backups open with it.
  await replaceMasterKeys(`${path}.before`, [key]);
  await replaceMasterKeys(path, [coming]);
}

/** Under the old master key, which every running server has. */
async function addKeyForFiles({ db, random, now, settle }: RotationTools, key: Buffer, proof: string): Promise<void> {
  const old = openKeyring(key, random);
  await db.write(async (tx) => {
    if ((await findMeta(tx, comingKey)) === proof) return;
    const id = Math.max(...(await listKeyEncryptionKeys(tx)).map((each) => each.id)) + 1;
    await insertKeyEncryptionKey(tx, id, old.seal('key-encryption-key', random.bytes(32), String(id)), now());
    await setMeta(tx, comingKey, proof);
  });
  const newest = (await listKeyEncryptionKeys(db.read)).at(-1)!;
  await settle(Math.max(0, newest.createdAt + keySettleMs - now()));
}

/** Everything that the master key wraps, in one transaction. */
async function rewrapAll(
  db: LockedDb,
  { key, coming, random }: { key: Buffer; coming: Buffer; random: Random },
): Promise<void> {
  const [old, fresh] = [openKeyring(key, random), openKeyring(coming, random)];
  await db.write(async (tx) => {
    const wrapped = await findMeta(tx, rootKey);
    const root = wrapped === null ? key : old.open('root-key', Buffer.from(wrapped, 'base64'), 'root');
    await setMeta(tx, rootKey, fresh.seal('root-key', root, 'root').toString('base64'));
    for (const { id, wrapped: sealed } of await listKeyEncryptionKeys(tx)) {
      const opened = old.open('key-encryption-key', sealed, String(id));
      await rewrapKeyEncryptionKey(tx, id, fresh.seal('key-encryption-key', opened, String(id)));
    }
    await setMeta(tx, keyCheck, proofOf(fresh));
  });
}
