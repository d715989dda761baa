// Advances the counter that lets a store detect an older copy of the database.
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
