// Builds messages for output. Bcc is for the owner only.
import { listFilesOf, listMessageFiles } from '../../db/messages/message-files.ts';
import { findWholeMessage, type WholeMessage } from '../../db/messages/messages.ts';
import { listRecipients, listRecipientsOf } from '../../db/messages/recipients.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import { effectiveAudience } from '../../domain/audience.ts';
import { anyViewer, available } from '../../domain/availability.ts';
import { type HeldFile, type Message, messageShareAt, messageStateAt, type Recipient } from '../../domain/messages.ts';

interface View {
  showsBcc: boolean;
  now: number;
}

export interface MessageParts {
  message: WholeMessage;
  recipients: readonly Pick<Recipient, 'address' | 'role' | 'state'>[];
  files: readonly HeldFile[];
}

export async function describeMessage(db: Query, message: WholeMessage, view: View): Promise<Message> {
  const recipients = await listRecipients(db, message.id);
  const files = await listMessageFiles(db, message.id);
  return messageOf({ message, recipients, files }, view);
}

/** The caller has locked the message, so it exists. */
export async function describeSent(tx: Tx, id: string, now: number): Promise<Message> {
  return describeMessage(tx, (await findWholeMessage(tx, id))!, { showsBcc: true, now });
}

/** Two queries, regardless of the page size. */
export async function describeMessages(db: Query, messages: WholeMessage[], view: View): Promise<Message[]> {
  const ids = messages.map((message) => message.id);
  const [recipients, files] = await Promise.all([listRecipientsOf(db, ids), listFilesOf(db, ids)]);
  return messages.map((message) =>
    messageOf({ message, recipients: recipients.get(message.id) ?? [], files: files.get(message.id) ?? [] }, view),
  );
}

export function messageOf({ message, recipients, files }: MessageParts, view: View): Message {
  const withRole = (role: string) =>
    active.filter((recipient) => recipient.role === role).map((recipient) => recipient.address);
  const active = recipients.filter(({ state }) => state === 'active');
  const share = messageShareAt(message, view.now);
  return {
    ...message,
    isTextWithheld: false,
    state: messageStateAt(message, view.now),
    recipients: withRole('to'),
    ccs: withRole('cc'),
    bccs: view.showsBcc ? withRole('bcc') : null,
    recipientCount: active.length,
    effectiveAudience: effectiveAudience(
      message.audience,
      active.map(({ address }) => address),
    ),
    files: files
      .filter((file) => isShown(file, view))
      .map((file) => {
        const facts = { ...file, share };
        return { ...facts, isAvailable: available(facts, anyViewer) === 'yes' };
      }),
  };
}

/** Recipients are not told about a file that is held. */
function isShown({ scanState, isFromOutside }: HeldFile, { showsBcc }: View): boolean {
  return scanState !== 'held' || (showsBcc && !isFromOutside);
}

/** API clients get the text of a private message by a counted read only. */
export function withoutPrivateText(message: Message, readerId: string): Message {
  if (!message.isPrivate || message.ownerId === readerId) return message;
  return { ...message, body: '', bodyHtml: null, isTextWithheld: true };
}
