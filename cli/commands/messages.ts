// `send`, `list`, `show`, `revoke`.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CallInput } from '#contract/client.ts';
import { humanSize } from '#contract/sizes.ts';
import { confirm } from '../asking.ts';
import { textOf } from '../connection.ts';
import { createOnce } from '../creating.ts';
import { longDate, readExpiry } from '../durations.ts';
import { Failure, usageFailure } from '../failures.ts';
import { openJob } from '../jobs.ts';
import type { LocalFile } from '../local-file.ts';
import { type Account, readAccount, type Session } from '../session.ts';
import { readSources, sourceOptions } from '../sources.ts';
import { describeDryRun, filesOfAnswer, refuseEmpty, uploadRouteOf } from '../transfers.ts';
import { exitCodeOfAll, type Uploaded, uploadAll } from '../uploading.ts';
import { waitForChecks } from '../waiting.ts';

export interface SendFlags {
  to?: string[];
  cc?: string[];
  bcc?: string[];
  from?: string;
  subject?: string;
  message?: string;
  expires?: string;
  downloads?: string;
  who?: string;
  private?: boolean;
  copy?: boolean;
  email?: boolean;
  dir?: boolean;
  zip?: boolean;
  wait?: boolean;
  name?: string;
  again?: boolean;
}

/** Names of the specification's access levels. */
export const audiences: Record<string, number> = { anyone: 0, confirmed: 1, colleagues: 2, recipients: 3, domains: 4 };

type MessageFields = CallInput<'sendMessage'>['body']['message'];

export async function send(session: Session, args: string[], flags: SendFlags): Promise<void> {
  const { world, settings, output } = session;
  const recipients = addresses(flags.to);
  if (recipients.length === 0) throw usageFailure('a recipient is missing', 'Add --to ben@example.com.');
  const fields = await messageFields(session, flags, recipients);
  const account = await readAccount(session);
  const files = args.length === 0 ? [] : await readSources(session, args, sourceOptions(flags));
  refuseEmpty(files);
  if (settings.isDryRun) return dryRun(session, fields, files);
  const identity = ['send', session.server(), account.user.email, args.map((arg) => resolve(world.cwd, arg))];
  const job = openJob(world, identity, flags);
  try {
    const { uploaded, failed } = await uploadAll(session, files, uploadRouteOf(session, account, 'message'), job);
    if (failed.length > 0) {
      for (const { file, sentence } of failed) output.warn(`waybill: ${file.name}: ${sentence}`);
      const what = failed.length === 1 ? 'one file' : `${failed.length} files`;
      throw new Failure(exitCodeOfAll(failed), `nothing was sent, because ${what} could not be uploaded`, {
        code: 'upload.failed',
        hint: 'Leave them out, or fix what is said above; what has arrived is not sent again.',
      });
    }
    await sendNow(session, job, { account, fields, uploaded, isAgain: flags.again === true });
    job.finish();
    if (flags.wait === true) await waitForChecks(session, uploaded);
  } finally {
    job.release();
  }
}

interface Sending {
  account: Account;
  fields: MessageFields;
  uploaded: readonly Uploaded[];
  isAgain: boolean;
}

async function sendNow(session: Session, job: ReturnType<typeof openJob>, sending: Sending): Promise<void> {
  const { account, fields, uploaded, isAgain } = sending;
  const { output, settings } = session;
  const attachments = uploaded.map(({ attachmentId }) => attachmentId);
  const creation = {
    name: 'message',
    body: { message: { ...fields, attachments } },
    hasKeys: account.chunkBytes !== null,
    isAgain,
  };
  const answer = await createOnce(session, job, creation, (body, headers) =>
    session.client().sendMessage({ body, headers, signal: session.world.signal }),
  );
  const { message } = answer as Extract<typeof answer, { message: unknown }>;
  if (settings.isJson) output.document({ message, files: await filesOfAnswer(uploaded) });
  output.event('sent', { id: message.id, url: message.url, expires_at: message.expires_at });
  output.say('');
  output.say(`Sent to ${(fields.recipients as string[]).join(', ')}`, 'bold');
  output.say(`  Until      ${longDate(message.expires_at)}`);
  output.say(`  Who        ${message.authorization_description}`);
  if (fields.send_email !== true) output.say('  E-mail     none: pass the link on yourself');
  if (session.world.stdout.isTTY === true && !session.settings.isQuiet) output.data(`  Link       ${message.url}`);
  else output.essence(message.url);
}

