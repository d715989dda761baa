// `link` creates a link for each file; `links` manages them.
import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { humanSize } from '#contract/sizes.ts';
import { askHidden, confirm, readSecret } from '../asking.ts';
import { createOnce } from '../creating.ts';
import { longDate, readExpiry } from '../durations.ts';
import { exitCodes, Failure, failureOf, usageFailure } from '../failures.ts';
import { type Job, openJob } from '../jobs.ts';
import { type Account, readAccount, type Session } from '../session.ts';
import { type ShowFlags, showAddresses } from '../showing.ts';
import { readSources, sourceOptions } from '../sources.ts';
import { describeDryRun, refuseEmpty, uploadRouteOf } from '../transfers.ts';
import { exitCodeOfAll, type Uploaded, uploadAll } from '../uploading.ts';
import { idOf } from './messages.ts';

export interface LinkFlags extends ShowFlags {
  expires?: string;
  passwordStdin?: boolean;
  passwordPrompt?: boolean;
  generatePassword?: boolean;
  requireAuth?: boolean;
  receipt?: boolean;
  dir?: boolean;
  zip?: boolean;
  name?: string;
  again?: boolean;
}

interface LinkFields {
  expires_at?: string;
  password?: string;
  download_receipt?: boolean;
  require_authentication?: boolean;
}

export async function link(session: Session, args: string[], flags: LinkFlags): Promise<void> {
  const { world, settings } = session;
  const fields = await linkFields(session, flags);
  const account = await readAccount(session);
  const files = await readSources(session, args, sourceOptions(flags));
  refuseEmpty(files);
  if (settings.isDryRun) {
    const { name, sizeBytes } = files[0]!;
    const attachment = { filename: name, size: sizeBytes };
    if (flags.generatePassword === true) fields.password = makePassword();
    return describeDryRun(
      session,
      await session.client().createFileLink({ body: { link: { ...fields, attachment, dry_run: true } } }),
    );
  }
  const identity = ['link', session.server(), account.user.email, args.map((arg) => resolve(world.cwd, arg))];
  const job = openJob(world, identity, flags);
  try {
    if (flags.generatePassword === true) fields.password = tellPassword(session, madePassword(job, flags));
    const { uploaded, failed } = await uploadAll(session, files, uploadRouteOf(session, account, 'link'), job);
    const problems = failed.map(({ file, sentence }) => `${file.name}: ${sentence}`);
    const urls: string[] = [];
    problems.push(
      ...(await makeLinks(session, job, { account, fields, uploaded, isAgain: flags.again === true, urls })),
    );
    await showAddresses(session, urls, flags);
    if (problems.length === 0) return job.finish();
    for (const problem of problems) session.output.warn(`waybill: ${problem}`);
    const isPart = problems.length < files.length;
    throw new Failure(
      isPart ? exitCodes.partlyDone : exitCodeOfAll(failed),
      isPart ? `${problems.length} of ${files.length} files have no link` : 'no link was made',
      { code: 'link.failed' },
    );
  } finally {
    job.release();
  }
}

interface Making {
  account: Account;
  fields: LinkFields;
  uploaded: readonly Uploaded[];
  isAgain: boolean;
  urls: string[];
}

/** Returns a sentence for each file that failed. */
async function makeLinks(
  session: Session,
  job: Job,
  { account, fields, uploaded, isAgain, urls }: Making,
): Promise<string[]> {
  const { output } = session;
  const made: object[] = [];
  const problems: string[] = [];
  for (const { file, attachmentId } of uploaded) {
    const body = { link: { ...fields, attachment: attachmentId } };
    const creation = { name: `link:${attachmentId}`, body, hasKeys: account.chunkBytes !== null, isAgain };
    try {
      const answer = await createOnce(session, job, creation, (kept, headers) =>
        session.client().createFileLink({ body: kept, headers, signal: session.world.signal }),
      );
      const { link: created } = answer as Extract<typeof answer, { link: unknown }>;
      made.push({ ...created, path: file.path });
      output.event('link', { ...created, path: file.path });
      urls.push(created.url);
      output.essence(created.url);
      output.say(`  ${file.name}, until ${longDate(created.expires_at)}`, 'dim');
    } catch (error) {
      const failure = failureOf(error);
      // A network failure ends the command; a refused file does not stop the others.
      if (failure === null || failure.exitCode === exitCodes.network || failure.exitCode === exitCodes.notSignedIn)
        throw error;
      problems.push(`${file.name}: ${failure.message}`);
    }
  }
  output.document({ links: made });
  return problems;
}

