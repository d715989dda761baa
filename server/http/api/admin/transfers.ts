// Everybody's transfers, for administrators.
import type { z } from 'zod';
import type { bulkTransfersInput, TransferBody, transferEndpoints, transfersQuery } from '#contract/admin/transfers.ts';
import type { Ctx } from '../../../actions/context.ts';
import { type BulkInput, planBulk, startBulk } from '../../../actions/transfers/bulk.ts';
import { extendTransfer, stopTransfer } from '../../../actions/transfers/changes.ts';
import { handOverTransfer } from '../../../actions/transfers/hand-over.ts';
import { listOutside } from '../../../actions/transfers/outside.ts';
import { findByReference } from '../../../actions/transfers/references.ts';
import { readSubject } from '../../../actions/transfers/subject.ts';
import {
  describeTransfer,
  getReferenced,
  listAllTransfers,
  type TransferWishes,
  viewTransfer,
} from '../../../actions/transfers/transfers.ts';
import { invalid } from '../../../domain/problem.ts';
import type { Transfer, TransferKind, TransferPlace } from '../../../domain/transfers.ts';
import { readCursor, writeCursor } from '../../../lib/cursor.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Call, Serve } from '../../endpoint.ts';
import { withRefusals } from './tasks.ts';

const usualSize = 50;

export function serveTransfers(serve: Serve): void {
  serve('listTransfers', async ({ ctx, caller, query }) => {
    const page = { before: await placeOf(ctx, query.after), size: query.size ?? usualSize };
    const { transfers, next } = await listAllTransfers(ctx, caller, wishesOf(query), page);
    return {
      transfers: transfers.map(transferBody),
      next: next === null ? null : writeCursor([next.createdAt, next.reference]),
    };
  });

  serve('listOutside', async ({ ctx, caller }) => ({
    outside: (await listOutside(ctx, caller)).map((found) => ({
      domain: found.domain,
      people: found.people,
      messages: found.messages,
      requests: found.requests,
      size: found.bytes,
      last_expires_at: isoInstant(found.lastExpiresAt),
    })),
  }));

  serve('bulkTransfers', async ({ ctx, caller, body }) => {
    const input = bulkOf(body);
    if (body.bulk.dry_run === true) {
      const { counts, sample } = await planBulk(ctx, caller, input);
      return { bulk: { dry_run: true, ...countsBody(counts), sample: sample.map(transferBody), task: null } };
    }
    const task = await startBulk(ctx, caller, input);
    return { bulk: { dry_run: false, count: task.total ?? 0, by_kind: {}, sample: [], task: withRefusals(task) } };
  });

  serveOne(serve);
}

/** What is done to one of them; the answer is what it is then. */
function serveOne(serve: Serve): void {
  serve('getTransfer', async (call) => ({
    transfer: transferBody(await viewTransfer(call.ctx, call.caller, await idOf(call))),
  }));
  serve('stopTransfer', async (call) => {
    await stopTransfer(call.ctx, call.caller, await idOf(call), { reason: call.body.reason ?? '' });
    return answerOf(call);
  });
  serve('extendTransfer', async (call) => {
    const { expires_at: expiresOn, reason = '' } = call.body;
    await extendTransfer(call.ctx, call.caller, await idOf(call), { expiresOn, reason });
    return answerOf(call);
  });
  serve('handOverTransfer', async (call) => {
    const { to, reason = '' } = call.body;
    await handOverTransfer(call.ctx, call.caller, await idOf(call), { to, reason });
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
  return { transfer: transferBody(await describeTransfer(call.ctx, call.caller, await idOf(call))) };
}

/** The place in the list is of a transfer, which its reference names here. */
async function placeOf(ctx: Ctx, after: string | undefined): Promise<TransferPlace | null> {
  if (after === undefined || after === '') return null;
  const values = readCursor(after, ['number', 'string']);
  const id = values === null ? null : await findByReference(ctx.db.read, String(values[1]));
  if (values === null || id === null)
    throw invalid('list.bad_place', 'The list can’t go on from here. Start again from its first page.', 'after');
  return { createdAt: Number(values[0]), id };
}

function wishesOf(query: z.output<typeof transfersQuery>): TransferWishes {
  const { kind, person, group, recipient, domain, state, older_than, newer_than, id } = query;
  return { kind, person, group, recipient, domain, state, olderThan: older_than, newerThan: newer_than, id };
}

function bulkOf({ bulk }: z.output<typeof bulkTransfersInput>): BulkInput {
  return {
    action: bulk.action,
    filter: wishesOf({ after: undefined, size: undefined, ...bulk.filter }),
    expiresOn: bulk.expires_at ?? '',
    to: bulk.to ?? '',
    reason: bulk.reason ?? '',
  };
}

function countsBody(counts: Map<TransferKind, number>) {
  const count = [...counts.values()].reduce((sum, some) => sum + some, 0);
  return { count, by_kind: Object.fromEntries(counts) as Partial<Record<TransferKind, number>> };
}

function transferBody(transfer: Transfer): TransferBody {
  const { owner } = transfer;
  return {
    reference: transfer.reference,
    kind: transfer.kind,
    state: transfer.state,
    owner: {
      id: owner.id,
      email: owner.email,
      name: owner.name,
      group: owner.groupId,
      group_name: owner.groupName,
      deleted: owner.isDeleted,
    },
    sender: transfer.sender,
    recipients: transfer.recipients,
    recipient_count: transfer.recipientCount,
    files: transfer.fileCount,
    size: transfer.sizeBytes,
    created_at: isoInstant(transfer.createdAt),
    expires_at: transfer.expiresOn,
  };
}
