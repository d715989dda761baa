// What came to the caller, for the web app.
import type { AppReceivedBody, AppReceivedDetailBody } from '#contract/app/received.ts';
import { humanSize } from '#contract/sizes.ts';
import { findNames, type Names } from '../../../actions/contacts/names.ts';
import {
  createReceivedTicket,
  getReceived,
  listReceived,
  type Received,
  type ReceivedDetail,
  type ReceivedFile,
  readReceived,
} from '../../../actions/received/received.ts';
import { levelOf } from '../../../domain/audience.ts';
import type { Message } from '../../../domain/messages.ts';
import { isoInstant } from '../../../lib/dates.ts';
import { asciiFallback } from '../../../lib/file-name.ts';
import type { HttpDeps } from '../../deps.ts';
import type { Serve } from '../../endpoint.ts';
import { publicUrl } from '../../transport/urls.ts';
import { listBody, orderOf, pageWanted } from './lists.ts';

const sorts = { received_at: 'receivedAt', expires_at: 'expiresAt', size: 'sizeBytes' } as const;

export function serveReceived(serve: Serve): void {
  serve('listReceived', async ({ ctx, caller, query }) => {
    const { by, direction } = orderOf(query.sort ?? '-received_at');
    const listed = await listReceived(ctx, caller, {
      ...pageWanted(query),
      state: query.state ?? null,
      kind: query.kind ?? null,
      person: query.person ?? null,
      order: { by: sorts[by], direction },
    });
    return listBody(listed, receivedBody);
  });

  serve('getReceived', async ({ deps, ctx, caller, params }) => {
    const detail = await getReceived(ctx, caller, params.id);
    const { recipients, ccs } = detail.access.message;
    return { received: detailBody(deps, detail, await findNames(ctx, caller, [...recipients, ...ccs])) };
  });

  serve('readReceived', async ({ ctx, caller, params }) => textBody(await readReceived(ctx, caller, params.id)));

  serve('createReceivedTicket', async ({ deps, ctx, caller, params, body }) => {
    const { ticket, fileName, expiresAt } = await createReceivedTicket(ctx, caller, params.id, body.attachment);
    return {
      ticket: {
        url: publicUrl(deps, `/dl/${ticket}/${asciiFallback(fileName)}`),
        expires_at: isoInstant(expiresAt),
      },
    };
  });
}

function receivedBody(item: Received): AppReceivedBody {
  return {
    id: item.id,
    kind: item.kind,
    from: { name: item.sender.name, address: item.sender.address },
    is_sender_confirmed: item.isSenderConfirmed,
    subject: item.subject,
    files: item.fileCount,
    size: item.sizeBytes,
    size_human: humanSize(item.sizeBytes),
    received_at: isoInstant(item.receivedAt),
    expires_at: item.expiresOn,
    is_private: item.isPrivate,
    state: item.state,
  };
}

function detailBody(deps: HttpDeps, { received, access, files }: ReceivedDetail, names: Names): AppReceivedDetailBody {
  const { message, gate, isOwner } = access;
  const isHidden = gate !== 'allow' || (message.isPrivate && !isOwner);
  const lefts = files.flatMap((file) => file.downloadsLeft ?? []);
  return {
    ...receivedBody(received),
    to: message.recipients,
    cc: message.ccs,
    names,
    request_id: isOwner ? message.requestId : null,
    authorization: levelOf(message.audience),
    ...(isHidden ? { message: null } : textBody(message)),
    downloads_left: lefts.length === 0 ? null : Math.min(...lefts),
    url: publicUrl(deps, `/message/${message.id}`),
    attachments: files.map(attachmentBody),
  };
}

function textBody({ body, bodyHtml }: Message): { message: string; message_html?: string } {
  return { message: body, ...(bodyHtml === null ? {} : { message_html: bodyHtml }) };
}

function attachmentBody(file: ReceivedFile): AppReceivedDetailBody['attachments'][number] {
  return {
    id: file.attachmentId,
    filename: file.fileName,
    size: file.sizeBytes,
    size_human: humanSize(file.sizeBytes),
    content_type: file.contentType,
    checksum: file.sha256,
    crc32: file.crc32,
    state: file.state,
    downloads_left: file.downloadsLeft,
    downloaded_at: file.downloadedAt === null ? null : isoInstant(file.downloadedAt),
  };
}
