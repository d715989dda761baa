import { deleteOwnAttachment, listOwnAttachments } from '../../actions/attachments/attachments.ts';
import { getUploadState } from '../../actions/uploads/sessions.ts';
import { ownUploader, type UserCaller } from '../../domain/caller.ts';
import type { HttpDeps } from '../deps.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { sendList } from '../transport/answers.ts';
import type { Exchange } from '../transport/router.ts';
import { encodeAttachment, handleUpload, type UploadQuery } from '../uploads/uploads.ts';
import { serveFormUpload } from './form-uploads.ts';

export function serveAttachments(serve: Serve): void {
  serve('uploadForLink', (call) => upload(call, 'link'));
  serve('uploadForMessage', (call) => upload(call, 'message'));
  serve('uploadLegacy', (call) => upload(call, 'message'));
  serve('uploadLegacyJson', (call) => upload(call, 'message'));
  serveFormUpload(serve);

  serve('getUpload', async ({ ctx, caller, params }) => {
    return { upload: await getUploadState(ctx, ownUploader(caller), params.id) };
  });

  serve('listAttachments', async ({ ctx, caller, response, requestId }) => {
    await sendList({ response, requestId }, 'attachments', listOwnAttachments(ctx, caller), encodeAttachment);
    return alreadySent;
  });

  serve('deleteAttachment', ({ ctx, caller, params }) => deleteOwnAttachment(ctx, caller, params.id));
  serve('deleteMessageAttachment', ({ ctx, caller, params }) => deleteOwnAttachment(ctx, caller, params.id));
  serve('deleteAttachmentLegacy', ({ ctx, caller, params }) => deleteOwnAttachment(ctx, caller, params.id));
}

async function upload(
  call: Exchange & { deps: HttpDeps; caller: UserCaller; query: UploadQuery },
  family: 'message' | 'link',
): Promise<typeof alreadySent> {
  await handleUpload(call, ownUploader(call.caller), family, call.query);
  return alreadySent;
}
