// Stops running transfers: an upload is abandoned, a download is cut and its ticket becomes invalid.
import { findDownloadTarget, findOpenUpload, retireDownload } from '../../db/overview/overview.ts';
import { findUser } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { abandonUpload } from '../uploads/sessions.ts';
import { isVisible } from '../users/rights.ts';

/** `name` is `upload.<id>` or `download.<number>.<id of the owner>`. */
export async function stopRunning(ctx: Ctx, caller: UserCaller, name: string): Promise<void> {
  requireRight(caller, 'console.change');
  const upload = /^upload\.([A-Za-z0-9]{1,60})$/.exec(name);
  if (upload !== null) return stopUpload(ctx, caller, upload[1]!);
  const download = /^download\.(\d{1,15})\.([a-z0-9-]{1,120})$/.exec(name);
  if (download !== null) return stopDownload(ctx, caller, download[2]!, Number(download[1]));
  throw notFound('transfer');
}

async function requireReach(ctx: Ctx, caller: UserCaller, ownerId: string): Promise<void> {
  const owner = await findUser(ctx.db.read, ownerId);
  if (owner === undefined || !isVisible(caller, owner)) throw notFound('transfer');
}

async function stopUpload(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  const upload = await findOpenUpload(ctx.db.read, id);
  if (upload === null) throw notFound('transfer');
  await requireReach(ctx, caller, upload.ownerId);
  await ctx.db.write(async (tx) => {
    if (!(await abandonUpload(ctx, tx, upload))) throw notFound('transfer');
    await record(ctx, tx, caller, {
      action: 'upload.stopped',
      object: { kind: 'attachment', id },
      ownerId: upload.ownerId,
      facts: { size: upload.bytes },
    });
  });
}

async function stopDownload(ctx: Ctx, caller: UserCaller, ownerId: string, number: number): Promise<void> {
  await requireReach(ctx, caller, ownerId);
  const target = await findDownloadTarget(ctx.db.read, ownerId, number);
  if (target === null) throw notFound('transfer');
  await ctx.db.write(async (tx) => {
    if (!(await retireDownload(tx, ownerId, number))) throw notFound('transfer');
    await record(ctx, tx, caller, {
      action: 'download.stopped',
      object: { kind: target.kind, id: target.id },
      ownerId,
      facts: { recipient: target.recipient, download: number },
    });
  });
}
