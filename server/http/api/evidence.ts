// The log of evidence for auditors: its files, its keys, its witnesses.
import type { WitnessBody } from '#contract/evidence.ts';
import { listKeys } from '../../actions/evidence/keys.ts';
import { readTile } from '../../actions/evidence/log.ts';
import { findCurrentCheckpoint } from '../../actions/evidence/prove.ts';
import { addCosignature, findEvidenceState } from '../../actions/evidence/witnesses.ts';
import { notFound } from '../../domain/problem.ts';
import { isoInstant } from '../../lib/dates.ts';
import { parseTilePath } from '../../lib/tlog/tiles.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { jsonHeaders } from '../transport/answers.ts';
import type { Exchange } from '../transport/router.ts';

export function serveEvidence(serve: Serve): void {
  serve('getEvidence', async ({ ctx }) => {
    const { origin, size, sealedAt, witnesses } = await findEvidenceState(ctx);
    return {
      evidence: {
        origin,
        size,
        sealed_at: sealedAt === null ? null : isoInstant(sealedAt),
        witnesses: witnesses.map(witnessBody),
      },
    };
  });

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

  serve('listEvidenceKeys', async ({ ctx }) => {
    const keys = await listKeys(ctx);
    return {
      keys: keys.map(({ verifierKey, endorsement, createdAt }) => ({
        key: verifierKey,
        since: isoInstant(createdAt),
        endorsement,
      })),
    };
  });

  serve('addCosignature', async ({ ctx, caller, body }) => ({
    witness: witnessBody(await addCosignature(ctx, caller, body.cosignature)),
  }));
}

interface WitnessFacts {
  verifierKey: string;
  size: number;
  witnessedAt: number;
  createdAt: number;
}

function witnessBody({ verifierKey, size, witnessedAt, createdAt }: WitnessFacts): WitnessBody {
  return {
    key: verifierKey,
    size,
    witnessed_at: witnessedAt === 0 ? null : isoInstant(witnessedAt),
    since: isoInstant(createdAt),
  };
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
