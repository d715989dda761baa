// Continues the log after an older database was restored. An event records the loss with the last checkpoint of the old
// log. Witnesses accept it separately (`evidence witness --accept-loss`).

import { listSealableUpTo } from '../../db/events/sealable-events.ts';
import type { LogHead } from '../../db/evidence/evidence.ts';
import { systemCaller } from '../../domain/caller.ts';
import { entryOf } from '../../domain/evidence.ts';
import type { NamedFile } from '../../domain/ports.ts';
import { parseCheckpoint } from '../../lib/tlog/checkpoints.ts';
import { leafHash } from '../../lib/tlog/merkle.ts';
import { parseNote, verifyNote } from '../../lib/tlog/notes.ts';
import { encodeBundle, partialTiles, tilePath } from '../../lib/tlog/tiles.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { checkpointPath, EvidenceFault, listVerifiers, openLog } from './log.ts';
import { sealAll } from './seal.ts';

export interface Loss {
  /** Entries the log continues from. */
  remaining: number;
  /** Signed entries that are gone. */
  lost: number;
}

/** Null if nothing is lost. */
export async function acceptLoss(ctx: Ctx, reason: string): Promise<Loss | null> {
  const { head } = await openLog(ctx);
  const published = (await ctx.evidence.get(checkpointPath))?.toString() ?? '';
  if (published === '' || verifyNote(parseNote(published), await listVerifiers(ctx)).length === 0) return null;
  const { size } = parseCheckpoint(parseNote(published).text);
  if (size <= head.size) return null;
  const files = await filesAtEnd(ctx, head);
  await ctx.db.write((tx) =>
    record(ctx, tx, systemCaller, {
      action: 'evidence.loss_accepted',
      object: { kind: 'system', id: 'evidence' },
      ownerId: '',
      facts: { kept: head.size, lost: size - head.size, checkpoint: published, reason },
    }),
  );
  await ctx.evidence.put(files);
  // After this event, sealing can repair a crash.
  if (head.note === '') await ctx.evidence.remove([checkpointPath]);
  else await ctx.evidence.put([{ path: checkpointPath, bytes: Buffer.from(head.note) }]);
  const current = new Set(files.map(({ path }) => path));
  await ctx.evidence.remove(
    partialTiles(size)
      .map(tilePath)
      .filter((path) => !current.has(path)),
  );
  await sealAll(ctx);
  return { remaining: head.size, lost: size - head.size };
}

/** Partial tiles of that size, since replaced by wider ones. */
async function filesAtEnd(ctx: Ctx, { size, edge, lastSeq }: LogHead): Promise<NamedFile[]> {
  const files: NamedFile[] = [];
  for (const tile of partialTiles(size)) {
    if (tile.level !== 'entries') files.push({ path: tilePath(tile), bytes: edge[tile.level]! });
    else {
      const rows = await listSealableUpTo(ctx.db.read, lastSeq, tile.width);
      const entries = rows.map(({ event, salts }) => entryOf(event, salts));
      if (!Buffer.concat(entries.map(leafHash)).equals(edge[0]!))
        throw new EvidenceFault('the last events of this database are not those that were sealed');
      files.push({ path: tilePath(tile), bytes: encodeBundle(entries) });
    }
  }
  return files;
}
