// Reads damaged files again, because a disk fault may have ended (docs/adr/0099).

import { checkFile } from '../actions/storage/checking.ts';
import { listDamagedAfter } from '../db/storage/storage.ts';
import { systemCaller } from '../domain/caller.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';

const atMost = 10;

export function createCheckDamaged(): Job {
  /** So that permanently damaged files do not block others. */
  let lastId = '';
  return {
    name: 'check-damaged',
    everyMs: 10 * 60_000,
    isHarmless: true,
    async run(ctx) {
      const ids = await listDamagedAfter(ctx.db.read, lastId, atMost);
      lastId = ids.length < atMost ? '' : ids.at(-1)!;
      let mended = 0;
      for (const id of ids) if ((await checkFile(ctx, systemCaller, id)) === 'mended') mended += 1;
      return `${counted(ids.length, 'damaged file')} read again, ${mended} of them whole`;
    },
  };
}
