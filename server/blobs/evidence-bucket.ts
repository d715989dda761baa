// The files of the event log as objects of an S3-compatible server, under a prefix.
import { createHash } from 'node:crypto';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { BlobMissing, type EvidenceFiles } from '#server/domain/ports.ts';
import { asStoreError, connectS3, type S3StoreOptions } from './s3-client.ts';

export function openEvidenceBucket(options: S3StoreOptions): EvidenceFiles {
  const { client, bucket, prefix } = connectS3(options);
  const at = (path: string) => ({ Bucket: bucket, Key: prefix + path });
  return {
    async put(files) {
      for (const { path, bytes } of files) {
        const ContentMD5 = createHash('md5').update(bytes).digest('base64');
        await client.send(new PutObjectCommand({ ...at(path), Body: bytes, ContentMD5 })).catch((error) => {
          throw asStoreError(error, path);
        });
      }
    },
    async get(path) {
      try {
        const { Body } = await client.send(new GetObjectCommand(at(path)));
        return Buffer.from(await Body!.transformToByteArray());
      } catch (error) {
        const known = asStoreError(error, path);
        if (known instanceof BlobMissing) return null;
        throw known;
      }
    },
    async remove(paths) {
      for (const path of paths)
        await client.send(new DeleteObjectCommand(at(path))).catch((error) => {
          const known = asStoreError(error, path);
          if (!(known instanceof BlobMissing)) throw known;
        });
    },
    close: async () => client.destroy(),
  };
}
