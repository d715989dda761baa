// Drop pages of functions.
import {
  changeSystemDrop,
  createSystemDrop,
  deleteSystemDrop,
  getSystemDrop,
  listSystemDrops,
} from '../../../actions/filedrops/system-drops.ts';
import type { Serve } from '../../endpoint.ts';

export function serveSystemDrops(serve: Serve): void {
  serve('listSystemDrops', async ({ ctx, caller }) => ({ filedrops: await listSystemDrops(ctx, caller) }));
  serve('createSystemDrop', async ({ ctx, caller, body }) => ({
    filedrop: await createSystemDrop(ctx, caller, body.filedrop),
  }));
  serve('getSystemDrop', async ({ ctx, caller, params }) => ({
    filedrop: await getSystemDrop(ctx, caller, params.id),
  }));
  serve('changeSystemDrop', async ({ ctx, caller, params, body }) => ({
    filedrop: await changeSystemDrop(ctx, caller, params.id, body.filedrop),
  }));
  serve('deleteSystemDrop', ({ ctx, caller, params }) => deleteSystemDrop(ctx, caller, params.id));
}
