// File Requests for the web app: the list, one request, and what its asker can do about it.
import type { AppDeliveryBody, AppRequestBody, AppRequestDetailBody } from '#contract/app/file-requests.ts';
import { humanSize } from '#contract/sizes.ts';
import { findNames, type Names } from '../../../actions/contacts/names.ts';
import type { Ctx } from '../../../actions/context.ts';
import { closeRequest, extendRequest, remindRequest, reopenRequest } from '../../../actions/file-requests/changes.ts';
import { requestUrl } from '../../../actions/file-requests/file-requests.ts';
import {
  getRequest,
  type ListedRequest,
  listRequests,
  type RequestDetail,
} from '../../../actions/file-requests/lists.ts';
import type { UserCaller } from '../../../domain/caller.ts';
import type { Message } from '../../../domain/messages.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';
import { listBody, orderOf, pageWanted } from './lists.ts';

const sorts = { created_at: 'createdAt', expires_at: 'expiresAt' } as const;

export function serveAppRequests(serve: Serve): void {
  serve('listAppRequests', async ({ ctx, caller, query }) => {
    const { by, direction } = orderOf(query.sort ?? '-created_at');
    const listed = await listRequests(ctx, caller, {
      ...pageWanted(query),
      state: query.state ?? null,
      order: { by: sorts[by], direction },
    });
    const names = await findNames(
      ctx,
      caller,
      listed.items.map(({ request }) => request.recipient),
    );
    return { ...listBody(listed, (item) => requestBody(ctx, item)), names };
  });

  serve('getAppRequest', async ({ ctx, caller, params }) => answer(ctx, caller, params.id));

  serve('remindRequest', async ({ ctx, caller, params }) => {
    await remindRequest(ctx, caller, params.id);
    return answer(ctx, caller, params.id);
  });

  serve('closeRequest', async ({ ctx, caller, params }) => {
    await closeRequest(ctx, caller, params.id);
    return answer(ctx, caller, params.id);
  });

  serve('extendRequest', async ({ ctx, caller, params, body }) => {
    await extendRequest(ctx, caller, params.id, body.expires_at);
    return answer(ctx, caller, params.id);
  });

  serve('reopenRequest', async ({ ctx, caller, params, body }) => {
    await reopenRequest(ctx, caller, params.id, {
      expiresOn: body.expires_at,
      sendEmail: body.send_email ?? true,
    });
    return answer(ctx, caller, params.id);
  });
}

async function answer(ctx: Ctx, caller: UserCaller, id: string): Promise<{ request: AppRequestDetailBody }> {
  const detail = await getRequest(ctx, caller, id);
  const addresses = [detail.request.recipient, ...detail.mails.map(({ address }) => address)];
  return { request: detailBody(ctx, detail, await findNames(ctx, caller, addresses)) };
}

function requestBody(ctx: Ctx, item: ListedRequest): AppRequestBody {
  const { request } = item;
  return {
    id: request.id,
    recipient: request.recipient,
    subject: request.subject,
    created_at: isoInstant(request.createdAt),
    expires_at: request.expiresOn,
    multiuse: request.isReusable,
    state: item.state,
    deliveries: item.deliveries,
    files: item.files,
    last_delivery_at: item.lastAt === null ? null : isoInstant(item.lastAt),
    url: requestUrl(ctx, request.id),
  };
}

function detailBody(ctx: Ctx, detail: RequestDetail, names: Names): AppRequestDetailBody {
  const { request, reminders } = detail;
  const isOpen = request.state === 'open';
  return {
    ...requestBody(ctx, detail),
    message: request.body,
    names,
    deliveries_list: detail.answers.map(deliveryBody),
    mails: detail.mails.map((mail) => ({
      kind: mail.isReminder ? 'reminder' : 'request',
      address: mail.address,
      state: mail.state,
      server_text: mail.serverText,
      created_at: isoInstant(mail.createdAt),
      finished_at: mail.finishedAt === null ? null : isoInstant(mail.finishedAt),
    })),
    reminders: {
      sent: reminders.sent,
      most: reminders.most,
      last_at: reminders.lastAt === null ? null : isoInstant(reminders.lastAt),
      next_at: reminders.nextAt === null ? null : isoInstant(reminders.nextAt),
    },
    may: {
      remind: reminders.nextAt !== null && reminders.nextAt <= ctx.clock.now(),
      close: isOpen || request.state === 'expired',
      extend: isOpen || request.state === 'expired',
      reopen: !isOpen,
    },
  };
}

function deliveryBody(message: Message): AppDeliveryBody {
  return {
    message_id: message.id,
    sender: message.sender,
    sender_name: message.senderName,
    is_sender_confirmed: message.isSenderConfirmed,
    subject: message.subject,
    received_at: isoInstant(message.createdAt),
    expires_at: message.expiresOn,
    size: message.sizeBytes,
    size_human: humanSize(message.sizeBytes),
    is_available: message.state === 'active',
    files: message.files.map((file) => ({
      id: file.attachmentId,
      filename: file.fileName,
      size: file.sizeBytes,
      size_human: humanSize(file.sizeBytes),
      is_available: file.isAvailable,
    })),
  };
}
