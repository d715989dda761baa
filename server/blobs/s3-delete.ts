import { DeleteObjectCommand, ListObjectVersionsCommand } from '@aws-sdk/client-s3';
import { BlobMissing } from '#server/domain/ports.ts';
import { assertBlobKey } from './blob-key.ts';
import { asStoreError, type S3Place } from './s3-client.ts';

/** In a bucket with versions a deletion only hides the object, so every version is deleted. */
export async function deleteObject(place: S3Place, key: string): Promise<void> {
  assertBlobKey(key);
  const target = { Bucket: place.bucket, Key: place.prefix + key };
  try {
    const answer = await place.client.send(new DeleteObjectCommand(target));
    if (!answer.DeleteMarker && !answer.VersionId) return;
    const versions = await place.client.send(
      new ListObjectVersionsCommand({ Bucket: place.bucket, Prefix: target.Key }),
    );
    for (const { Key, VersionId } of [...(versions.Versions ?? []), ...(versions.DeleteMarkers ?? [])]) {
      if (Key === target.Key) await place.client.send(new DeleteObjectCommand({ ...target, VersionId }));
    }
  } catch (error) {
    const known = asStoreError(error, key);
    if (!(known instanceof BlobMissing)) throw known;
  }
}
