// Counts on in the database and in the store, so that an older copy of the database is noticed by its store.
import type { Job } from './job.ts';

export function createMarkStore(owner: { beat(): Promise<void> }): Job {
  return {
    name: 'mark-store',
    everyMs: 60_000,
    async run() {
      await owner.beat();
      return 'marked';
    },
  };
}
