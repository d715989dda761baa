import type { transferEndpoints } from '#contract/admin/transfers.ts';
import type { Ctx } from '../../../actions/context.ts';
import { invalidPageMarker, readPageMarker } from '../../../actions/listing.ts';
import { planBulk, startBulk } from '../../../actions/transfers/bulk.ts';
import { extendTransfer, stopTransfer } from '../../../actions/transfers/changes.ts';
import { handOverTransfer } from '../../../actions/transfers/hand-over.ts';
import { listOutside } from '../../../actions/transfers/outside.ts';
import { findByReference } from '../../../actions/transfers/references.ts';
import { readSubject } from '../../../actions/transfers/subject.ts';
import {
  describeTransfer,
  getReferenced,
  listAllTransfers,
  viewTransfer,
} from '../../../actions/transfers/transfers.ts';
import type { TransferKind, TransferPlace } from '../../../domain/transfers.ts';
import { writeCursor } from '../../../lib/cursor.ts';
import type { Call, Serve } from '../../endpoint.ts';
import { withRefusals } from './tasks.ts';

export function serveTransfers(serve: Serve): void {
  serve('listTransfers', async ({ ctx, caller, query: { after, size, ...wishes } }) => {
    const page = { before: await placeOf(ctx, after), size };
    const { transfers, next } = await listAllTransfers(ctx, caller, wishes, page);
    return { transfers, next: next === null ? null : writeCursor([next.createdAt, next.reference]) };
  });

  serve('listOutside', async ({ ctx, caller }) => ({ outside: await listOutside(ctx, caller) }));

  serve('bulkTransfers', async ({ ctx, caller, body }) => {
    const { dryRun, ...input } = body.bulk;
    if (dryRun === true) {
      const { counts, sample } = await planBulk(ctx, caller, input);
      const count = [...counts.values()].reduce((sum, some) => sum + some, 0);
      const byKind: Partial<Record<TransferKind, number>> = Object.fromEntries(counts);
      return { bulk: { dryRun: true, count, byKind, sample, task: null } };
    }
    const task = await startBulk(ctx, caller, input);
    return { bulk: { dryRun: false, count: task.total ?? 0, byKind: {}, sample: [], task: withRefusals(task) } };
  });

  serveOne(serve);
}

/** Each returns the changed transfer. */
function serveOne(serve: Serve): void {
  serve('getTransfer', async (call) => ({
    transfer: await viewTransfer(call.ctx, call.caller, await idOf(call)),
  }));
  serve('stopTransfer', async (call) => {
    await stopTransfer(call.ctx, call.caller, await idOf(call), call.body);
    return answerOf(call);
  });
  serve('extendTransfer', async (call) => {
    await extendTransfer(call.ctx, call.caller, await idOf(call), call.body);
    return answerOf(call);
  });
  serve('handOverTransfer', async (call) => {
    await handOverTransfer(call.ctx, call.caller, await idOf(call), call.body);
    return answerOf(call);
  });
  serve('readTransferSubject', async (call) => ({
    subject: await readSubject(call.ctx, call.caller, await idOf(call), { reason: call.body.reason }),
  }));
}

type OneCall = Pick<Call<typeof transferEndpoints.getTransfer>, 'ctx' | 'caller' | 'params'>;

function idOf({ ctx, params }: OneCall): Promise<string> {
  return getReferenced(ctx, params.reference);
}

async function answerOf(call: OneCall) {
  return { transfer: await describeTransfer(call.ctx, call.caller, await idOf(call)) };
}

async function placeOf(ctx: Ctx, after: string): Promise<TransferPlace | null> {
  const values = readPageMarker(after, ['number', 'string']);
  if (values === null) return null;
  const id = await findByReference(ctx.db.read, String(values[1]));
  if (id === null) throw invalidPageMarker();
  return { createdAt: Number(values[0]), id };
}
