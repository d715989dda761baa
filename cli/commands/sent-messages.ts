// `list`, `show`, `revoke`.
import type { CallAnswer } from '#contract/client.ts';
import { audienceText } from '../audiences.ts';
import { localDate, localTime, longDate, readCount, shortDate } from '../durations.ts';
import { failureOf } from '../failures.ts';
import { idOf } from '../ids.ts';
import { type Account, readAccount, type Session } from '../session.ts';
import { forEachId } from '../several.ts';
import { sizeText } from '../sizes.ts';
import type { Column } from '../tables.ts';

type Message = CallAnswer<'getMessage'>['message'];

const columns = (who: string): Column[] => [
  { header: 'ID' },
  { header: who === 'TO' ? 'SENT' : 'RECEIVED' },
  { header: 'UNTIL' },
  { header: 'FILES', isOptional: true, isRight: true },
  { header: who, least: 12 },
  { header: 'SUBJECT', least: 12 },
];

export async function list(session: Session, flags: { limit?: string; received?: boolean }): Promise<void> {
  const { output, world } = session;
  const isReceived = flags.received === true;
  const query = flags.limit === undefined ? {} : { limit: readCount('--limit', flags.limit) };
  const client = session.client();
  const messages = isReceived ? (await client.listInbox({ query })).messages : (await client.listSent({ query })).sent;
  output.document({ messages });
  for (const message of messages) {
    output.event('message', { ...message });
    if (session.settings.isQuiet) output.essence(message.id);
  }
  const whoOf = ({ sender, recipients }: Message) => (isReceived ? sender : recipients.join(', '));
  const newestFirst = messages.toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1));
  output.table({
    columns: columns(isReceived ? 'FROM' : 'TO'),
    rows: newestFirst.map((message) => [
      message.id,
      localTime(message.created_at, world),
      endOf(message, session) ?? shortDate(message.expires_at, world),
      String(message.attachments.length),
      whoOf(message),
      message.subject,
    ]),
    plain: messages.map((message) => {
      const files = message.attachments.length === 1 ? '1 file' : `${message.attachments.length} files`;
      const { id, created_at: createdAt, expires_at: expiresAt, subject } = message;
      return [id, createdAt.slice(0, 10), expiresAt, whoOf(message), files, subject];
    }),
  });
  if (messages.length === 0) output.say(isReceived ? 'Nothing received yet.' : 'Nothing sent yet.');
}

/** Null while it can be opened. Files that are still being checked are not available either. */
function endOf({ expires_at: expiresAt, attachments }: Message, { world }: Session): 'withdrawn' | 'expired' | null {
  if (expiresAt < localDate(world.now(), world)) return 'expired';
  return attachments.length > 0 && attachments.every(({ available }) => !available) ? 'withdrawn' : null;
}

export async function show(session: Session, id: string): Promise<void> {
  const { output, world } = session;
  const { message } = await session.client().getMessage({ params: { id: idOf(id) } });
  output.document({ message });
  output.event('message', { ...message });
  const end = endOf(message, session);
  output.data(message.subject || '(no subject)', 'bold');
  output.data(`  From       ${message.sender}`);
  output.data(`  To         ${message.recipients.join(', ')}`);
  output.data(`  Sent       ${localTime(message.created_at, world)}`);
  output.data(`  Until      ${longDate(message.expires_at)}${end === null ? '' : ` (${end})`}`);
  output.data(`  Who        ${audienceText(message)}`);
  output.data(`  Link       ${message.url}`);
  for (const file of message.attachments)
    output.data(
      `  ${file.id}  ${sizeText(file.size).padStart(9)}  ${file.filename}${file.available ? '' : '  (not available)'}`,
    );
}

export async function revoke(session: Session, ids: string[]): Promise<void> {
  const { output } = session;
  const account = await readAccount(session);
  await forEachId(session, ids.map(idOf), {
    verb: 'withdraw',
    noun: 'message',
    done: 'revoked',
    find: async (id) => (await session.client().getMessage({ params: { id } })).message,
    describe: ({ subject, recipients }) => `“${subject || '(no subject)'}” to ${recipients.join(', ')}`,
    async act(message, id) {
      const isNew = await withdraw(session, account, id);
      output.event('revoked', { id });
      const before = endOf(message, session) ?? 'withdrawn';
      output.data(`${id}: ${isNew ? 'it can no longer be downloaded' : `it was already ${before}`}`);
    },
  });
}

/** False if it was withdrawn before. */
async function withdraw(session: Session, account: Account, id: string): Promise<boolean> {
  try {
    // Waybill keeps the files for a grace period; other servers can only delete them.
    if (account.chunkBytes !== null) await session.client().revokeMessage({ params: { id }, body: {} });
    else await session.client().deleteMessageAttachments({ params: { id } });
    return true;
  } catch (error) {
    const failure = failureOf(error);
    if (failure?.details.code === 'message.ended') return false;
    throw error;
  }
}