async function linkFields(session: Session, flags: LinkFlags): Promise<LinkFields> {
  const expires = flags.expires ?? (session.settings.commandDefaults.link?.expires as string | undefined);
  const password = await passwordOf(session, flags);
  return {
    ...(expires === undefined ? {} : { expires_at: readExpiry(expires, session.world.now()) }),
    ...(password === null ? {} : { password }),
    ...(flags.receipt === undefined ? {} : { download_receipt: flags.receipt }),
    ...(flags.requireAuth === undefined ? {} : { require_authentication: flags.requireAuth }),
  };
}

/** Without letters and digits that look alike. */
const passwordLetters = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const passwordLength = 16;

/** The given password, or a generated one, which is saved with the job. */
async function passwordOf(session: Session, flags: LinkFlags): Promise<string | null> {
  const ways = [flags.passwordStdin, flags.passwordPrompt, flags.generatePassword].filter((way) => way === true);
  if (ways.length > 1) throw usageFailure('a link has one password: choose one of the --password ways');
  if (flags.passwordStdin === true) return readSecret(session.world);
  if (flags.passwordPrompt === true) return askHidden(session, 'Password for the link: ');
  return null;
}

/** Repeating a command reuses its password: links may already exist with it. */
function madePassword(job: Job, flags: LinkFlags): string {
  if (flags.again === true) job.forgetSent('password');
  return (job.sent('password') ?? job.keepSent('password', makePassword())).body as string;
}

function makePassword(): string {
  return Array.from({ length: passwordLength }, () => passwordLetters[randomInt(passwordLetters.length)]).join('');
}

function tellPassword({ output }: Session, password: string): string {
  output.warn(`Password: ${password}`);
  output.event('password', { password });
  return password;
}

export async function listLinks(session: Session, flags: { limit?: string }): Promise<void> {
  const { output } = session;
  const { links } = await session
    .client()
    .listFileLinks({ query: flags.limit === undefined ? {} : { limit: flags.limit } });
  output.document({ links });
  for (const one of links) {
    output.event('link', { ...one });
    if (session.settings.isQuiet) output.essence(one.url);
    output.row([one.id, one.expires_at, humanSize(one.size), one.filename, one.url]);
  }
  if (links.length === 0) output.say('No links yet.');
}

export async function showLink(session: Session, given: string): Promise<void> {
  const { output } = session;
  const { link: one } = await session.client().getFileLink({ params: { id: idOf(given) } });
  output.document({ link: one });
  output.event('link', { ...one });
  output.data(one.filename, 'bold');
  output.data(`  Size       ${humanSize(one.size)}`);
  output.data(`  Until      ${longDate(one.expires_at)}`);
  output.data(
    `  Who        ${one.require_authentication ? 'Anyone who confirms an e-mail address' : 'Anyone with the link'}`,
  );
  output.data(`  Receipts   ${one.send_download_confirmation ? 'yes' : 'no'}`);
  output.essence(one.url);
}

export interface LinkChange {
  expires?: string;
  requireAuth?: boolean;
  receipt?: boolean;
}

export async function setLink(session: Session, given: string, change: LinkChange): Promise<void> {
  const params = { id: idOf(given) };
  const client = session.client();
  const { expires, requireAuth, receipt } = change;
  if (expires === undefined && requireAuth === undefined && receipt === undefined)
    throw usageFailure(
      'nothing to change',
      'Add --expires, --require-auth, --no-require-auth, --receipt or --no-receipt.',
    );
  if (expires !== undefined)
    await client.updateExpiresAt({ params, body: { expires_at: readExpiry(expires, session.world.now()) } });
  if (requireAuth !== undefined)
    await client.updateAuthentication({ params, body: { require_authentication: requireAuth } });
  if (receipt !== undefined)
    await client.updateDownloadConfirmation({ params, body: { send_download_confirmation: receipt } });
  session.output.document({ changed: [params.id] });
  session.output.event('changed', params);
  session.output.data(`${params.id}: changed`);
}

export async function removeLinks(session: Session, given: string[]): Promise<void> {
  await confirm(session, given.length === 1 ? 'Remove this link?' : `Remove ${given.length} links?`);
  for (const one of given) {
    await session.client().deleteFileLink({ params: { id: idOf(one) } });
    session.output.event('removed', { id: idOf(one) });
    session.output.data(`${idOf(one)}: removed`);
  }
  session.output.document({ removed: given.map(idOf) });
}
