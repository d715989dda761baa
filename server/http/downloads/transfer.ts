// The only function that sends file bytes. A deleted or revoked file is cut off within seconds, and a damaged one never
// ends cleanly.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { cutStretches } from '#contract/stretches.ts';
import { type DeliveredFile, type Delivery, partsOf } from '../../actions/downloads/deliveries.ts';
import {
  type Grant,
  grantBytes,
  isStillAllowed,
  nameVisitor,
  reportDamage,
} from '../../actions/downloads/downloads.ts';
import { finishDownload, recordProgress, recordTaken } from '../../actions/downloads/request-ends.ts';
import { registerRequest } from '../../actions/downloads/running-requests.ts';
import type { Caller } from '../../domain/caller.ts';
import type { TakenBytes, Visitor } from '../../domain/downloads.ts';
import { BlobDamaged, BlobMissing, type ByteRange } from '../../domain/ports.ts';
import { inertContentType } from '../../lib/content-type.ts';
import { contentDisposition } from '../../lib/file-name.ts';
import type { HttpDeps } from '../deps.ts';
import { describeFault } from '../transport/answers.ts';
import { type BodyWrites, followBody } from '../transport/body-writes.ts';
import { isOperatorsConcern } from '../transport/problems.ts';
import { resolveRange } from '../transport/ranges.ts';

/** Ended downloads stop within 5 s; worst case: one missed poll. */
const recheckMs = 2000;
const silenceMs = 120_000;
/** A crash loses at most this much of the record of a download: whichever comes first. */
const progressMs = 3000;
const progressBytes = 4 * 2 ** 20;

export interface Transfer {
  deps: HttpDeps;
  raw: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  signal: AbortSignal;
  caller: Caller;
  visitor: Visitor;
  delivery: Delivery;
}

/** HEAD, 304 and 416 grant and count nothing. */
export async function sendFile(transfer: Transfer): Promise<void> {
  const { raw, response, delivery } = transfer;
  const etag = `"${delivery.etag}"`;
  const headers = fileHeaders(delivery, etag, transfer.requestId);
  if (isKnown(raw.headers['if-none-match'], etag)) {
    response.writeHead(304, { etag, 'cache-control': 'private, no-store' }).end();
    return;
  }
  const answer = resolveRange({
    range: raw.headers.range,
    ifRange: ifRangeOf(raw),
    etag,
    sizeBytes: delivery.sizeBytes,
  });
  if (answer.kind === 'unsatisfiable') {
    response
      .writeHead(416, { ...headers, 'content-range': `bytes */${delivery.sizeBytes}`, 'content-length': 0 })
      .end();
    return;
  }
  const range = answer.kind === 'whole' ? { start: 0, end: delivery.sizeBytes } : answer.range;
  const length = range.end - range.start;
  const partHeaders: Record<string, string> =
    answer.kind === 'whole' ? {} : { 'content-range': `bytes ${range.start}-${range.end - 1}/${delivery.sizeBytes}` };
  const status = answer.kind === 'whole' ? 200 : 206;
  if (raw.method === 'HEAD') {
    response.writeHead(status, { ...headers, ...partHeaders, 'content-length': length }).end();
    return;
  }
  const { deps, signal, caller, visitor } = transfer;
  // Count nothing for a client that has left.
  signal.throwIfAborted();
  const grant = await grantBytes(deps.ctx, caller, { delivery, range, visitor, servedBy: deps.processId });
  const success: Record<string, string | number> = { ...headers, ...partHeaders, 'content-length': length };
  // Sent with the first byte: if the store is unavailable before, the answer is a refusal.
  response.statusCode = status;
  for (const [name, value] of Object.entries(success)) response.setHeader(name, value);
  try {
    await stream(transfer, grant);
  } catch (error) {
    for (const name of Object.keys(success)) response.removeHeader(name);
    throw error;
  }
}

/** If-None-Match (RFC 9110): a list, compared weakly; `*` matches any. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}

function ifRangeOf(raw: IncomingMessage): string | undefined {
  const header = raw.headers['if-range'];
  return typeof header === 'string' ? header : undefined;
}

/** Uploaded content must never run on our site, so every type is saved. */
function fileHeaders(delivery: Delivery, etag: string, requestId: string): Record<string, string> {
  return {
    'content-type': inertContentType(delivery.contentType),
    'content-disposition': contentDisposition(delivery.fileName),
    'accept-ranges': 'bytes',
    etag,
    ...(delivery.sha256 === null
      ? {}
      : { 'repr-digest': `sha-256=:${Buffer.from(delivery.sha256, 'hex').toString('base64')}:` }),
    // Compression by a proxy would remove length and ranges.
    'cache-control': 'private, no-store, no-transform',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'x-request-id': requestId,
  };
}

