// `link` creates a link for each file.
import { randomInt } from 'node:crypto';
import { extname, resolve } from 'node:path';
import { askHidden, readSecret } from '../asking.ts';
import { createOnce } from '../creating.ts';
import { describeDryRun, failureOfRules, refusedRules } from '../dry-run.ts';
import { longDate, readExpiry } from '../durations.ts';
import { exitCodes, Failure, failureOf, usageFailure } from '../failures.ts';
import { type Job, openJob } from '../jobs.ts';
import type { LocalFile } from '../local-file.ts';
import { type Account, readAccount, type Session } from '../session.ts';
import { type ShowFlags, showAddresses } from '../showing.ts';
import { readSources, sourceOptions } from '../sources.ts';
import { refuseEmpty, uploadRouteOf } from '../transfers.ts';
import { exitCodeOfAll, type Uploaded, uploadAll } from '../uploading.ts';

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
  // The real one is saved with the job.
  if (flags.generatePassword === true) fields.password = makePassword();
  const account = await readAccount(session);
  const files = await readSources(session, args, sourceOptions(flags));
  refuseEmpty(files);
  if (settings.isDryRun) return describeDryRun(session, await rulesFor(session, fields, files));
  const identity = ['link', session.server(), account.user.email, args.map((arg) => resolve(world.cwd, arg))];
  const job = openJob(world, identity, flags);
  try {
    if (account.chunkBytes !== null && job.isNew) {
      const refused = refusedRules(await rulesFor(session, fields, files)) ?? [];
      // A refused kind of file does not stop the others.
      const decisive = refused.filter(({ code }) => files.length === 1 || !/^attachment\.extension/.test(code));
      if (decisive.length > 0) throw failureOfRules(decisive);
    }
    if (flags.generatePassword === true) fields.password = tellPassword(session, madePassword(job, flags));
    const { uploaded, failed } = await uploadAll(session, files, uploadRouteOf(session, account, 'link'), job);
    const problems = failed.map(({ file, sentence }) => `${file.name}: ${sentence}`);
    const urls: string[] = [];
    problems.push(
      ...(await makeLinks(session, job, {
        account,
        fields,
        uploaded,
        isAgain: flags.again === true,
        isGenerated: flags.generatePassword === true,
        urls,
      })),
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

/** One dry run for each kind of file, the first with the size of all of them. */
async function rulesFor(session: Session, fields: LinkFields, files: readonly LocalFile[]): Promise<unknown[]> {
  const kinds = new Map(files.map((file) => [extname(file.name).toLowerCase(), file]));
  let size = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const answers: unknown[] = [];
  for (const { name: filename, sizeBytes } of kinds.values()) {
    const link = { ...fields, attachment: { filename, size }, dry_run: true };
    answers.push(await session.client().createFileLink({ body: { link } }));
    size = sizeBytes;
  }
  return answers;
}

interface Making {
  account: Account;
  fields: LinkFields;
  uploaded: readonly Uploaded[];
  isAgain: boolean;
  /** The password was generated, so the answer has to contain it. */
  isGenerated: boolean;
  urls: string[];
}

/** Returns a sentence for each file that failed. */
async function makeLinks(
  session: Session,
  job: Job,
  { account, fields, uploaded, isAgain, isGenerated, urls }: Making,
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
      const secret = isGenerated ? { password: fields.password } : {};
      made.push({ ...created, path: file.path, ...secret });
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
  const { settings, world } = session;
  const expires = settings.chosen('link', 'expires', flags.expires, (text) => readExpiry(text, world.now()));
  const password = await passwordOf(session, flags);
  return {
    ...(expires === undefined ? {} : { expires_at: expires }),
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

function tellPassword({ output, settings }: Session, password: string): string {
  // With --json it is part of the document.
  if (!settings.isJson && !settings.hasEvents) output.show(`Password: ${password}`);
  output.event('password', { password });
  return password;
}
