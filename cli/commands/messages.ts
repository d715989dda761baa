// `send`.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CallInput } from '#contract/client.ts';
import { readAddresses } from '../addresses.ts';
import { ask } from '../asking.ts';
import { audienceText, readAudience } from '../audiences.ts';
import { textOf } from '../connection.ts';
import { createOnce } from '../creating.ts';
import { describeDryRun, failureOfRules, refusedRules } from '../dry-run.ts';
import { longDate, readExpiry } from '../durations.ts';
import { Failure, usageFailure } from '../failures.ts';
import { openJob } from '../jobs.ts';
import type { LocalFile } from '../local-file.ts';
import { type Account, readAccount, type Session } from '../session.ts';
import { readSources, sourceOptions } from '../sources.ts';
import { filesOfAnswer, refuseEmpty, refuseTooMany, uploadRouteOf } from '../transfers.ts';
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

type MessageFields = CallInput<'sendMessage'>['body']['message'];

export async function send(session: Session, args: string[], flags: SendFlags): Promise<void> {
  const { world, settings, output } = session;
  const fields = await messageFields(session, flags);
  const account = await readAccount(session);
  const files = args.length === 0 ? [] : await readSources(session, args, sourceOptions(flags));
  refuseEmpty(files);
  refuseTooMany(files);
  if (settings.isDryRun) return describeDryRun(session, [await rulesFor(session, fields, files)]);
  const identity = ['send', session.server(), account.user.email, args.map((arg) => resolve(world.cwd, arg))];
  const job = openJob(world, identity, flags);
  try {
    // A repeated command was checked before, and its uploaded files would count twice.
    if (account.chunkBytes !== null && files.length > 0 && job.isNew) {
      const refused = refusedRules([await rulesFor(session, fields, files)]) ?? [];
      if (refused.length > 0) throw failureOfRules(refused);
    }
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
  output.say(`  Who        ${audienceText(message)}`);
  if (fields.send_email !== true) output.say('  E-mail     none: pass the link on yourself');
  if (session.world.stdout.isTTY === true && !session.settings.isQuiet) output.data(`  Link       ${message.url}`);
  else output.essence(message.url);
}

async function recipientsOf(session: Session, given: string[] | undefined): Promise<string[]> {
  if (given?.some((text) => text.trim() !== '') === true) return given;
  const typed = session.settings.mayAsk ? await ask(session, 'To (e-mail addresses): ') : '';
  if (typed === '') throw usageFailure('a recipient is missing', 'Add --to ben@example.com.');
  return [typed];
}

async function messageFields(session: Session, flags: SendFlags): Promise<MessageFields> {
  const { settings, world } = session;
  const expires = settings.chosen('send', 'expires', flags.expires, (text) => readExpiry(text, world.now()));
  const audience = settings.chosen('send', 'who', flags.who, readAudience);
  if (flags.downloads !== undefined && !/^\d{1,6}$/.test(flags.downloads))
    throw usageFailure('--downloads is a number', 'Write 0 for no limit.');
  const to = readAddresses('--to', await recipientsOf(session, flags.to));
  const cc = readAddresses('--cc', flags.cc ?? []);
  const bcc = readAddresses('--bcc', flags.bcc ?? []);
  const names = [...to, ...cc, ...bcc].filter(({ name }) => name !== '');
  return {
    recipients: to.map(({ address }) => address),
    cc: cc.map(({ address }) => address),
    bcc: bcc.map(({ address }) => address),
    // Only Waybill knows this field.
    ...(names.length === 0 ? {} : { names }),
    ...(flags.from === undefined ? {} : { sender: flags.from }),
    subject: flags.subject ?? '',
    message: await messageText(session, flags.message ?? ''),
    send_email: flags.email !== false,
    ...(expires === undefined ? {} : { expires_at: expires }),
    ...(flags.downloads === undefined ? {} : { expires_after: Number(flags.downloads) }),
    ...(audience === undefined ? {} : { authorization: audience }),
    ...(flags.private === true ? { private_message: true } : {}),
    ...(flags.copy === false ? { bcc_myself: false } : {}),
  };
}

/** `TEXT`, `@FILE` or `-` for stdin. */
async function messageText({ world }: Session, text: string): Promise<string> {
  if (text === '-') return textOf(world.stdin);
  return text.startsWith('@') ? readFileSync(resolve(world.cwd, text.slice(1)), 'utf8') : text;
}

async function rulesFor(session: Session, fields: MessageFields, files: readonly LocalFile[]): Promise<unknown> {
  const attachments = files.map(({ name, sizeBytes }) => ({ filename: name, size: sizeBytes }));
  return session.client().sendMessage({ body: { message: { ...fields, attachments, dry_run: true } } });
}
