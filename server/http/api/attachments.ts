// Uploads and the caller's files. Upload bodies are never parsed, whatever their type says (compatibility rule 3).
import type { AttachmentBody } from '#contract/attachments.ts';
import type { endpoints } from '#contract/endpoints.ts';
import { humanSize } from '#contract/sizes.ts';
import { deleteOwnAttachment, listOwnAttachments } from '../../actions/attachments.ts';
import { getUploadState } from '../../actions/upload-sessions.ts';
import { receiveUpload, type UploadResult } from '../../actions/uploads.ts';
import { type Attachment, maxChunks } from '../../domain/attachments.ts';
import { ownUploader } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import { usefulContentType } from '../../lib/content-type.ts';
import { isoInstant } from '../../lib/dates.ts';
import { cleanFileName, decodeFileName } from '../../lib/file-name.ts';
import { jsonHeaders, sendList } from '../answers.ts';
import { invite, watchPace } from '../body.ts';
import { tooMany } from '../credentials.ts';
import { alreadySent, type Call, type Serve } from '../endpoint.ts';
import { serveFormUpload } from './form-uploads.ts';

type UploadCall = Call<(typeof endpoints)['uploadForMessage']>;

export function serveAttachments(serve: Serve): void {
  serve('uploadForLink', (call) => upload(call as unknown as UploadCall, 'link'));
  serve('uploadForMessage', (call) => upload(call, 'message'));
  serve('uploadLegacy', (call) => upload(call as unknown as UploadCall, 'message'));
  serve('uploadLegacyJson', (call) => upload(call as unknown as UploadCall, 'message'));
  serveFormUpload(serve);

  serve('getUpload', async ({ ctx, caller, params }) => {
    const state = await getUploadState(ctx, ownUploader(caller), params.id!);
    return {
      upload: {
        id: state.id,
        filename: state.fileName,
        chunks: state.chunks,
        received: state.received,
        received_bytes: state.receivedBytes,
        state: state.state,
        expires_at: isoInstant(state.expiresAt),
      },
    };
  });

  serve('listAttachments', async ({ ctx, caller, response, requestId }) => {
    await sendList(response, 'attachments', listOwnAttachments(ctx, caller), attachmentBody, requestId);
    return alreadySent;
  });

  serve('deleteAttachment', ({ ctx, caller, params }) => deleteOwnAttachment(ctx, caller, params.id!));
  serve('deleteMessageAttachment', ({ ctx, caller, params }) => deleteOwnAttachment(ctx, caller, params.id!));
  serve('deleteAttachmentLegacy', ({ ctx, caller, params }) => deleteOwnAttachment(ctx, caller, params.id!));
}

async function upload(call: UploadCall, family: 'message' | 'link'): Promise<typeof alreadySent> {
  const { ctx, caller, raw, response, query } = call;
  const leave = enter(call);
  const unwatch = watchPace(raw);
  try {
    const result = await receiveUpload(ctx, ownUploader(caller), {
      family,
      fileName: fileNameOf(call.queryText),
      declaredType: usefulContentType(raw.headers['content-type']) ?? usefulContentType(query.content_type),
      piece: readPiece(query.chunks, query.chunk),
      uploadId: query.upload_id ?? null,
      lengthBytes: lengthOf(raw.headers['content-length']),
      openBody: () => {
        invite(raw, response);
        return raw;
      },
    });
    sendUploadAnswer(call, result);
    return alreadySent;
  } finally {
    unwatch();
    leave();
  }
}

/** A piece that does not complete the file: 200 with an empty body (compatibility rule 8). */
function sendUploadAnswer({ response, requestId, ctx }: UploadCall, result: UploadResult): void {
  const text = result.attachment === null ? '' : JSON.stringify({ attachment: attachmentBody(result.attachment) });
  response.writeHead(200, {
    ...jsonHeaders,
    'content-length': Buffer.byteLength(text),
    'upload-id': result.uploadId,
    'upload-chunk-size': String(ctx.settings.surroundings.chunkSizeBytes),
    'x-request-id': requestId,
  });
  response.end(text);
}

/** Uploads in flight are bounded by key and by address (security D12). Answers the function that leaves again. */
export function enter({ deps, caller }: Pick<UploadCall, 'deps' | 'caller'>): () => void {
  const leaveKey = deps.limits.uploadsByKey.enter(caller.apiKeyId ?? caller.userId);
  if (leaveKey === null) throw tooMany('upload.too_many', 'Too many uploads are running with this API key.', 5);
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

/** The name is decoded once, strictly, from the query as it came (security D8). */
function fileNameOf(queryText: string): string {
  const raw = rawParameter(queryText, 'filename') ?? rawParameter(queryText, 'name');
  if (raw === null || raw === '')
    throw invalid('attachment.no_filename', 'The query parameter "filename" is missing.', 'filename');
  const decoded = decodeFileName(raw);
  if (decoded === null) throw invalid('attachment.bad_filename', 'The file name is not valid UTF-8.', 'filename');
  return cleanFileName(decoded);
}

function rawParameter(queryText: string, name: string): string | null {
  for (const pair of queryText.split('&')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals) === name) return pair.slice(equals + 1);
  }
  return null;
}

/** `chunks` and `chunk` of the specification; both or neither. */
export function readPiece(
  chunks: string | undefined,
  chunk: string | undefined,
): { number: number; of: number } | null {
  if (chunks === undefined || chunks === '') {
    if (chunk !== undefined && chunk !== '')
      throw invalid('upload.bad_pieces', 'The parameter "chunk" needs "chunks" beside it.', 'chunks');
    return null;
  }
  const of = readCount(chunks, 'chunks');
  if (of < 1 || of > maxChunks)
    throw invalid('upload.bad_pieces', `The parameter "chunks" must be from 1 to ${maxChunks}.`, 'chunks');
  if (chunk === undefined || chunk === '')
    throw invalid('upload.bad_pieces', 'The parameter "chunk" is required when "chunks" is given.', 'chunk');
  const number = readCount(chunk, 'chunk');
  if (number >= of)
    throw invalid('upload.bad_pieces', 'The parameter "chunk" counts from 0 and must be less than "chunks".', 'chunk');
  return { number, of };
}

function readCount(text: string, name: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw invalid('upload.bad_pieces', `The parameter "${name}" must be a whole number.`, name);
  return Number(text);
}

function lengthOf(header: string | undefined): number | null {
  return header === undefined ? null : Number(header);
}

export function attachmentBody(file: Attachment): AttachmentBody {
  return {
    id: file.id,
    filename: file.fileName,
    size: file.sizeBytes,
    size_human: humanSize(file.sizeBytes),
    content_type: file.contentType,
    checksum: file.sha256,
    crc32: file.crc32,
    assembled: true,
    virus_scan_required: false,
    virus_scanned: false,
    virus_scanned_at: null,
    actionscript: null,
    actionscript_scanned: false,
    actionscript_scanned_at: null,
    content_blocked: false,
    content_blocked_message: null,
    processed: file.isProcessed,
    processed_at: file.processedAt === null ? null : isoInstant(file.processedAt),
    available: file.isAvailable,
    expires_at: file.expiresOn,
    created_at: isoInstant(file.createdAt),
    messages: file.messageIds,
    filelinks: file.linkIds,
  };
}
