// Stores the file of a multipart form as a stream. Other fields may come before or after it; a form cut off before its
// end is never complete.
import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { UploadInput, UploadResult } from '../../actions/uploads/received-bytes.ts';
import { receiveDeferredUpload, receiveUpload } from '../../actions/uploads/uploads.ts';
import type { Uploader } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import { usefulContentType } from '../../lib/content-type.ts';
import { cleanFileName } from '../../lib/file-name.ts';
import type { HttpDeps } from '../deps.ts';
import { sendContinue } from '../transport/body.ts';
import type { Exchange } from '../transport/router.ts';
import { refusalOfFormField } from '../transport/unknown-fields.ts';
import { readChunk } from './chunks.ts';

export interface FormUpload {
  family: UploadInput['family'];
  query: { chunks?: string | undefined; chunk?: string | undefined; uploadId?: string | undefined };
  /** The name in the query, cleaned. */
  fileName: string | null;
  /** The field with the file, whose field `name` takes precedence over the query; null: any single file. */
  field: 'Filedata' | null;
}

export function isMultipart(contentType: string | undefined): boolean {
  return /^\s*multipart\/form-data\s*;.*boundary=/i.test(contentType ?? '');
}

interface Frame {
  fields: Map<string, string>;
  file: { fileName: string | undefined; mimeType: string };
}

/** Settles after the upload: nothing continues after the response. */
export function receiveForm(
  { raw, response, signal, deps }: Exchange & { deps: HttpDeps },
  uploader: Uploader,
  upload: FormUpload,
): Promise<UploadResult> {
  signal.throwIfAborted();
  const form = openForm(raw.headers);
  const { promise, resolve, reject } = Promise.withResolvers<UploadResult>();
  const fields = new Map<string, string>();
  let body: PassThrough | null = null;
  let isRefused = false;

  /** Aborts a running upload with this error. */
  const fail = (error: Error) => {
    raw.unpipe(form);
    isRefused = true;
    if (body === null) reject(error);
    else body.destroy(error);
  };
  form.on('field', (name, value) => {
    const refusal = refusalOfFormField(name);
    if (refusal !== null) fail(refusal);
    else fields.set(name, value);
  });
  form.on('file', (field, file, ...[fileName, , mimeType]) => {
    // The form reports the same error.
    file.on('error', () => {});
    const isWanted = upload.field === null || field === upload.field;
    // After a refusal the form still emits what had arrived.
    if (!isWanted || body !== null || isRefused) {
      file.resume();
      // Where any field is accepted, a second file would be lost silently.
      if (upload.field === null && !isRefused)
        fail(invalid('attachment.one_file', 'Send one file with each request.', field));
      return;
    }
    body = passOn(file);
    storeFile({ deps, uploader, upload }, { fields, file: { fileName, mimeType } }, body).then(
      resolve,
      (error: unknown) => {
        raw.unpipe(form);
        reject(error);
      },
    );
  });
  // Only now it is certain that the file was not cut off.
  form.once('finish', () => {
    if (body === null) fail(noFile(upload));
    else body.end();
  });
  form.on('error', () => fail(invalid('request.bad_form', 'The form could not be read to its end.')));
  signal.addEventListener('abort', () => fail(signal.reason));
  sendContinue(raw, response);
  raw.pipe(form);
  return promise;
}

/** Passes the file's bytes on with back-pressure, but not its end. */
function passOn(file: Readable): PassThrough {
  const body = new PassThrough();
  body.on('error', () => {});
  file.pipe(body, { end: false });
  return body;
}

async function storeFile(
  { deps, uploader, upload }: { deps: HttpDeps; uploader: Uploader; upload: FormUpload },
  frame: Frame,
  body: PassThrough,
): Promise<UploadResult> {
  const input = {
    family: upload.family,
    declaredType: usefulContentType(frame.file.mimeType),
    uploadId: upload.query.uploadId ?? null,
    lengthBytes: null,
    openBody: () => body,
  };
  const describe = () => describeFile(upload, frame);
  // Checked early if no field can be missing, so that a refusal does not wait for the last byte.
  return isDescribed(upload, frame.fields)
    ? receiveUpload(deps.ctx, uploader, { ...input, ...describe() })
    : receiveDeferredUpload(deps.ctx, uploader, { ...input, describe });
}

/** Name and chunk are known, regardless of later fields. */
function isDescribed({ query, fileName, field }: FormUpload, fields: ReadonlyMap<string, string>): boolean {
  const isNamed = fields.has('name') || (field === null && fileName !== null);
  return (
    isNamed &&
    (fields.get('chunks') ?? query.chunks) !== undefined &&
    (fields.get('chunk') ?? query.chunk) !== undefined
  );
}

function describeFile(
  { query, fileName, field }: FormUpload,
  { fields, file }: Frame,
): Pick<UploadInput, 'fileName' | 'chunk'> {
  const said = field === null ? (fileName ?? fields.get('name')) : (fields.get('name') ?? fileName);
  return {
    fileName: cleanFileName(said ?? file.fileName ?? ''),
    chunk: readChunk(fields.get('chunks') ?? query.chunks, fields.get('chunk') ?? query.chunk),
  };
}

function noFile({ field }: FormUpload) {
  const sentence = field === null ? 'The form has no file.' : `The form has no file in the field "${field}".`;
  return invalid('attachment.no_file', sentence, field ?? 'file');
}

/** A file in a form may be as large as a direct upload. */
function openForm(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as { 'content-type': string },
      limits: { files: 2, fields: 20, fieldSize: 4096, parts: 30, headerPairs: 50 },
    });
  } catch {
    throw invalid('request.bad_form', 'The body must be a multipart/form-data form.');
  }
}
