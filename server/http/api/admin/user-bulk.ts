// The same change to many people, and deleting a person whose transfers go to somebody else.
import type { z } from 'zod';
import type { bulkPeopleInput } from '#contract/admin/user-bulk.ts';
import { type PeopleBulk, planPeopleBulk, startPeopleBulk } from '../../../actions/users/bulk.ts';
import { startLeaving } from '../../../actions/users/leavers.ts';
import type { Serve } from '../../endpoint.ts';
import { readerOf } from '../../transport/languages.ts';
import { translateRefusal, withRefusals } from './tasks.ts';
import { personBody, seenOf } from './user-lists.ts';

export function serveUserBulk(serve: Serve): void {
  serve('bulkPeople', async ({ deps, ctx, caller, body, raw }) => {
    const input = bulkOf(body);
    if (body.bulk.dry_run !== true) {
      const task = await startPeopleBulk(ctx, caller, input);
      return { bulk: { dry_run: false, count: task.total ?? 0, sample: [], refused: [], task: withRefusals(task) } };
    }
    const { count, sample, refused } = await planPeopleBulk(ctx, caller, input);
    const reader = readerOf(deps, raw);
    return {
      bulk: {
        dry_run: true,
        count,
        sample: sample.map(personBody),
        refused: refused.map((one) => translateRefusal(one, reader)),
        task: null,
      },
    };
  });
  serve('deletePerson', async ({ ctx, caller, params, body }) => {
    const { email, to, reason = '' } = body.deletion;
    return { task: withRefusals(await startLeaving(ctx, caller, params.id, { email, to, reason })) };
  });
}

function bulkOf({ bulk }: z.output<typeof bulkPeopleInput>): PeopleBulk {
  const { action, people, filter, group = '', reason = '' } = bulk;
  return {
    action,
    ids: people ?? null,
    wishes: {
      q: filter?.q ?? '',
      role: filter?.role ?? null,
      groupId: filter?.group ?? null,
      state: filter?.state ?? null,
      seen: seenOf(filter?.seen),
    },
    groupId: group,
    reason,
  };
}
