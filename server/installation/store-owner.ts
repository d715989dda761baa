// Binds a store to its installation. A mark in the store names its owner, so that nothing is written to or erased from
// another installation's store, and an empty folder is detected. The mark also has a counter: a database behind it is
// an older copy.
import type { Config } from '../config.ts';
import { DatabaseUnavailable } from '../db/engine/errors.ts';
import type { LockedDb } from '../db/schema/schema.ts';
import { findInstallationId, findMetaNumber, setMeta } from '../db/system/installation.ts';
import { listSomeBlobKeys } from '../db/uploads/parts.ts';
import { type BlobStore, StoreUnavailable, type Vault } from '../domain/ports.ts';

const beatKey = 'store_beat';
/** The database may lack this many counts, for example after a failover. */
const lostBeats = 2;
const sampleSize = 16;

interface Mark {
  installation: string;
  beat: number;
}

export interface StoreOwner {
  /** Reads the mark. Returns a sentence for operators, or null when the store is ours. */
  check(): Promise<string | null>;
  /** Rejects unless the mark currently names this installation. */
  assertOwned(): Promise<void>;
  /** Advances the counter, in the database and then in the store. */
  beat(): Promise<void>;
  /** The operator declares the store ours. */
  adopt(): Promise<void>;
  /** Result of the last check; null when it passed or none ran. */
  fault(): string | null;
}

interface Former {
  store: BlobStore;
  where: string;
}

export interface OwnerOptions {
  where: string;
  /** The store that files are moved from. */
  former?: Former | null;
  /** Called when the store has seen a later state than the database. */
  onOlderDatabase(): Promise<void>;
}

export function createStoreOwner(db: LockedDb, store: BlobStore, options: OwnerOptions): StoreOwner {
  const { where, former = null, onOlderDatabase } = options;
  let fault: string | null = null;
  let checking: Promise<string | null> | null = null;

  async function writeMark(beat: number, to = store): Promise<void> {
    await to.writeMark(`${JSON.stringify({ installation: await findInstallationId(db.read), beat })}\n`);
  }

  async function judge(): Promise<string | null> {
    const found = await judgeStore(db, store, where);
    if (found.standing === 'later') await onOlderDatabase();
    const wrong = found.fault ?? (await judgeFormer(db, store, former));
    return wrong === null && found.standing === 'unmarked' ? claim() : wrong;
  }

  async function claim(): Promise<null> {
    await writeMark(await findMetaNumber(db.read, beatKey));
    return null;
  }

  /** Rejects only when the database is unreachable, which says nothing about the store. */
  async function recheck(): Promise<string | null> {
    checking ??= judge()
      .catch(asFault)
      .finally(() => {
        checking = null;
      });
    fault = await checking;
    return fault;
  }

  const check = () => recheck().catch(() => fault);

  return {
    check,
    fault: () => fault,
    async assertOwned() {
      const found = await recheck();
      if (found !== null) throw new StoreUnavailable(found);
    },
    async beat() {
      if ((await check()) !== null) return;
      await writeMark(await advanceCounter(db));
    },
    async adopt() {
      await claim();
      if (former !== null) await writeMark(await findMetaNumber(db.read, beatKey), former.store);
      await check();
    },
  };
}

/** The folder or bucket, for sentences. */
export function storePlace(config: Pick<Config, 'storage' | 'storageDir' | 's3Bucket' | 's3Prefix'>): string {
  return config.storage === 'file' ? config.storageDir : `bucket ${config.s3Bucket}/${config.s3Prefix}`;
}

type Standing =
  | { standing: 'ours' | 'unmarked' | 'later'; fault: null }
  | { standing: 'foreign' | 'empty'; fault: string };

