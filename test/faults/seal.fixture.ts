// Not a test: a process of its own that appends events and seals them, and kills itself with SIGKILL at one step of it:
// before or after any file is written or removed, any file is read, or anything is written to the database.
import { sealAll } from '#server/actions/evidence/seal.ts';
import { readConfig } from '#server/config.ts';
import { openInside } from '#server/installation/open.ts';
import { silentLog } from '#server/lib/log.ts';
import { appendEvents } from '#test/kit/evidence.ts';

const [step, events] = process.argv.slice(2).map(Number);
let steps = 0;

async function dying<Result>(work: () => Promise<Result>): Promise<Result> {
  dieIf(steps++ === step);
  const result = await work();
  dieIf(steps++ === step);
  return result;
}

function dieIf(isTime: boolean): void {
  if (isTime) process.kill(process.pid, 'SIGKILL');
}

const { ctx, close } = await openInside(readConfig(), silentLog);
await appendEvents(ctx, events!);
const { evidence, db } = ctx;
await sealAll({
  ...ctx,
  evidence: {
    ...evidence,
    get: (path) => dying(() => evidence.get(path)),
    remove: (paths) => dying(() => evidence.remove(paths)),
    async put(files) {
      for (const file of files) await dying(() => evidence.put([file]));
    },
  },
  db: { ...db, write: (work) => dying(() => db.write(work)) },
});
await close();