/** Rejects if nothing was sent because the store is unavailable. */
async function stream(transfer: Transfer, grant: Grant): Promise<void> {
  const { deps, response, delivery } = transfer;
  const body = followBody(response);
  const length = grant.range.end - grant.range.start;
  const leave = registerRequest(delivery.ticket, () => body.taken().certain === length);
  const stop = new AbortController();
  const unwatch = watch(transfer, grant, body, stop);
  const progress = keepProgress(transfer, grant, body);
  let wasCut = false;
  let refusal: unknown = null;
  let current: DeliveredFile | null = null;
  try {
    for (const { stretch, start, end } of cutStretches(delivery.stretches, grant.range)) {
      if ('bytes' in stretch) body.hold(stretch.bytes.subarray(start, end));
      else if (start < end) {
        current = delivery.files[stretch.file]!;
        await sendRange(transfer, current, { range: { start, end }, onBytes: progress.add, stop });
      }
    }
    body.release();
    response.end();
    await body.whenTaken(stop.signal);
  } catch (error) {
    wasCut = stop.signal.aborted;
    if (!wasCut && !response.headersSent && !response.destroyed && isOperatorsConcern(error)) refusal = error;
    if (refusal === null || error instanceof BlobMissing) await noteFailure(transfer, current, error, wasCut);
    if (refusal === null) response.destroy();
  } finally {
    unwatch();
    const recorded = await progress.end();
    body.forget();
    await finishDownload(deps.ctx, recorded, body.taken(), wasCut ? 'cut' : 'partial').catch((error: unknown) => {
      deps.ctx.log.error(
        { requestId: transfer.requestId, err: describeFault(error) },
        'a download could not be written to the log',
      );
    });
    leave();
    void nameHost(transfer, grant);
  }
  if (refusal !== null) throw refusal;
}

/** Not awaited; the log has the address until then. */
async function nameHost({ deps, visitor }: Transfer, grant: Grant): Promise<void> {
  const host = (await deps.hostNames?.find(visitor.address)) ?? '';
  if (host !== '') await nameVisitor(deps.ctx, grant, host).catch(() => {});
}

async function sendRange(
  { deps, response }: Transfer,
  file: DeliveredFile,
  { range, onBytes, stop }: { range: ByteRange; onBytes: (count: number) => void; stop: AbortController },
): Promise<void> {
  const options = { signal: stop.signal, onBytes };
  let offset = 0;
  for (const part of await partsOf(deps.ctx, file)) {
    const start = Math.max(range.start - offset, 0);
    const end = Math.min(range.end - offset, part.sizeBytes);
    if (start < end) await deps.ctx.blobs.send(part.blob, { start, end }, response, options);
    offset += part.sizeBytes;
  }
  // Erased while earlier files were sent.
  if (offset < range.end) {
    stop.abort(new Error('a file of this download is gone'));
    throw stop.signal.reason;
  }
}

/** Also if the client reads nothing. */
function watch({ deps, requestId }: Transfer, grant: Grant, body: BodyWrites, stop: AbortController): () => void {
  let lastBytes = 0;
  let lastChangeAt = Date.now();
  const timer = setInterval(() => {
    const bytes = body.taken().certain;
    if (bytes !== lastBytes) [lastBytes, lastChangeAt] = [bytes, Date.now()];
    if (Date.now() - lastChangeAt > silenceMs) stop.abort(new Error('the client stopped reading'));
    isStillAllowed(deps.ctx, grant)
      .then((isAllowed) => {
        if (!isAllowed) stop.abort(new Error('the file is no longer shared'));
      })
      .catch((error: unknown) =>
        deps.ctx.log.warn({ requestId, err: String(error) }, 'a running download could not be checked'),
      );
  }, recheckMs);
  timer.unref();
  return () => clearInterval(timer);
}

interface ProgressRecord {
  /** Announces bytes about to be written. */
  add(count: number): void;
  /** Returns the grant with the final counts. */
  end(): Promise<Grant>;
}

function keepProgress({ deps, requestId }: Transfer, begun: Grant, body: BodyWrites): ProgressRecord {
  let grant = begun;
  let recordedBytes = 0;
  let writing: Promise<void> | null = null;
  const write = (work: (taken: TakenBytes) => Promise<void>) => {
    if (writing !== null) return;
    const taken = body.taken();
    recordedBytes = taken.certain;
    writing = work(taken)
      .catch((error: unknown) =>
        deps.ctx.log.warn({ requestId, err: String(error) }, 'the progress of a download could not be recorded'),
      )
      .finally(() => {
        writing = null;
      });
  };
  const timer = setInterval(() => {
    write(async (taken) => {
      grant = await recordProgress(deps.ctx, grant, taken);
    });
  }, progressMs);
  timer.unref();
  return {
    add(count) {
      body.add(count);
      if (body.taken().certain - recordedBytes >= progressBytes) write((taken) => recordTaken(deps.ctx, grant, taken));
    },
    async end() {
      clearInterval(timer);
      await writing;
      return grant;
    },
  };
}

async function noteFailure(
  transfer: Transfer,
  file: DeliveredFile | null,
  error: unknown,
  wasCut: boolean,
): Promise<void> {
  const { deps, requestId, delivery, response } = transfer;
  if (error instanceof BlobMissing) {
    // It may return, for instance when its folder is mounted.
    deps.ctx.log.error({ requestId, err: String(error) }, 'a stored file is missing');
  } else if (file !== null && error instanceof BlobDamaged) {
    deps.ctx.log.error({ requestId, err: String(error) }, 'a stored file is damaged');
    await reportDamage(deps.ctx, delivery, file).catch(() => {});
  } else if (!wasCut && !response.destroyed) {
    deps.ctx.log.warn({ requestId, err: describeFault(error) }, 'a download broke off');
  }
}
