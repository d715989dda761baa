// Appends events, seals them, and kills itself at one step: before a change of files or of the database, or at the end.
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
