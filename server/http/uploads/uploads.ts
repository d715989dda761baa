// Receives an upload from the owner with a key, or from an outside visitor. Bodies are never parsed, whatever their
// type, except for a form, whose file is stored.
import { attachment } from '#contract/attachments.ts';
import { encoderOf } from '#contract/codec.ts';
import type { UploadResult } from '../../actions/uploads/received-bytes.ts';
import { receiveUpload } from '../../actions/uploads/uploads.ts';
import type { Uploader } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import { usefulContentType } from '../../lib/content-type.ts';
import { cleanFileName, decodeFileName } from '../../lib/file-name.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import type { HttpDeps } from '../deps.ts';
import { tooMany } from '../identity/credentials.ts';
import { watchAccount } from '../live/account-watch.ts';
import { jsonHeaders, jsonText } from '../transport/answers.ts';
import { sendContinue, watchPace } from '../transport/body.ts';
import type { Exchange } from '../transport/router.ts';
import { readChunk } from './chunks.ts';
import { type FormUpload, isMultipart, receiveForm } from './form-uploads.ts';

export interface UploadQuery {
  chunks?: string | undefined;
  chunk?: string | undefined;
  contentType?: string | undefined;
  uploadId?: string | undefined;
}

export const encodeAttachment = encoderOf(attachment);

export async function handleUpload(
  exchange: Exchange & { deps: HttpDeps },
  uploader: Uploader,
  family: 'message' | 'link',
  query: UploadQuery,
): Promise<void> {
  const { raw, response, deps } = exchange;
  const leave = enter(deps, uploader);
  const unwatch = watchPace(raw);
  const unwatchAccount = watchAccount(deps, raw, uploader.ownerId);
  try {
    if (isMultipart(raw.headers['content-type'])) {
      // The file inside is stored, never the form.
      const form: FormUpload = { family, query, fileName: fileNameIn(exchange.queryText), field: null };
      sendUploadAnswer(exchange, await receiveForm(exchange, uploader, form));
      return;
    }
    const result = await receiveUpload(deps.ctx, uploader, {
      family,
      fileName: fileNameOf(exchange.queryText),
      declaredType: usefulContentType(raw.headers['content-type']) ?? usefulContentType(query.contentType),
      chunk: readChunk(query.chunks, query.chunk),
      uploadId: query.uploadId ?? null,
      lengthBytes: lengthOf(raw.headers['content-length']),
      openBody: () => {
        sendContinue(raw, response);
        return raw;
      },
    });
    sendUploadAnswer(exchange, result);
  } finally {
    unwatch();
    unwatchAccount();
    leave();
  }
}

/** A chunk that does not complete the file: 200 with an empty body. */
function sendUploadAnswer({ response, requestId, deps }: Exchange & { deps: HttpDeps }, result: UploadResult): void {
  const text = result.attachment === null ? '' : jsonText({ attachment: encodeAttachment(result.attachment) });
  response.writeHead(200, {
    ...jsonHeaders,
    'content-length': Buffer.byteLength(text),
    'upload-id': result.uploadId,
    'upload-chunk-size': String(deps.ctx.settings.surroundings.chunkSizeBytes),
    'x-request-id': requestId,
  });
  response.end(text);
}

/** Limits uploads in flight by key and by address. Returns the function that leaves. */
export function enter(deps: HttpDeps, uploader: Uploader): () => void {
  const { caller } = uploader;
  const leaveKey =
    caller.kind === 'user'
      ? deps.limits.uploadsByKey.enter(caller.apiKeyId ?? caller.userId)
      : deps.limits.uploadsFromOutside.enter(
          `${uploader.submissionLimits?.dropName ?? uploader.source} ${networkOf(caller.from.address)}`,
        );
  if (leaveKey === null) throw tooMany('upload.too_many', 'Too many uploads are running in parallel.', 5);
  const leaveAddress = deps.limits.uploadsByAddress.enter(caller.from.address);
  if (leaveAddress === null) {
    leaveKey();
    throw tooMany('upload.too_many', 'Too many uploads are running from your address.', 5);
  }
  return () => {
    leaveKey();
    leaveAddress();
  };
}

/** The raw query, decoded once and strictly. */
function fileNameOf(queryText: string): string {
  const name = fileNameIn(queryText);
  if (name === null) throw invalid('attachment.no_filename', 'The query parameter "filename" is missing.', 'filename');
  return name;
}

function fileNameIn(queryText: string): string | null {
  const raw = rawParameter(queryText, 'filename') ?? rawParameter(queryText, 'name');
  if (raw === null || raw === '') return null;
  const decoded = decodeFileName(raw);
  if (decoded === null)
    throw invalid(
      'attachment.bad_filename',
      'The file name in the address could not be read. Percent-encode it as UTF-8: 100%.txt is written 100%25.txt.',
      'filename',
    );
  return cleanFileName(decoded);
}

function rawParameter(queryText: string, name: string): string | null {
  for (const pair of queryText.split('&')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals) === name) return pair.slice(equals + 1);
  }
  return null;
}

/** Lengths beyond safe integers are too large. */
function lengthOf(header: string | undefined): number | null {
  return header === undefined ? null : Math.min(Number(header), Number.MAX_SAFE_INTEGER);
}
