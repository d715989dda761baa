import { createFileRequest, requestUrl, requireOpenRequest } from '../../actions/file-requests/file-requests.ts';
import { dryRunRequest } from '../../actions/policy/dry-runs.ts';
import { deliverToRequest } from '../../actions/submissions/deliveries.ts';
import { getUploadState } from '../../actions/uploads/sessions.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { handleUpload } from '../uploads/uploads.ts';

export function serveFileRequests(serve: Serve): void {
  serve('createFileRequest', async ({ ctx, caller, body, once }) => {
    const { dryRun, ...input } = body.request;
    if (dryRun === true) return { dryRun: { rules: await dryRunRequest(ctx, caller, input) } };
    const request = await createFileRequest(ctx, caller, { ...input, once });
    return { request: { ...request, url: requestUrl(ctx, request.id) } };
  });

  // The random address is the credential. It never returns a file.
  serve('uploadForRequest', async (call) => {
    await handleUpload(call, await requireOpenRequest(call.ctx, call.caller, call.params.id), 'message', call.query);
    return alreadySent;
  });

  serve('getRequestUpload', async ({ ctx, caller, params }) => {
    const uploader = await requireOpenRequest(ctx, caller, params.id);
    return { upload: await getUploadState(ctx, uploader, params.upload) };
  });

  serve('deliverToRequest', async ({ ctx, caller, params, body }) => {
    const receipt = await deliverToRequest(ctx, caller, params.id, body.delivery);
    return {
      delivery: { ...receipt, receiptUrl: `${ctx.settings.surroundings.baseUrl}/delivered/${receipt.id}` },
    };
  });
}