async function messageFields(session: Session, flags: SendFlags, recipients: string[]): Promise<MessageFields> {
  const defaults = session.settings.commandDefaults.send ?? {};
  const expires = flags.expires ?? (defaults.expires as string | undefined);
  const who = flags.who ?? (defaults.who as string | undefined);
  if (who !== undefined && audiences[who] === undefined)
    throw usageFailure(`--who is one of ${Object.keys(audiences).join(', ')}`);
  if (flags.downloads !== undefined && !/^\d{1,6}$/.test(flags.downloads))
    throw usageFailure('--downloads is a number', 'Write 0 for no limit.');
  return {
    recipients,
    cc: addresses(flags.cc),
    bcc: addresses(flags.bcc),
    ...(flags.from === undefined ? {} : { sender: flags.from }),
    subject: flags.subject ?? '',
    message: await messageText(session, flags.message ?? ''),
    send_email: flags.email !== false,
    ...(expires === undefined ? {} : { expires_at: readExpiry(expires, session.world.now()) }),
    ...(flags.downloads === undefined ? {} : { expires_after: Number(flags.downloads) }),
    ...(who === undefined ? {} : { authorization: audiences[who]! }),
    ...(flags.private === true ? { private_message: true } : {}),
    ...(flags.copy === false ? { bcc_myself: false } : {}),
  };
}

/** `TEXT`, `@FILE` or `-` for stdin. */
async function messageText({ world }: Session, text: string): Promise<string> {
  if (text === '-') return textOf(world.stdin);
  return text.startsWith('@') ? readFileSync(resolve(world.cwd, text.slice(1)), 'utf8') : text;
}

function addresses(lists: string[] | undefined): string[] {
  return (lists ?? [])
    .flatMap((list) => list.split(','))
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

async function dryRun(session: Session, fields: MessageFields, files: readonly LocalFile[]): Promise<void> {
  const attachments = files.map(({ name, sizeBytes }) => ({ filename: name, size: sizeBytes }));
  const answer = await session.client().sendMessage({ body: { message: { ...fields, attachments, dry_run: true } } });
  describeDryRun(session, answer);
}

export async function list(session: Session, flags: { limit?: string; received?: boolean }): Promise<void> {
  const { output } = session;
  const query = flags.limit === undefined ? {} : { limit: flags.limit };
  const client = session.client();
  const messages =
    flags.received === true ? (await client.listInbox({ query })).messages : (await client.listSent({ query })).sent;
  output.document({ messages });
  for (const message of messages) {
    output.event('message', { ...message });
    const who = flags.received === true ? message.sender : message.recipients.join(', ');
    const files = message.attachments.length === 1 ? '1 file' : `${message.attachments.length} files`;
    if (session.settings.isQuiet) output.essence(message.id);
    output.row([message.id, message.created_at.slice(0, 10), message.expires_at, who, files, message.subject]);
  }
  if (messages.length === 0) output.say(flags.received === true ? 'Nothing received yet.' : 'Nothing sent yet.');
}

export async function show(session: Session, id: string): Promise<void> {
  const { output } = session;
  const { message } = await session.client().getMessage({ params: { id: idOf(id) } });
  output.document({ message });
  output.event('message', { ...message });
  output.data(message.subject || '(no subject)', 'bold');
  output.data(`  From       ${message.sender}`);
  output.data(`  To         ${message.recipients.join(', ')}`);
  output.data(`  Until      ${longDate(message.expires_at)}`);
  output.data(`  Who        ${message.authorization_description}`);
  output.data(`  Link       ${message.url}`);
  for (const file of message.attachments)
    output.data(
      `  ${file.id}  ${humanSize(file.size).padStart(9)}  ${file.filename}${file.available ? '' : '  (gone)'}`,
    );
}

export async function revoke(session: Session, ids: string[]): Promise<void> {
  const { output } = session;
  await confirm(session, ids.length === 1 ? 'Stop sharing this message?' : `Stop sharing ${ids.length} messages?`);
  const account = await readAccount(session);
  for (const given of ids) {
    const id = idOf(given);
    // Waybill keeps the files for a grace period; other servers can only delete them.
    if (account.chunkBytes !== null) await session.client().revokeMessage({ params: { id }, body: {} });
    else await session.client().deleteMessageAttachments({ params: { id } });
    output.event('revoked', { id });
    output.data(`${id}: it can no longer be downloaded`);
  }
  output.document({ revoked: ids.map(idOf) });
}

/** Accepts an address in place of an id. */
export function idOf(text: string): string {
  return URL.canParse(text)
    ? (new URL(text).pathname
        .split('/')
        .filter((part) => part !== '')
        .at(-1) ?? '')
    : text;
}
