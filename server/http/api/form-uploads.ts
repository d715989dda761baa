// The multipart upload of old scripts: field `Filedata`, fields `name`, `chunk`, `chunks` before it. Answers the bare id
// as text unless JSON was asked for (compatibility 2.8). A form that does not end as forms end is never taken for whole.
import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { endpoints } from '#contract/endpoints.ts';
import type { UploadResult } from '../../actions/uploads/arrivals.ts';
import { receiveUpload } from '../../actions/uploads/uploads.ts';
import { ownUploader } from '../../domain/caller.ts';
import { BodyAborted } from '../../domain/ports.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { usefulContentType } from '../../lib/content-type.ts';
import { cleanFileName } from '../../lib/file-name.ts';
import { jsonHeaders } from '../answers.ts';
import { invite, watchPace } from '../body.ts';
import { alreadySent, type Call, type Serve } from '../endpoint.ts';
import { asksForJson } from '../negotiation.ts';
import { attachmentBody, enter, readPiece } from '../uploads.ts';

type FormCall = Call<(typeof endpoints)['uploadForm']>;

/** Fields and boundaries around the file. */
const frameBytes = 64 * 1024;

export function serveFormUpload(serve: Serve): void {
  serve('uploadForm', async (call) => {
    const { raw, ctx } = call;
    const maxBytes = ctx.settings.surroundings.formUploadMaxBytes;
    if (Number(raw.headers['content-length'] ?? 0) > maxBytes + frameBytes) throw formTooLarge(maxBytes);
    const form = openForm(raw.headers, maxBytes);
    const leave = enter(call.deps, ownUploader(call.caller));
    const unwatch = watchPace(raw);
    try {
      sendFormAnswer(call, await receiveForm(call, form, maxBytes));
      return alreadySent;
    } finally {
      unwatch();
      leave();
    }
  });
}

/** Settles when the upload has: nothing goes on behind an answer. */
function receiveForm(call: FormCall, form: BusboyInstance, maxBytes: number): Promise<UploadResult> {
  const { raw, response } = call;
  const { promise, resolve, reject } = Promise.withResolvers<UploadResult>();
  const fields = new Map<string, string>();
  let body: PassThrough | null = null;

  /** An upload that has begun is told, and ends by itself with this error. */
  const fail = (error: Error) => {
    raw.unpipe(form);
    if (body === null) reject(error);
    else body.destroy(error);
  };
  form.on('field', (name, value) => {
    fields.set(name, value);
  });
  form.on('file', (field, file, ...[fileName, , mimeType]) => {
    // The form's own error tells the same.
    file.on('error', () => {});
    if (field !== 'Filedata' || body !== null) {
      file.resume();
      return;
    }
    body = passOn(file);
    file.once('limit', () => fail(formTooLarge(maxBytes)));
    storeFile(call, fields, body, { fileName, mimeType }).then(resolve, (error: unknown) => {
      raw.unpipe(form);
      reject(error);
    });
  });
  // Only now it is certain that the file was not cut off.
  form.once('finish', () => {
    if (body === null) fail(invalid('attachment.no_file', 'The form has no file in the field "Filedata".', 'Filedata'));
    else body.end();
  });
  form.on('error', () => fail(invalid('request.bad_form', 'The form could not be read to its end.')));
  raw.once('close', () => {
    if (!raw.complete) fail(new BodyAborted());
  });
  invite(raw, response);
  raw.pipe(form);
  return promise;
}

/** The file's bytes with back-pressure, but not its end. */
function passOn(file: Readable): PassThrough {
  const body = new PassThrough();
  body.on('error', () => {});
  file.pipe(body, { end: false });
  return body;
}

async function storeFile(
  { ctx, caller, query }: FormCall,
  fields: Map<string, string>,
  body: PassThrough,
  file: { fileName: string | undefined; mimeType: string },
): Promise<UploadResult> {
  return receiveUpload(ctx, ownUploader(caller), {
    family: 'message',
    fileName: cleanFileName(fields.get('name') ?? query.filename ?? query.name ?? file.fileName ?? ''),
    declaredType: usefulContentType(file.mimeType),
    piece: readPiece(fields.get('chunks') ?? query.chunks, fields.get('chunk') ?? query.chunk),
    uploadId: query.upload_id ?? null,
    lengthBytes: null,
    openBody: () => body,
  });
}

/** Empty for a piece that does not complete the file, whatever was asked for (compatibility rule 8). */
function sendFormAnswer({ raw, response, requestId }: FormCall, { uploadId, attachment }: UploadResult): void {
  const isJson = asksForJson(raw);
  const text =
    attachment === null ? '' : isJson ? JSON.stringify({ attachment: attachmentBody(attachment) }) : attachment.id;
  response.writeHead(200, {
    ...jsonHeaders,
    ...(isJson ? {} : { 'content-type': 'text/plain; charset=utf-8' }),
    'content-length': Buffer.byteLength(text),
    'upload-id': uploadId,
    'x-request-id': requestId,
  });
  response.end(text);
}

function openForm(headers: IncomingHttpHeaders, maxBytes: number): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as { 'content-type': string },
      limits: { fileSize: maxBytes, files: 1, fields: 20, fieldSize: 4096, parts: 30, headerPairs: 50 },
    });
  } catch {
    throw invalid('request.bad_form', 'The body must be a multipart/form-data form.');
  }
}

function formTooLarge(maxBytes: number): Problem {
  return new Problem(
    'too_large',
    'attachment.form_too_large',
    `A form can hold at most ${maxBytes} bytes. Send the file raw or in pieces instead.`,
  );
}
