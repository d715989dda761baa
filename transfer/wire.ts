// The upload protocol as a client speaks it: one request for a small file, numbered pieces for a large one.
// Piece: POST <uploadUrl>?filename=…&chunks=…&chunk=…&upload_id=…, raw body; 200 with an empty body and `Upload-Id`, or
// {"attachment":{…}} when the file is complete. State: GET <stateUrl>, {"upload":{"received":[…]}}.
import type { AttachmentBody } from '../contract/attachments.ts';
import type { WireResponse } from './ports.ts';
import type { ServerRefusal } from './states.ts';

/** What the engine needs of an attachment. Checksums are empty while the server has not finished them. */
export type WireAttachment = Pick<AttachmentBody, 'id' | 'size' | 'crc32'>;

export interface Piece {
  number: number;
  of: number;
}

/** More pieces than this the server refuses. */
export const maxPieces = 10_000;

export function pieceUrl(uploadUrl: string, name: string, piece: Piece | null, uploadId: string | null): string {
  const query = [`filename=${encodeURIComponent(name.toWellFormed())}`];
  if (piece !== null) query.push(`chunks=${piece.of}`, `chunk=${piece.number}`);
  if (uploadId !== null) query.push(`upload_id=${encodeURIComponent(uploadId)}`);
  return `${uploadUrl}${uploadUrl.includes('?') ? '&' : '?'}${query.join('&')}`;
}

/** `{id}` in the address stands for the upload. */
export function stateUrlOf(stateUrl: string, uploadId: string): string {
  return stateUrl.replace('{id}', encodeURIComponent(uploadId));
}

export type Verdict =
  | { is: 'taken' }
  /** Later, perhaps after the wait the server asks for. */
  | { is: 'later'; retryAfter: string | null }
  | { is: 'signed-out' }
  | { is: 'full'; sentence: string | null }
  | { is: 'too-large'; sentence: string | null }
  | { is: 'gone'; sentence: string | null }
  /** By a rule: nothing will change by trying again. */
  | { is: 'refused'; sentence: string | null }
  | { is: 'broken'; sentence: string | null };

const laterStatuses = new Set([408, 425, 429]);
const ruleStatuses = new Set([403, 409, 410, 415, 422]);

export function verdictOf(response: WireResponse): Verdict {
  const { status } = response;
  if (status === 200) return { is: 'taken' };
  const { sentence, code } = refusalText(response);
  // The second one: another session has begun in this browser, and the request carried the token of the one before.
  if (status === 401 || code === 'request.no_token') return { is: 'signed-out' };
  if (status === 507) return { is: 'full', sentence };
  if (laterStatuses.has(status) || status >= 500) return { is: 'later', retryAfter: response.header('retry-after') };
  // Ours says by its code when a rule is meant; a proxy in between only says that the piece did not fit.
  if (status === 413) {
    const isPiece = code === null || code === 'upload.piece_too_large';
    return isPiece ? { is: 'too-large', sentence } : { is: 'refused', sentence };
  }
  if (status === 404) return { is: 'gone', sentence };
  return ruleStatuses.has(status) ? { is: 'refused', sentence } : { is: 'broken', sentence };
}

export interface PieceAnswer {
  uploadId: string | null;
  attachment: WireAttachment | null;
}

/** Null when it cannot come from our server, such as the page of a network's own sign-in. */
export function readPieceAnswer(response: WireResponse): PieceAnswer | null {
  const uploadId = response.header('upload-id');
  if (response.text === '') return uploadId === null ? null : { uploadId, attachment: null };
  const attachment = (readJson(response.text) as { attachment?: Partial<WireAttachment> } | null)?.attachment;
  if (typeof attachment?.id !== 'string') return null;
  const size = typeof attachment.size === 'number' ? attachment.size : Number.NaN;
  return { uploadId, attachment: { id: attachment.id, size, crc32: attachment.crc32 ?? '' } };
}

/** Numbers of the pieces that arrived; null when the answer is not ours. */
export function readReceived(response: WireResponse): number[] | null {
  const received = (readJson(response.text) as { upload?: { received?: unknown } } | null)?.upload?.received;
  if (!Array.isArray(received)) return null;
  return received.filter((number): number is number => Number.isInteger(number) && number >= 0);
}

export function readHint(response: WireResponse): number | null {
  const hint = Number(response.header('upload-chunk-size') ?? '');
  return Number.isInteger(hint) && hint > 0 ? hint : null;
}

/** What scripts go by: the status, and the server's stable code where it gave one. */
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
