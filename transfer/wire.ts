// Client side of the upload protocol. Chunk: POST <uploadUrl>?filename=…&chunks=…&chunk=…&upload_id=…, raw body; 200
// with `Upload-Id`, or {"attachment":{…}} when the file is complete. State: GET <stateUrl>,
// {"upload":{"received":[…]}}.
import type { AttachmentBody } from '../contract/attachments.ts';
import type { WireResponse } from './ports.ts';
import type { ServerRefusal } from './states.ts';

/** `crc32` is empty while the server computes it. */
export type WireAttachment = Pick<AttachmentBody, 'id' | 'size' | 'crc32'>;

export interface Chunk {
  number: number;
  of: number;
}

export const maxChunks = 10_000;

export function chunkUrl(uploadUrl: string, name: string, chunk: Chunk | null, uploadId: string | null): string {
  const query = [`filename=${encodeURIComponent(name.toWellFormed())}`];
  if (chunk !== null) query.push(`chunks=${chunk.of}`, `chunk=${chunk.number}`);
  if (uploadId !== null) query.push(`upload_id=${encodeURIComponent(uploadId)}`);
  return `${uploadUrl}${uploadUrl.includes('?') ? '&' : '?'}${query.join('&')}`;
}

export function stateUrlOf(stateUrl: string, uploadId: string): string {
  return stateUrl.replace('{id}', encodeURIComponent(uploadId));
}

export type Verdict =
  | { is: 'accepted' }
  | { is: 'retry'; retryAfter: string | null }
  | { is: 'signed-out' }
  | { is: 'full'; sentence: string | null }
  | { is: 'too-large'; sentence: string | null }
  | { is: 'gone'; sentence: string | null }
  /** A rule forbids it. */
  | { is: 'refused'; sentence: string | null }
  | { is: 'unexpected'; sentence: string | null };

const laterStatuses = new Set([408, 425, 429]);
const ruleStatuses = new Set([403, 409, 410, 415, 422]);

export function verdictOf(response: WireResponse): Verdict {
  const { status } = response;
  if (status === 200) return { is: 'accepted' };
  const { sentence, code } = refusalText(response);
  // request.no_token: another session has started in this browser.
  if (status === 401 || code === 'request.no_token') return { is: 'signed-out' };
  if (status === 507) return { is: 'full', sentence };
  if (laterStatuses.has(status) || status >= 500) return { is: 'retry', retryAfter: response.header('retry-after') };
  // Without a code, a proxy refused the size of the chunk.
  if (status === 413) {
    const isChunk = code === null || code === 'upload.piece_too_large';
    return isChunk ? { is: 'too-large', sentence } : { is: 'refused', sentence };
  }
  if (status === 404) return { is: 'gone', sentence };
  return ruleStatuses.has(status) ? { is: 'refused', sentence } : { is: 'unexpected', sentence };
}

export interface ChunkAnswer {
  uploadId: string | null;
  attachment: WireAttachment | null;
}

/** Null for the response of a captive portal. */
export function readChunkAnswer(response: WireResponse): ChunkAnswer | null {
  const uploadId = response.header('upload-id');
  if (response.text === '') return uploadId === null ? null : { uploadId, attachment: null };
  const attachment = (readJson(response.text) as { attachment?: Partial<WireAttachment> } | null)?.attachment;
  if (typeof attachment?.id !== 'string') return null;
  const size = typeof attachment.size === 'number' ? attachment.size : Number.NaN;
  return { uploadId, attachment: { id: attachment.id, size, crc32: attachment.crc32 ?? '' } };
}

/** Null for the response of a captive portal. */
export function readReceived(response: WireResponse): number[] | null {
  const received = (readJson(response.text) as { upload?: { received?: unknown } } | null)?.upload?.received;
  if (!Array.isArray(received)) return null;
  return received.filter((number): number is number => Number.isInteger(number) && number >= 0);
}

export function readHint(response: WireResponse): number | null {
  const hint = Number(response.header('upload-chunk-size') ?? '');
  return Number.isInteger(hint) && hint > 0 ? hint : null;
}

export function refusalOf(response: WireResponse): ServerRefusal {
  return { status: response.status, code: refusalText(response).code };
}

function refusalText(response: WireResponse): { sentence: string | null; code: string | null } {
  const body = readJson(response.text) as { errors?: unknown; localized_errors?: unknown; code?: unknown } | null;
  const errors = body?.localized_errors ?? body?.errors;
  const first: unknown = Array.isArray(errors) ? errors[0] : null;
  return {
    sentence: typeof first === 'string' ? first : null,
    code: typeof body?.code === 'string' ? body.code : null,
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
