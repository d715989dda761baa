// File Requests: asking, and receiving from the person who was asked.
import { createFileRequest, demandOpenRequest, requestUrl } from '../../actions/file-requests/file-requests.ts';
import { dryRunRequest } from '../../actions/policy/dry-runs.ts';
import { deliverToRequest } from '../../actions/submissions/deliveries.ts';
import { getUploadState } from '../../actions/uploads/sessions.ts';
import { isoInstant } from '../../lib/dates.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { takeUpload, uploadStateBody } from '../uploads/uploads.ts';
import { dryRunBody } from './dry-runs.ts';

export function serveFileRequests(serve: Serve): void {
  serve('createFileRequest', async ({ ctx, caller, body, once }) => {
    const { request } = body;
    const wishes = {
      recipient: request.recipient,
      names: request.names ?? [],
      subject: request.subject ?? '',
      body: request.message ?? '',
      sendEmail: request.send_email ?? true,
      expiresOn: request.expires_at,
      isReusable: request.multiuse,
      copyToSender: request.bcc_myself ?? false,
    };
    if (request.dry_run === true) return dryRunBody(await dryRunRequest(ctx, caller, wishes));
    const created = await createFileRequest(ctx, caller, { ...wishes, once });
    return {
      request: {
        id: created.id,
        url: requestUrl(ctx, created.id),
        expires_at: created.expiresOn,
        created_at: isoInstant(created.createdAt),
        subject: created.subject,
        message: created.body,
      },
    };
  });

  // The random address is the credential; it only takes files and never gives one back (state machine SM6).
  serve('uploadForRequest', async (call) => {
    await takeUpload(call, await demandOpenRequest(call.ctx, call.caller, call.params.id), 'message', call.query);
    return alreadySent;
  });

  serve('getRequestUpload', async ({ ctx, caller, params }) => {
    const uploader = await demandOpenRequest(ctx, caller, params.id);
    return { upload: uploadStateBody(await getUploadState(ctx, uploader, params.upload)) };
  });

  serve('deliverToRequest', async ({ ctx, caller, params, body }) => {
    const { attachments, note } = body.delivery;
    const receipt = await deliverToRequest(ctx, caller, params.id, { attachmentIds: attachments, note: note ?? '' });
    return {
      delivery: {
        reference: receipt.reference,
        delivered_at: isoInstant(receipt.deliveredAt),
        files: receipt.files.map(({ name, sizeBytes, sha256 }) => ({
          filename: name,
          size: sizeBytes,
          checksum: sha256,
        })),
        receipt_url: `${ctx.settings.surroundings.baseUrl}/delivered/${receipt.id}`,
      },
    };
  });
}
