// A program answers a File Request: what the page does with a form, for callers that have no browser.
import type { Caller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { UploaderReceipt } from '../../domain/submissions.ts';
import type { Ctx } from '../context.ts';
import { requestClosedSentence, visitFileRequest } from '../file-requests/file-requests.ts';
import { answerRequest } from './submissions.ts';
import { findAnswerReceipt } from './uploader-receipts.ts';

/** The same files a second time lead to the receipt of the first, so a lost answer can be asked for again. */
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
    // Having the address of a request proves nothing about who uses it: addresses are passed on.
    sender: { address: request.recipient, name: '', isConfirmed: false },
    subject: request.subject,
    note,
  });
}
