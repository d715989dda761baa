// The form of a request or drop page: fields, files (multipart), ids of uploaded files. Refused files are reported one
// by one; the others are stored.
import { PassThrough } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { receiveUpload } from '../../actions/uploads/uploads.ts';
import { maxFilesTogether } from '../../domain/attachments.ts';
import type { Uploader } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { usefulContentType } from '../../lib/content-type.ts';
import { cleanFileName } from '../../lib/file-name.ts';
import { isId } from '../../lib/ids.ts';
import type { HttpDeps } from '../deps.ts';
import { watchAccount } from '../live/account-watch.ts';
import { readForm, sendContinue, watchPace } from '../transport/body.ts';
import { readerOf } from '../transport/languages.ts';
import { type Reader, refusalText } from '../transport/refusal-texts.ts';
import type { Exchange } from '../transport/router.ts';
import { enter } from './uploads.ts';

/** A rule for which pages have a text, or a sentence. */
export type FileRefusal =
  | { field: 'files'; file: string; reason: 'empty' | 'type' }
  | { field: 'files'; sentence: string };

export interface SubmittedForm {
  fields: Map<string, string>;
  attachmentIds: string[];
  refusals: FileRefusal[];
}

const maxFieldBytes = 300 * 1024;
/** The parser drops excess files silently, so it accepts one more than permitted, which is then refused. */
const maxFiles = maxFilesTogether + 1;
const maxFields = maxFiles + 100;

export interface SubmissionTarget {
  /** The owner of the page; if this account is disabled, the upload is cut within seconds. */
  ownerId: string;
  /** Called for each file; our forms send fields first. */
  uploaderOf(fields: Map<string, string>): Promise<Uploader>;
}

export async function readSubmittedForm(
  deps: HttpDeps,
  exchange: Exchange,
  place: SubmissionTarget,
): Promise<SubmittedForm> {
  const type = exchange.raw.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) return readMultipart(deps, exchange, place);
  const form = await readForm(exchange.raw, exchange.response);
  return { fields: new Map(form), attachmentIds: form.getAll('attachments').filter(isId), refusals: [] };
}

/** Ids of uploaded files in a form. A multipart form is not read for them. */
export async function readIds({ raw, response }: Exchange): Promise<string[]> {
  const type = raw.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) return [];
  return (await readForm(raw, response)).getAll('attachments').filter(isId);
}

async function readMultipart(
  deps: HttpDeps,
  exchange: Exchange,
  { ownerId, uploaderOf }: SubmissionTarget,
): Promise<SubmittedForm> {
  const { raw, response, signal } = exchange;
  signal.throwIfAborted();
  const submitted: SubmittedForm = { fields: new Map(), attachmentIds: [], refusals: [] };
  const unwatch = watchPace(raw);
  const unwatchAccount = watchAccount(deps, raw, ownerId);
  try {
    await new Promise<void>((resolve, reject) => {
      const form = openForm(deps, exchange);
      const maxBytes = deps.ctx.settings.surroundings.formUploadMaxBytes;
      // One file at a time: the parser waits while a file is being stored.
      let last: Promise<void> = Promise.resolve();
      const bodies = new Set<PassThrough>();
      const fail = (error: Error) => {
        raw.unpipe(form);
        for (const body of bodies) body.destroy(error);
        // Nothing continues after the response.
        last.then(
          () => reject(error),
          () => reject(error),
        );
      };
      form.on('field', (name: string, value: string) => {
        if (name === 'attachments' && isId(value)) submitted.attachmentIds.push(value);
        else if (submitted.fields.size < 20) submitted.fields.set(name, value);
      });
      form.on(
        'file',
        (
          _field: string,
          file: NodeJS.ReadableStream & { truncated?: boolean },
          ...[fileName, , mimeType]: [string, string, string]
        ) => {
          const body = file.pipe(new PassThrough());
          bodies.add(body);
          body.on('error', () => {});
          file.once('error', () => body.destroy(badForm()));
          file.once('limit', () => body.destroy(tooLargeForForm(fileName, maxBytes)));
          last = last.then(() =>
            takeFile(deps, submitted, uploaderOf, { body, fileName, mimeType, reader: readerOf(deps, raw) }),
          );
          last.catch(fail);
        },
      );
      form.once('finish', () => last.then(resolve, reject));
      form.on('error', () => fail(badForm()));
      signal.addEventListener('abort', () => fail(signal.reason));
      sendContinue(raw, response);
      raw.pipe(form);
    });
    return submitted;
  } finally {
    unwatch();
    unwatchAccount();
  }
}

function tooLargeForForm(fileName: string, maxBytes: number): Problem {
  return new Problem('too_large', 'attachment.form_too_large', `"${fileName}" is too large for this form.`).withValues({
    size: { bytes: maxBytes },
  });
}

async function takeFile(
  deps: HttpDeps,
  submitted: SubmittedForm,
  uploaderOf: SubmissionTarget['uploaderOf'],
  file: { body: PassThrough; fileName: string; mimeType: string; reader: Reader },
): Promise<void> {
  // An empty file input sends a part without a name.
  if (file.fileName === '' || file.fileName === undefined) {
    file.body.resume();
    return;
  }
  const name = cleanFileName(file.fileName);
  if (await isEmpty(file.body)) {
    submitted.refusals.push({ field: 'files', file: name, reason: 'empty' });
    return;
  }
  const uploader = await uploaderOf(submitted.fields);
  const leave = enter(deps, uploader);
  try {
    const { attachment } = await receiveUpload(deps.ctx, uploader, {
      family: 'message',
      fileName: name,
      declaredType: usefulContentType(file.mimeType),
      chunk: null,
      uploadId: null,
      lengthBytes: null,
      openBody: () => file.body,
    });
    submitted.attachmentIds.push(attachment!.id);
  } catch (error) {
    if (!(error instanceof Problem) || (error.kind !== 'invalid' && error.kind !== 'too_large')) throw error;
    file.body.resume();
    submitted.refusals.push(
      error.code === 'attachment.extension_not_permitted'
        ? { field: 'files', file: name, reason: 'type' }
        : { field: 'files', sentence: `${name}: ${refusalText(error, file.reader)}` },
    );
  } finally {
    leave();
  }
}

/** Resolves with the first bytes or the end. Errors are left to the reader. */
function isEmpty(body: PassThrough): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = () => resolve(body.readableLength === 0 && !body.destroyed);
    if (body.readableLength > 0 || body.destroyed) settle();
    else body.once('readable', settle).once('end', settle).once('close', settle);
  });
}

function openForm(deps: HttpDeps, { raw }: Exchange) {
  const maxBytes = deps.ctx.settings.surroundings.formUploadMaxBytes;
  if (Number(raw.headers['content-length'] ?? 0) > maxBytes + maxFieldBytes) {
    throw new Problem(
      'too_large',
      'attachment.form_too_large',
      `This form can take ${Math.floor(maxBytes / 1024 / 1024)} MB at most. Larger files need JavaScript switched on.`,
    ).withValues({ size: { bytes: maxBytes } });
  }
  try {
    return new Busboy({
      headers: raw.headers as { 'content-type': string },
      limits: {
        fileSize: maxBytes,
        files: maxFiles,
        fields: maxFields,
        fieldSize: maxFieldBytes,
        parts: maxFiles + maxFields,
        headerPairs: 50,
      },
    });
  } catch {
    throw new Problem('invalid', 'request.bad_form', 'The form could not be read.');
  }
}

function badForm(): Problem {
  return new Problem('invalid', 'request.bad_form', 'The form could not be read to its end.');
}
