import { getOwnFiledrop, resetFiledrop, switchFiledrop } from '../../../actions/filedrops/own-filedrop.ts';
import type { Serve } from '../../endpoint.ts';

export function serveAppDrop(serve: Serve): void {
  serve('getAppDrop', async ({ ctx, caller }) => ({ drop: await getOwnFiledrop(ctx, caller) }));

  serve('changeAppDrop', async ({ ctx, caller, body }) => {
    await switchFiledrop(ctx, caller, body.isOpen);
    return { drop: await getOwnFiledrop(ctx, caller) };
  });

  serve('resetAppDrop', async ({ ctx, caller }) => {
    await resetFiledrop(ctx, caller);
    return { drop: await getOwnFiledrop(ctx, caller) };
  });
}
