import { planPeopleBulk, startPeopleBulk } from '../../../actions/users/bulk.ts';
import { startLeaving } from '../../../actions/users/leavers.ts';
import type { Serve } from '../../endpoint.ts';
import { readerOf } from '../../transport/languages.ts';
import { translateRefusal, withRefusals } from './tasks.ts';

export function serveUserBulk(serve: Serve): void {
  serve('bulkPeople', async ({ deps, ctx, caller, body, raw }) => {
    const { dryRun, ...input } = body.bulk;
    if (dryRun !== true) {
      const task = await startPeopleBulk(ctx, caller, input);
      return { bulk: { dryRun: false, count: task.total ?? 0, sample: [], refused: [], task: withRefusals(task) } };
    }
    const { refused, ...plan } = await planPeopleBulk(ctx, caller, input);
    const reader = readerOf(deps, raw);
    return {
      bulk: { dryRun: true, ...plan, refused: refused.map((one) => translateRefusal(one, reader)), task: null },
    };
  });
  serve('deletePerson', async ({ ctx, caller, params, body }) => ({
    task: withRefusals(await startLeaving(ctx, caller, params.id, body.deletion)),
  }));
}
