// Compares people with the directories that they came from. A change of many people of one directory waits for an
// administrator; the others continue.
import { listDueDirectories, syncDirectory } from '../actions/identity/directory-sync.ts';
import type { Job } from './job.ts';

export const syncDirectories: Job = {
  name: 'sync-directories',
  everyMs: 10_000,
  async run(ctx) {
    const notes: string[] = [];
    for (const service of await listDueDirectories(ctx)) {
      const { outcome, note } = await syncDirectory(ctx, service);
      notes.push(`${service.name}: ${outcome === 'stopped' ? `stopped: ${note}` : note}`);
    }
    return notes.length === 0 ? 'nothing was due' : notes.join('; ');
  },
};
