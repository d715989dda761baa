import { adminAlertKind } from './admin-alert.ts';
import { codeKind } from './code.ts';
import { copyToSenderKind } from './copy-to-sender.ts';
import { deliveryProblemKind } from './delivery-problem.ts';
import { expiringKind } from './expiring.ts';
import { fileRequestKind } from './file-request.ts';
import { filesReceivedKind } from './files-received.ts';
import { invitationKind } from './invitation.ts';
import type { Kind, MailTrait } from './kind.ts';
import { messageKind } from './message.ts';
import { privateMessageKind } from './private-message.ts';
import { readNoticeKind } from './read-notice.ts';
import { receiptKind } from './receipt.ts';
import { reminderKind } from './reminder.ts';
import { requestCopyKind } from './request-copy.ts';
import { resetKind } from './reset.ts';
import { securityNoticeKind } from './security-notice.ts';
import { testKind } from './test-mail.ts';
import { uploaderReceiptKind } from './uploader-receipt.ts';
import { welcomeKind } from './welcome.ts';

const kinds = {
  message: messageKind,
  'private-message': privateMessageKind,
  'file-request': fileRequestKind,
  'request-copy': requestCopyKind,
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
  welcome: welcomeKind,
  reset: resetKind,
  'security-notice': securityNoticeKind,
  'admin-alert': adminAlertKind,
  test: testKind,
};

export type MailKind = keyof typeof kinds;
export type MailPayloads = { [K in MailKind]: (typeof kinds)[K]['sample'] };

export const mailKinds: { [K in MailKind]: Kind<MailPayloads[K]> } = kinds;

/** For queries. */
export function kindsWith(trait: MailTrait): MailKind[] {
  return (Object.keys(mailKinds) as MailKind[]).filter((kind) => mailKinds[kind].traits.includes(trait));
}

/** False for an unknown kind. */
export function hasTrait(kind: string, trait: MailTrait): boolean {
  return isMailKind(kind) && mailKinds[kind].traits.includes(trait);
}

export function isMailKind(name: string): name is MailKind {
  return Object.hasOwn(mailKinds, name);
}
