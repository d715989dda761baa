// Checks the store, read-only: reachable, complete, and owned by this installation.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openBlobStore } from '../../blobs/open.ts';
import type { Config } from '../../config.ts';
import type { LockedDb } from '../../db/schema/schema.ts';
import { listSomeBlobKeys } from '../../db/uploads/parts.ts';
import { storeOf } from '../open.ts';
import { judgeStore, storePlace } from '../store-owner.ts';
import { type Finding, fault, ok, warn } from './findings.ts';
import { storeFoldersFault } from './owners.ts';

const ownerCures = {
  foreign:
    'Give this installation a place of its own (WAYBILL_STORAGE_DIR, WAYBILL_S3_BUCKET, WAYBILL_S3_PREFIX), or, if it is the right one: waybill-server store --adopt',
  empty: 'Mount the folder or name the right bucket; if the files are lost for good: waybill-server store --adopt',
};

export async function checkStore(config: Config, db: LockedDb | null): Promise<Finding[]> {
  if (config.storage === 'file') {
    const unusable = await storeFoldersFault(config);
    if (unusable !== null) return [unusable];
  }
  // Opening the store would create missing folders.
  if (config.storage === 'file' && !existsSync(join(config.storageDir, 'tmp'))) return checkUnusedFolder(config, db);
  const store = await openBlobStore(storeOf(config));
  try {
    const state = await store.state();
    if (state === 'unreachable') return [unreachable(config, store.trouble())];
    if (db === null) return [ok('store', `${storePlace(config)} can be reached.`)];
    const { standing, fault: sentence } = await judgeStore(db, store, storePlace(config));
    if (standing === 'foreign' || standing === 'empty') return [fault('store', sentence, ownerCures[standing])];
    if (standing === 'later')
      return [
        warn(
          'store',
          'The store has seen a later state of this installation: this database is an older copy.',
          'waybill-server quarantine',
        ),
      ];
    return [ok('store', `${storePlace(config)} can be reached and belongs to this installation.`)];
  } finally {
    await store.close();
  }
}

async function checkUnusedFolder(config: Config, db: LockedDb | null): Promise<Finding[]> {
  const known = db === null ? [] : await listSomeBlobKeys(db.read, 1);
  if (known.length === 0) return [ok('store', `${config.storageDir} was not used yet.`)];
  return [fault('store', `${config.storageDir} has none of the files of this database.`, ownerCures.empty)];
}

function unreachable(config: Config, said: string): Finding {
  const where = storePlace(config);
  if (config.storage === 'file')
    return fault('store', `${where} does not work.`, 'Check the disk and its mount (dmesg, df).', said);
  return fault('store', `${where} cannot be used.`, bucketCure(said), said);
}

function bucketCure(said: string): string {
  if (/NoSuchBucket|NotFound|does not exist/i.test(said)) return 'Make the bucket, or correct WAYBILL_S3_BUCKET.';
  if (/Signature|InvalidAccessKey|Forbidden|AccessDenied|Access Denied|Invalid.*key/i.test(said))
    return 'Correct WAYBILL_S3_ACCESS_KEY and WAYBILL_S3_SECRET_KEY, and let that key list, read, write and delete in the bucket.';
  if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|timed? ?out|aborted/i.test(said))
    return 'Correct WAYBILL_S3_ENDPOINT, or start what should answer there.';
  return 'Check WAYBILL_S3_ENDPOINT, WAYBILL_S3_BUCKET and the two keys.';
}
