// Not a test: a process of its own that appends events and seals them, and kills itself with SIGKILL at one step of it:
// before any file is written or removed, before anything is written to the database, or when all is done. Between two of
// these steps nothing changes that outlives the process.
import { sealAll } from '#server/actions/evidence/seal.ts';
import { readConfig } from '#server/config.ts';
import { openInside } from '#server/installation/open.ts';
import { silentLog } from '#server/lib/log.ts';
import { appendEvents } from '#test/kit/evidence.ts';

const [step, events] = process.argv.slice(2).map(Number);
let steps = 0;

function dying<Result>(work: () => Promise<Result>): Promise<Result> {
  mayDie();
  return work();
}

function mayDie(): void {
  if (steps++ === step) process.kill(process.pid, 'SIGKILL');
}

const { ctx, close } = await openInside(readConfig(), silentLog);
await appendEvents(ctx, events!);
const { evidence, db } = ctx;
await sealAll({
  ...ctx,
  evidence: {
    ...evidence,
    remove: (paths) => dying(() => evidence.remove(paths)),
    async put(files) {
      for (const file of files) await dying(() => evidence.put([file]));
    },
  },
  db: { ...db, write: (work) => dying(() => db.write(work)) },
});
mayDie();
await close();
