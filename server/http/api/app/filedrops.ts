// The caller's own drop page, for the web app.
import type { AppDropBody } from '#contract/app/filedrops.ts';
import type { Ctx } from '../../../actions/context.ts';
import { getOwnFiledrop, resetFiledrop, switchFiledrop } from '../../../actions/filedrops/own-filedrop.ts';
import type { UserCaller } from '../../../domain/caller.ts';
import type { Serve } from '../../endpoint.ts';

export function serveAppDrop(serve: Serve): void {
  serve('getAppDrop', async ({ ctx, caller }) => ({ drop: await dropBody(ctx, caller) }));

  serve('changeAppDrop', async ({ ctx, caller, body }) => {
    await switchFiledrop(ctx, caller, body.is_open);
    return { drop: await dropBody(ctx, caller) };
  });

  serve('resetAppDrop', async ({ ctx, caller }) => {
    await resetFiledrop(ctx, caller);
    return { drop: await dropBody(ctx, caller) };
  });
}

async function dropBody(ctx: Ctx, caller: UserCaller): Promise<AppDropBody> {
  const drop = await getOwnFiledrop(ctx, caller);
  return {
    is_available: drop.isAvailable,
    is_open: drop.isOpen,
    random_url: drop.randomUrl,
    email_url: drop.emailUrl,
    confirm_sender: caller.policy.filedrop_confirm_sender,
    max_size: caller.policy.filedrop_max_size,
    deliveries: drop.deliveries,
  };
}
