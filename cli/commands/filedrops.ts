// `drop`: delivers files to a drop page or a file request, without an account.

import { resolve } from 'node:path';
import { type Client, createClient } from '#contract/client.ts';
import { parseUrl } from '../../transfer/older-platforms.ts';
import { createOnce } from '../creating.ts';
import { exitCodes, Failure, failureOf, usageFailure } from '../failures.ts';
import { type Job, openJob } from '../jobs.ts';
import type { Session } from '../session.ts';
import { readSources, sourceOptions } from '../sources.ts';
import { refuseEmpty } from '../transfers.ts';
import { exitCodeOfAll, type Uploaded, type UploadRoute, uploadAll } from '../uploading.ts';

export interface DropFlags {
  from?: string;
  senderName?: string;
  subject?: string;
  message?: string;
  name?: string;
  dir?: boolean;
  again?: boolean;
}

/** Where files are uploaded to, and how they are delivered. */
interface Delivery {
  route: UploadRoute;
  deliver(uploaded: readonly Uploaded[]): Promise<void>;
}

const chunkBytes = 8 * 1024 * 1024;

export async function drop(session: Session, given: string, args: string[], flags: DropFlags): Promise<void> {
  const { world, output } = session;
  const { server, kind, id } = readAddress(given);
  const files = await readSources(session, args, sourceOptions(flags));
  refuseEmpty(files);
  const job = openJob(world, ['drop', given, args.map((arg) => resolve(world.cwd, arg))], flags);
  // No API key is needed, so none is sent.
  const client = createClient({ baseUrl: server, fetch: session.connection.fetch });
  try {
    const at = { server, id, client };
    const delivery =
      kind === 'filedrop' ? await dropDelivery(session, job, at, flags) : requestDelivery(session, job, at, flags);
    const { uploaded, failed } = await uploadAll(session, files, delivery.route, job);
    if (failed.length > 0) {
      for (const { file, sentence } of failed) output.warn(`waybill: ${file.name}: ${sentence}`);
      throw new Failure(exitCodeOfAll(failed), 'nothing was delivered, because not every file could be uploaded', {
        code: 'upload.failed',
      });
    }
    await delivery.deliver(uploaded);
    job.finish();
    const delivered = uploaded.map(({ file, attachmentId }) => ({
      path: file.path,
      name: file.name,
      attachment: attachmentId,
    }));
    output.document({ delivered });
    output.event('delivered', { files: delivered });
    output.data(`Delivered ${uploaded.length === 1 ? '1 file' : `${uploaded.length} files`}.`);
  } catch (error) {
    if (kind !== 'filedrop' || failureOf(error)?.exitCode !== exitCodes.notSignedIn) throw error;
    job.finish();
    throw keyEnded();
  } finally {
    job.release();
  }
}

/** A saved delivery is useless once its key has been used or has expired. */
function keyEnded(): Failure {
  return new Failure(exitCodes.refused, 'the delivery before it has ended, and its files may have arrived', {
    code: 'filedrop.key_ended',
    hint: 'Run the same command again to begin anew.',
  });
}

function readAddress(given: string): { server: string; kind: 'filedrop' | 'requests'; id: string } {
  const url = parseUrl(given);
  const match = /^(.*)\/(filedrop|requests)\/([^/]+)\/?$/.exec(url?.pathname ?? '');
  if (url === null || match === null)
    throw usageFailure(`“${given}” is not the address of a drop page or a file request`);
  return {
    server: `${url.origin}${match[1]}`,
    kind: match[2] as 'filedrop' | 'requests',
    id: decodeURIComponent(match[3]!),
  };
}

interface At {
  server: string;
  id: string;
  client: Client;
}

/** A key is valid for one delivery and one day, so an interrupted delivery resumes with its key. */
async function dropDelivery(
  session: Session,
  job: Job,
  { server, id, client }: At,
  flags: DropFlags,
): Promise<Delivery> {
  const { from } = flags;
  if (from === undefined) throw usageFailure('a drop page asks who sends', 'Add --from you@example.com.');
  const before = job.sent('key');
  const isFresh = before !== null && session.world.now() - before.sentAt < 23 * 3_600_000;
  const key = isFresh ? (before.body as string) : (await client.getFiledrop({ params: { name: id } })).filedrop.api_key;
  if (!isFresh) job.keepSent('key', key);
  const path = `${server}/filedrop/${encodeURIComponent(id)}/keys/${encodeURIComponent(key)}`;
  const authorization = `Basic ${Buffer.from(`${key}:x`).toString('base64')}`;
  return {
    route: { uploadUrl: `${path}/upload`, stateUrl: `${path}/uploads/{id}`, headers: {}, chunkBytes },
    async deliver(uploaded) {
      const body = {
        message: {
          from,
          ...(flags.senderName === undefined ? {} : { name: flags.senderName }),
          subject: flags.subject ?? '',
          message: flags.message ?? '',
          attachments: uploaded.map(({ attachmentId }) => attachmentId),
        },
      };
      await client.submitFiledrop({
        params: { name: id },
        body,
        headers: { authorization },
        signal: session.world.signal,
      });
    },
  };
}

function requestDelivery(session: Session, job: Job, { server, id, client }: At, flags: DropFlags): Delivery {
  const path = `${server}/requests/${encodeURIComponent(id)}`;
  return {
    route: { uploadUrl: `${path}/attachments/upload`, stateUrl: `${path}/uploads/{id}`, headers: {}, chunkBytes },
    async deliver(uploaded) {
      const attachments = uploaded.map(({ attachmentId }) => attachmentId);
      const body = { delivery: { attachments, note: flags.message ?? '' } };
      const creation = {
        name: 'delivery',
        body,
        hasKeys: true,
        isAgain: flags.again === true,
      };
      await createOnce(session, job, creation, (kept, headers) =>
        client.deliverToRequest({ params: { id }, body: kept, headers, signal: session.world.signal }),
      );
    },
  };
}