/** Read-only. */
export async function judgeStore(
  db: Pick<LockedDb, 'read'>,
  store: Pick<BlobStore, 'readMark' | 'list' | 'stat'>,
  where: string,
): Promise<Standing> {
  const mark = parseMark(await store.readMark());
  if (mark === null) return judgeUnmarked(db, store, where);
  if (mark.installation !== (await findInstallationId(db.read))) return { standing: 'foreign', fault: foreign(where) };
  const isLater = mark.beat > (await findMetaNumber(db.read, beatKey)) + lostBeats;
  return { standing: isLater ? 'later' : 'ours', fault: null };
}

/** Files leave the former store and are swept there too. All of them may have been moved. */
async function judgeFormer(
  db: Pick<LockedDb, 'read'>,
  { stat }: Pick<BlobStore, 'stat'>,
  former: Former | null,
): Promise<string | null> {
  if (former === null) return null;
  const { readMark, list } = former.store;
  return (await judgeStore(db, { readMark, list, stat }, former.where)).fault;
}

/** A store without a mark is ours if it has the database's files, or both are empty. */
async function judgeUnmarked(
  db: Pick<LockedDb, 'read'>,
  store: Pick<BlobStore, 'list' | 'stat'>,
  where: string,
): Promise<Standing> {
  const known = await listSomeBlobKeys(db.read, sampleSize);
  if (known.length === 0 && (await isEmpty(store))) return { standing: 'unmarked', fault: null };
  for (const key of known) if ((await store.stat(key)) !== null) return { standing: 'unmarked', fault: null };
  return known.length === 0
    ? { standing: 'foreign', fault: foreign(where) }
    : { standing: 'empty', fault: empty(where) };
}

function asFault(error: unknown): string {
  if (error instanceof DatabaseUnavailable) throw error;
  return error instanceof Error ? error.message : String(error);
}

function advanceCounter(db: LockedDb): Promise<number> {
  return db.write(async (tx) => {
    const next = (await findMetaNumber(tx, beatKey)) + 1;
    await setMeta(tx, beatKey, String(next));
    return next;
  });
}

/** A store that is not ours can be read, but not written. */
export function guardVault(vault: Vault, owner: StoreOwner): Vault {
  const assertNotRefused = () => {
    const fault = owner.fault();
    if (fault !== null) throw new StoreUnavailable(fault);
  };
  return {
    ...vault,
    async receive(blob, body, options) {
      assertNotRefused();
      return vault.receive(blob, body, options);
    },
    async erase(key) {
      assertNotRefused();
      await vault.erase(key);
    },
    assertOwn: owner.assertOwned,
    async *list() {
      await owner.assertOwned();
      yield* vault.list();
    },
    async removeUnfinished(olderThan, isArriving) {
      await owner.assertOwned();
      return vault.removeUnfinished(olderThan, isArriving);
    },
    state: async () => (owner.fault() === null ? vault.state() : 'unreachable'),
    trouble: () => owner.fault() ?? vault.trouble(),
  };
}

async function isEmpty(store: Pick<BlobStore, 'list'>): Promise<boolean> {
  for await (const _ of store.list()) return false;
  return true;
}

function parseMark(text: string | null): Mark | null {
  if (text === null) return null;
  try {
    const { installation, beat } = JSON.parse(text) as Partial<Mark>;
    return { installation: String(installation), beat: Number(beat) || 0 };
  } catch {
    // Not written by Waybill.
    return { installation: '', beat: 0 };
  }
}

function foreign(where: string): string {
  return (
    `The store (${where}) belongs to another installation. Nothing is written to it and nothing is erased in it: give this ` +
    'one a place of its own (WAYBILL_STORAGE_DIR, WAYBILL_S3_BUCKET, WAYBILL_S3_PREFIX). If it is the right one, run ' +
    'waybill-server store --adopt.'
  );
}

function empty(where: string): string {
  return (
    `The store (${where}) has none of the files of this database. Check that the folder is mounted, or the bucket is the ` +
    'right one. If the files are lost for good, run waybill-server store --adopt.'
  );
}
