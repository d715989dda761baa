// Every kind of mail there is, by name (experience 8.4). One line here per file beside it.
import { type AdminAlertPayload, adminAlertKind } from './admin-alert.ts';
import { type CodePayload, codeKind } from './code.ts';
import { type CopyToSenderPayload, copyToSenderKind } from './copy-to-sender.ts';
import { type DeliveryProblemPayload, deliveryProblemKind } from './delivery-problem.ts';
import { type ExpiringPayload, expiringKind } from './expiring.ts';
import { type FileRequestPayload, fileRequestKind } from './file-request.ts';
import { type FilesReceivedPayload, filesReceivedKind } from './files-received.ts';
import { type InvitationPayload, invitationKind } from './invitation.ts';
import type { Kind } from './kind.ts';
import { type MessagePayload, messageKind } from './message.ts';
import { type PrivateMessagePayload, privateMessageKind } from './private-message.ts';
import { type ReadNoticePayload, readNoticeKind } from './read-notice.ts';
import { type ReceiptPayload, receiptKind } from './receipt.ts';
import { type ReminderPayload, reminderKind } from './reminder.ts';
import { type ResetPayload, resetKind } from './reset.ts';
import { type SecurityNoticePayload, securityNoticeKind } from './security-notice.ts';
import { type TestPayload, testKind } from './test-mail.ts';
import { type UploaderReceiptPayload, uploaderReceiptKind } from './uploader-receipt.ts';

export interface MailPayloads {
  message: MessagePayload;
  'private-message': PrivateMessagePayload;
  'file-request': FileRequestPayload;
  code: CodePayload;
  'copy-to-sender': CopyToSenderPayload;
  receipt: ReceiptPayload;
  'read-notice': ReadNoticePayload;
  'files-received': FilesReceivedPayload;
  'uploader-receipt': UploaderReceiptPayload;
  expiring: ExpiringPayload;
  reminder: ReminderPayload;
  'delivery-problem': DeliveryProblemPayload;
  invitation: InvitationPayload;
  reset: ResetPayload;
  'security-notice': SecurityNoticePayload;
  'admin-alert': AdminAlertPayload;
  test: TestPayload;
}

export type MailKind = keyof MailPayloads;

export const mailKinds: { [K in MailKind]: Kind<MailPayloads[K]> } = {
  message: messageKind,
  'private-message': privateMessageKind,
  'file-request': fileRequestKind,
  code: codeKind,
  'copy-to-sender': copyToSenderKind,
  receipt: receiptKind,
  'read-notice': readNoticeKind,
  'files-received': filesReceivedKind,
  'uploader-receipt': uploaderReceiptKind,
  expiring: expiringKind,
  reminder: reminderKind,
  'delivery-problem': deliveryProblemKind,
  invitation: invitationKind,
  reset: resetKind,
  'security-notice': securityNoticeKind,
  'admin-alert': adminAlertKind,
  test: testKind,
};

export function isMailKind(name: string): name is MailKind {
  return Object.hasOwn(mailKinds, name);
}
