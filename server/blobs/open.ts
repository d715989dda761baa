// Opens the store of the configuration and the files of the event log.
import type { BlobStore, Clock, EvidenceFiles } from '#server/domain/ports.ts';
import { openDiskStore } from './disk.ts';
import { openEvidenceFolder } from './evidence-folder.ts';
import type { S3StoreOptions } from './s3-client.ts';

export type BlobStoreConfig =
  | { kind: 'file'; dir: string; minFreeBytes: number; clock?: Pick<Clock, 'now'> }
  | ({ kind: 's3' } & S3StoreOptions);

export async function openBlobStore(config: BlobStoreConfig): Promise<BlobStore> {
  switch (config.kind) {
    case 'file':
      return openDiskStore(config);
    case 's3':
      // Loaded on demand: the client of the SDK takes a tenth of the memory of an idle server.
      return (await import('./s3.ts')).openS3Store(config);
  }
}

export type EvidenceConfig = { kind: 'file'; dir: string } | ({ kind: 's3' } & S3StoreOptions);

export async function openEvidenceFiles(config: EvidenceConfig): Promise<EvidenceFiles> {
  if (config.kind === 'file') return openEvidenceFolder(config.dir);
  return (await import('./evidence-bucket.ts')).openEvidenceBucket(config);
}
