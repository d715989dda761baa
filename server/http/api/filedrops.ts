import {
  accessByAttachment,
  findFiledrop,
  issueKeyFor,
  requireDropKey,
  requireUploadKey,
} from '../../actions/filedrops/filedrops.ts';
import { deliverToDrop } from '../../actions/submissions/submissions.ts';
import { findDropReceipt } from '../../actions/submissions/uploader-receipts.ts';
import { getUploadState } from '../../actions/uploads/sessions.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { keyOf } from '../identity/credentials.ts';
import { handleUpload } from '../uploads/uploads.ts';

export function serveFiledrops(serve: Serve): void {
  serve('getFiledrop', async ({ ctx, params }) => {
    const drop = await findFiledrop(ctx, params.name);
    if (drop === null) throw notFound('filedrop', 'There’s nothing at this address.');
    return {
      filedrop: {
        apiKey: await issueKeyFor(ctx, drop),
        name: drop.label,
        permittedExtensions: drop.policy.permitted_extensions,
        blockedExtensions: drop.policy.blocked_extensions,
        maxUploadSize: drop.policy.filedrop_max_size,
      },
    };
  });

  serve('uploadForFiledrop', async (call) => {
    const { uploader } = await requireUploadKey(call.ctx, call.caller, call.params.name, keyOf(call.raw) ?? '');
    await handleUpload(call, uploader, 'message', call.query);
    return alreadySent;
  });

  serve('uploadForDropPage', async (call) => {
    const { uploader } = await requireUploadKey(call.ctx, call.caller, call.params.name, call.params.key);
    await handleUpload(call, uploader, 'message', call.query);
    return alreadySent;
  });

  serve('getDropUpload', async ({ ctx, caller, params }) => {
    const { uploader } = await requireDropKey(ctx, caller, params.name, params.key);
    return { upload: await getUploadState(ctx, uploader, params.upload) };
  });

  serve('submitFiledrop', async (call) => {
    const { ctx, caller, params, body } = call;
    const { attachmentIds, from, name, subject, note } = body.message;
    const first = attachmentIds[0];
    if (first === undefined) throw invalid('submission.no_files', 'Add at least one file.', 'attachments');
    const key = keyOf(call.raw);
    const answer = { message: { status: 'Your files have been delivered.' } };
    // A retry whose first answer was lost.
    if (key !== null && (await findDropReceipt(ctx, key, attachmentIds)) !== null) return answer;
    const access =
      key === null
        ? await accessByAttachment(ctx, caller, params.name, first)
        : await requireDropKey(ctx, caller, params.name, key);
    // Programs cannot type a code; where the group demands proof, the delivery is marked as unproven.
    await deliverToDrop(ctx, caller, access, {
      attachmentIds,
      sender: { address: from, name, isConfirmed: false },
      subject,
      note,
    });
    return answer;
  });
}
