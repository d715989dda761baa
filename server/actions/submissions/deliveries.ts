// Answers a file request from a program.
import type { Caller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { UploaderReceipt } from '../../domain/submissions.ts';
import type { Ctx } from '../context.ts';
import { requestClosedSentence, visitFileRequest } from '../file-requests/file-requests.ts';
import { answerRequest } from './submissions.ts';
import { findAnswerReceipt } from './uploader-receipts.ts';

/** Repeating a delivery returns the first receipt. */
export async function deliverToRequest(
  ctx: Ctx,
  caller: Caller,
  requestId: string,
  { attachmentIds, note }: { attachmentIds: string[]; note: string },
): Promise<UploaderReceipt> {
  const visit = await visitFileRequest(ctx, caller, requestId);
  if (visit === null) throw new Problem('not_found', 'request.not_found', 'There’s nothing at this address.');
  const { request, uploader } = visit;
  const earlier = await findAnswerReceipt(ctx, request.id, attachmentIds);
  if (earlier !== null) return earlier;
  if (uploader === null)
    throw new Problem('gone', 'request.closed', requestClosedSentence(request.state)).withValues({
      state: request.state,
    });
  return answerRequest(ctx, caller, request, {
    attachmentIds,
    // The address of a request can be passed on.
    sender: { address: request.recipient, name: '', isConfirmed: false },
    subject: request.subject,
    note,
  });
}
