// Compares people with the directories that they came from. A change of many people waits for an administrator.
import { listDueDirectories, syncDirectory } from '../actions/identity/directory-sync.ts';
import { listServices } from '../actions/identity/service-list.ts';
import type { Job } from './job.ts';
import { HeldBack } from './safety-limit.ts';

export const syncDirectories: Job = {
  name: 'sync-directories',
  everyMs: 10_000,
  async run(ctx, { isConfirmed }) {
    const services = isConfirmed ? await listServices(ctx, 'ldap') : await listDueDirectories(ctx);
    const notes: string[] = [];
    const stopped: string[] = [];
    for (const service of services) {
      const { outcome, note } = await syncDirectory(ctx, service, isConfirmed);
      (outcome === 'stopped' ? stopped : notes).push(`${service.name}: ${note}`);
    }
    if (stopped.length > 0) throw new HeldBack(stopped.join('; '));
    return notes.length === 0 ? 'nothing was due' : notes.join('; ');
  },
};
