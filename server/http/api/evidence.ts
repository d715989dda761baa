// The evidence log for auditors: files, keys, witnesses.

import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { encodings } from '#web/encodings.ts';
import type { Ctx } from '../../actions/context.ts';
import { listAsked, testWitness } from '../../actions/evidence/ask-witnesses.ts';
import { listKeys } from '../../actions/evidence/keys.ts';
import { readTile } from '../../actions/evidence/log.ts';
import { findCurrentCheckpoint } from '../../actions/evidence/prove.ts';
import { addCosignature, findEvidenceState } from '../../actions/evidence/witnesses.ts';
import { notFound } from '../../domain/problem.ts';
import { parseTilePath, tileWidth } from '../../lib/tlog/tiles.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { acceptedEncoding, isKnown, quickBrotli } from '../transport/compression.ts';
import type { Exchange } from '../transport/router.ts';

export function serveEvidence(serve: Serve): void {
  serve('getEvidence', async ({ ctx }) => {
    const asked = listAsked(ctx.settings.surroundings.witnessPolicy).flatMap(({ keys }) => keys.map(({ key }) => key));
    return { evidence: { ...(await findEvidenceState(ctx)), asked } };
  });

  serve('getEvidenceCheckpoint', async (call) => {
    const note = await findCurrentCheckpoint(call.ctx);
    if (note === null) throw notFound('evidence', 'There’s no checkpoint yet. The first one comes within a minute.');
    await sendCacheable(call, Buffer.from(note), { type: 'text/plain; charset=utf-8', age: briefly, isText: true });
    return alreadySent;
  });

  serve('getEvidenceTile', async (call) => {
    const tile = parseTilePath(`tile/${call.params['*'] ?? ''}`);
    const bytes = tile === null ? null : await readTile(call.ctx, tile);
    if (bytes === null) throw notFound('evidence', 'There’s no such tile in the log.');
    const isFull = tile!.width === tileWidth;
    const type = 'application/octet-stream';
    // Hashes cannot be compressed.
    await sendCacheable(call, bytes, { type, age: isFull ? forever : briefly, isText: tile!.level === 'entries' });
    return alreadySent;
  });

  serve('listEvidenceKeys', async ({ ctx }) => ({ keys: await listKeys(ctx) }));

  serve('testWitness', async ({ ctx, caller, body }) => ({
    witnessTest: { error: await testWitness(ctx, caller, body.witnessTest.key) },
  }));

  serve('addCosignature', async ({ ctx, caller, body }) => ({
    witness: await addCosignature(ctx, caller, body.cosignature),
  }));
}

/** A full tile never changes. */
const forever = 'max-age=31536000, immutable';
/** Sealing adds entries every 15 seconds. */
const briefly = 'max-age=5';

async function sendCacheable(
  { raw, response, requestId, ctx }: Exchange & { ctx: Ctx },
  bytes: Buffer,
  { type, age, isText }: { type: string; age: string; isText: boolean },
): Promise<void> {
  const isPublic = ctx.settings.surroundings.isEvidencePublic;
  const encoding = isText ? acceptedEncoding(raw, encodings) : null;
  const etag = `"${hash('sha256', bytes, 'hex').slice(0, 32)}${encoding === null ? '' : `-${encoding}`}"`;
  const headers = {
    etag,
    'cache-control': `${isPublic ? 'public' : 'private'}, ${age}`,
    vary: isPublic ? 'Accept-Encoding' : 'Accept-Encoding, Authorization, Cookie',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  };
  if (isKnown(raw, etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const body = encoding === null ? bytes : await (encoding === 'br' ? toBrotli(bytes, quickBrotli) : toGzip(bytes));
  response.writeHead(200, {
    ...headers,
    'content-type': type,
    'content-length': body.length,
    ...(encoding === null ? {} : { 'content-encoding': encoding }),
  });
  response.end(body);
}

const toBrotli = promisify<Buffer, typeof quickBrotli, Buffer>(brotliCompress);
const toGzip = promisify<Buffer, Buffer>(gzip);
