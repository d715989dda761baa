// Receipts for the first download of each file by each person. The first receipt is mailed immediately, later ones
// after ten minutes or as the owner chose. Owners' downloads have none.
import { findMessage, findSubject } from '../../db/messages/messages.ts';
import {
  claimReceipt,
  findReceiptReader,
  listUnmailedReceipts,
  markReceiptsMailed,
} from '../../db/receipts/receipts.ts';
import type { Tx } from '../../db/schema/schema.ts';
import type { Ticket } from '../../domain/downloads.ts';
import { receiptDueAt } from '../../domain/preferences.ts';
import type { ReceiptPayload } from '../../mail/kinds/receipt.ts';
import type { Ctx } from '../context.ts';
import { sentUrl } from '../messages/mails.ts';
import { queueMail } from '../outbox.ts';

/** In the transaction that completed the download. */
export async function queueReceipt(
  ctx: Ctx,
  tx: Tx,
  ticket: Pick<Ticket, 'kind' | 'messageId' | 'linkId' | 'recipient' | 'ownerId'>,
  { attachmentId, downloadNumber }: { attachmentId: string; downloadNumber: number },
): Promise<void> {
  if (ticket.kind === 'owner') return;
  const { messageId, linkId, recipient, ownerId } = ticket;
  const now = ctx.clock.now();
  const target = messageId === null ? `link:${linkId}` : `message:${messageId}`;
  const receipt = { target, messageId, linkId, attachmentId, recipient, ownerId, downloadNumber, now };
  if (!(await claimReceipt(tx, receipt))) return;
  const reader = await findReceiptReader(tx, ownerId, target);
  if (reader === null) return;
  const zone = reader.timeZone === '' ? ctx.settings.surroundings.timeZone : reader.timeZone;
  const dueAt = receiptDueAt(reader.receipts, now, reader.isFirst, zone);
  if (dueAt === null) {
    // Not mailed later either, if receipts are switched on again.
    await markReceiptsMailed(tx, target, [{ attachmentId, recipient }], now);
    return;
  }
  await queueMail(ctx, tx, {
    kind: 'receipt',
    to: reader.email,
    ownerId,
    ...(messageId === null ? {} : { messageId }),
    ...(linkId === null ? {} : { linkId }),
    groupKey: `receipt:${target}`,
    notBefore: dueAt,
    // Collected when the mail is sent.
    payload: {
      reference: target.split(':')[1]!,
      about: messageId === null ? 'link' : 'message',
      subject: '',
      downloads: [],
      url: '',
    },
  });
}

/** Contents of a queued receipt; null if there are none. */
export async function collectReceipt(ctx: Ctx, tx: Tx, groupKey: string): Promise<ReceiptPayload | null> {
  const target = groupKey.slice('receipt:'.length);
  const lines = await listUnmailedReceipts(tx, target);
  if (lines.length === 0) return null;
  await markReceiptsMailed(tx, target, lines, ctx.clock.now());
  const downloads = lines.map((line) => ({
    who: line.recipient === '' ? null : line.recipient,
    fileName: line.fileName,
    at: line.at,
    place: line.location === '' ? null : line.location,
    device: [line.browser, line.os].filter((part) => part !== '').join(', ') || null,
  }));
  const [kind, id] = target.split(':') as ['message' | 'link', string];
  if (kind === 'link') {
    return {
      reference: id,
      about: 'link',
      subject: downloads[0]!.fileName,
      downloads,
      url: `${ctx.settings.surroundings.baseUrl}/app/links/${id}`,
    };
  }
  const subject = (await findSubject(tx, id)) ?? '';
  const isOpenToAnyone = (await findMessage(tx, id))?.audience === 'anyone';
  return { reference: id, about: 'message', isOpenToAnyone, subject, downloads, url: sentUrl(ctx, id) };
}
