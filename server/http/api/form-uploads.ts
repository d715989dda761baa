// The multipart upload of old scripts: field `Filedata`, fields `name`, `chunk`, `chunks` before it. Answers the bare id
// as text unless JSON was asked for (compatibility 2.8).
import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { receiveUpload, type UploadResult } from '../../actions/uploads.ts';
import { ownUploader } from '../../domain/caller.ts';
import { BodyAborted } from '../../domain/ports.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { usefulContentType } from '../../lib/content-type.ts';
import { cleanFileName } from '../../lib/file-name.ts';
import { sendJson } from '../answers.ts';
import { invite, watchPace } from '../body.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { asksForJson } from '../negotiation.ts';
import { attachmentBody, enter, readPiece } from '../uploads.ts';

export function serveFormUpload(serve: Serve): void {
  serve('uploadForm', async (call) => {
    const { raw, response, requestId, query, ctx, caller } = call;
    const maxBytes = ctx.settings.surroundings.formUploadMaxBytes;
    if (Number(raw.headers['content-length'] ?? 0) > maxBytes + 64 * 1024) throw formTooLarge(maxBytes);
    const leave = enter(call.deps, ownUploader(call.caller));
    const unwatch = watchPace(raw);
    try {
      const result = await new Promise<UploadResult>((resolve, reject) => {
        const form = openForm(raw.headers, maxBytes);
        const fields = new Map<string, string>();
        let upload: Promise<UploadResult> | null = null;
        form.on('field', (name, value) => {
          if (fields.size < 20) fields.set(name, value);
        });
        form.on('file', (field, file, fileName, _encoding, mimeType) => {
          if (field !== 'Filedata' || upload !== null) {
            file.resume();
            return;
          }
          const body = file.pipe(new PassThrough());
          file.once('limit', () => body.destroy(formTooLarge(maxBytes)));
          upload = receiveUpload(ctx, ownUploader(caller), {
            family: 'message',
            fileName: cleanFileName(fields.get('name') ?? query.filename ?? query.name ?? fileName ?? ''),
            declaredType: usefulContentType(mimeType),
            piece: readPiece(fields.get('chunks') ?? query.chunks, fields.get('chunk') ?? query.chunk),
            uploadId: query.upload_id ?? null,
            lengthBytes: null,
            openBody: () => body,
          });
          upload.then(resolve, (error: unknown) => {
            reject(error);
            raw.unpipe(form);
          });
        });
        form.once('finish', () => {
          if (upload === null)
            reject(invalid('attachment.no_file', 'The form has no file in the field "Filedata".', 'Filedata'));
        });
        form.once('error', () => reject(invalid('request.bad_form', 'The form could not be read.')));
        raw.once('close', () => {
          if (!raw.complete) reject(new BodyAborted());
        });
        invite(raw, response);
        raw.pipe(form);
      });
      if (asksForJson(raw)) {
        sendJson(
          response,
          200,
          result.attachment === null ? {} : { attachment: attachmentBody(result.attachment) },
          requestId,
        );
      } else {
        const text = result.attachment?.id ?? '';
        response.writeHead(200, {
          'content-type': 'text/plain; charset=utf-8',
          'content-length': text.length,
          'upload-id': result.uploadId,
          'x-request-id': requestId,
        });
        response.end(text);
      }
      return alreadySent;
    } finally {
      unwatch();
      leave();
    }
  });
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
