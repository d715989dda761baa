// The evidence log for auditors: files, keys, witnesses.
import { listKeys } from '../../actions/evidence/keys.ts';
import { readTile } from '../../actions/evidence/log.ts';
import { findCurrentCheckpoint } from '../../actions/evidence/prove.ts';
import { addCosignature, findEvidenceState } from '../../actions/evidence/witnesses.ts';
import { notFound } from '../../domain/problem.ts';
import { parseTilePath } from '../../lib/tlog/tiles.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { jsonHeaders } from '../transport/answers.ts';
import type { Exchange } from '../transport/router.ts';

export function serveEvidence(serve: Serve): void {
  serve('getEvidence', async ({ ctx }) => ({ evidence: await findEvidenceState(ctx) }));

  serve('getEvidenceCheckpoint', async (call) => {
    const note = await findCurrentCheckpoint(call.ctx);
    if (note === null) throw notFound('evidence', 'There’s no checkpoint yet. The first one comes within a minute.');
    sendBytes(call, Buffer.from(note), 'text/plain; charset=utf-8');
    return alreadySent;
  });

  serve('getEvidenceTile', async (call) => {
    const tile = parseTilePath(`tile/${call.params['*'] ?? ''}`);
    const bytes = tile === null ? null : await readTile(call.ctx, tile);
    if (bytes === null) throw notFound('evidence', 'There’s no such tile in the log.');
    sendBytes(call, bytes, 'application/octet-stream');
    return alreadySent;
  });

  serve('listEvidenceKeys', async ({ ctx }) => ({ keys: await listKeys(ctx) }));

  serve('addCosignature', async ({ ctx, caller, body }) => ({
    witness: await addCosignature(ctx, caller, body.cosignature),
  }));
}

function sendBytes({ response, requestId }: Exchange, bytes: Buffer, type: string): void {
  response.writeHead(200, {
    ...jsonHeaders,
    'content-type': type,
    'content-length': bytes.length,
    'x-request-id': requestId,
  });
  response.end(bytes);
}
