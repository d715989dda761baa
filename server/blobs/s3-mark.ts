// The object that names the installation of a bucket or prefix.
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { BlobMissing } from '#server/domain/ports.ts';
import { asStoreError, type S3Place } from './s3-client.ts';

const markName = 'waybill-installation';
const timeoutMs = 5_000;

export async function readS3Mark({ client, bucket, prefix }: S3Place): Promise<string | null> {
  const command = new GetObjectCommand({ Bucket: bucket, Key: prefix + markName });
  try {
    const reply = await client.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) });
    return (await reply.Body?.transformToString()) ?? null;
  } catch (error) {
    const known = asStoreError(error, markName);
    if (known instanceof BlobMissing) return null;
    throw known;
  }
}

export async function writeS3Mark({ client, bucket, prefix }: S3Place, text: string): Promise<void> {
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: prefix + markName,
    Body: text,
    ContentType: 'application/json',
  });
  await client.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) }).catch((error) => {
    throw asStoreError(error, markName);
  });
}
