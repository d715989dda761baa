// `get` and `log`.
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { digestOf, getFile, mismatch, nameOf, type Remote, readFacts, refusal } from '../downloading.ts';
import { localTime, readDate } from '../durations.ts';
import { exitCodes, Failure, failureOf, usageFailure } from '../failures.ts';
import { distinctNames, safeName } from '../file-names.ts';
import { openLink, openMessage } from '../guarded-downloads.ts';
import { idOf } from '../ids.ts';
import { alreadyThere, findEntry } from '../part-file.ts';
import { createProgress, type ProgressLine } from '../progress.ts';
import { type Proofs, readProofs } from '../proofs.ts';
import type { Session } from '../session.ts';
import { sizeText } from '../sizes.ts';
import type { Column } from '../tables.ts';
import { requireWebAddress } from '../web-address.ts';

export interface GetFlags {
  output?: string;
  force?: boolean;
  passwordStdin?: boolean;
}

interface Wanted {
  /** The sender's name for the file; null: taken from the response. */
  name: string | null;
  /** Hex; null when not known in advance. */
  sha256: string | null;
  open(): Promise<Remote>;
}

export async function get(session: Session, urls: string[], flags: GetFlags): Promise<void> {
  const failures: Failure[] = [];
  const proofs = await readProofs(session, flags);
  const wanted = await filesOf(session, urls, { failures, proofs });
  const folder = resolve(session.world.cwd, flags.output ?? '.');
  if (session.settings.isDryRun) await describeFiles(session, wanted, flags.output === '-' ? 'stdout' : folder);
  else if (flags.output === '-') await toStdout(session, wanted);
  else await getAll(session, wanted, { folder, isForced: flags.force === true }, failures);
  if (failures.length === 0) return;
  for (const failure of failures) session.output.warn(`waybill: ${failure.message}`);
  const isPart = wanted.length > 0 || new Set(failures.map(({ exitCode }) => exitCode)).size > 1;
  throw new Failure(
    isPart ? exitCodes.partlyDone : failures[0]!.exitCode,
    failures.length === 1 ? 'one download failed' : `${failures.length} downloads failed`,
    { code: failures[0]!.details.code },
  );
}

/** The files of all addresses; one that leads nowhere does not stop the others. */
async function filesOf(
  session: Session,
  urls: readonly string[],
  { failures, proofs }: { failures: Failure[]; proofs: Proofs },
): Promise<Wanted[]> {
  const wanted: Wanted[] = [];
  for (const url of urls)
    try {
      wanted.push(...(await filesAt(session, url, proofs)));
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null || urls.length === 1 || session.world.signal.aborted) throw error;
      failures.push(new Failure(failure.exitCode, `${url}: ${failure.message}`, failure.details));
    }
  return wanted;
}

/** For a dry run, in which no bytes are requested. */
async function describeFiles(session: Session, wanted: readonly Wanted[], target: string): Promise<void> {
  const files: object[] = [];
  for (const one of wanted) {
    const { sizeBytes, fileName, sha256 } = await readFacts(session, await one.open());
    const name = one.name ?? fileName ?? 'download';
    files.push({ name, size: sizeBytes, checksum: sha256 });
    session.output.data(`Would download ${name} (${sizeText(sizeBytes)}) to ${target}. Nothing was downloaded.`);
  }
  session.output.document({ dry_run: true, files });
}

async function getAll(
  session: Session,
  wanted: readonly Wanted[],
  { folder, isForced }: { folder: string; isForced: boolean },
  failures: Failure[],
): Promise<void> {
  const progress = createProgress(session.world, session.settings, session.output);
  const distinct = distinctNames();
  const lines: ProgressLine[] = [];
  const got: Downloaded[] = [];
  try {
    for (const one of wanted) {
      try {
        got.push(
          await getOne(session, one, {
            folder,
            isForced,
            distinct,
            lines,
            show: () => progress.update(lines),
          }),
        );
      } catch (error) {
        const failure = failureOf(error);
        const isAlone = wanted.length === 1 && failures.length === 0;
        const isAllOver = failure === null || isAlone || session.world.signal.aborted;
        if (isAllOver) throw error;
        failures.push(failure);
      }
    }
  } finally {
    progress.end();
    // Only now, because the next picture of the progress would overwrite them.
    for (const { path, name, verified } of got) {
      session.output.essence(path);
      if (!verified) session.output.warn(`waybill: ${name}: the server gave no checksum to compare with`);
    }
  }
  session.output.document({ files: got.map(({ name: _, ...file }) => file) });
}

interface Downloaded {
  name: string;
  path: string;
  size: number;
  checksum: string;
  verified: boolean;
}

interface Place {
  folder: string;
  isForced: boolean;
  /** Never returns a name twice, so that no file overwrites another. */
  distinct(name: string): string;
  lines: ProgressLine[];
  show(): void;
}

async function getOne(session: Session, wanted: Wanted, place: Place): Promise<Downloaded> {
  const { folder, isForced, lines, show } = place;
  // Assigned before anything can fail, so that repeating the command gives the same names.
  const known = wanted.name === null ? null : place.distinct(safeName(wanted.name));
  const remote = await wanted.open();
  const facts = await readFacts(session, remote);
  if (!Number.isSafeInteger(facts.sizeBytes))
    throw new Failure(exitCodes.serverError, 'the server does not say how large the file is', {
      code: 'download.no_size',
    });
  const name = known ?? place.distinct(safeName(facts.fileName ?? 'download'));
  const path = join(folder, name);
  if (findEntry(path) !== null && !isForced) throw alreadyThere(path);
  const line: ProgressLine = { name, sizeBytes: facts.sizeBytes, doneBytes: 0, state: 'running' };
  lines.push(line);
  show();
  try {
    const sha256 = await getFile(session, remote, { path, facts, mayReplace: isForced }, (bytes) => {
      line.doneBytes = bytes;
      show();
    });
    line.state = 'done';
    show();
    const downloaded = { path, size: facts.sizeBytes, checksum: sha256, verified: facts.sha256 !== null };
    session.output.event('downloaded', downloaded);
    return { name, ...downloaded };
  } catch (error) {
    line.state = 'failed';
    show();
    throw error;
  }
}

/** Bytes on stdout, the closing line with the hash on stderr. */
async function toStdout(session: Session, wanted: Wanted[]): Promise<void> {
  const [one] = wanted;
  if (one === undefined || wanted.length > 1) throw usageFailure('only one file can go to stdout');
  const { status, headers, body } = await session.connection.open({
    method: 'GET',
    ...(await one.open()),
    signal: session.world.signal,
  });
  if (status !== 200) throw refusal(status, headers['retry-after']);
  const hash = createHash('sha256');
  const expected = one.sha256 ?? digestOf(headers['repr-digest']);
  for await (const chunk of body) {
    hash.update(chunk as Buffer);
    if (!session.world.stdout.write(chunk)) await new Promise((done) => session.world.stdout.once('drain', done));
    await session.connection.pacer.afterReceiving((chunk as Buffer).length, session.world.signal);
  }
  const sha256 = hash.digest('hex');
  if (expected !== null && expected !== sha256) throw mismatch('stdout');
  session.output.show(`sha256 ${sha256}  ${one.name ?? nameOf(headers['content-disposition']) ?? '-'}`);
}

/** The address of a message, link or ticket, or the id of a received message. */
export async function filesAt(session: Session, given: string, proofs: Proofs = {}): Promise<Wanted[]> {
  if (!URL.canParse(given))
    return given.includes('/') ? filesAt(session, `https://${given}`, proofs) : messageFiles(session, given);
  const url = new URL(given);
  const [kind, id] = url.pathname
    .split('/')
    .filter((part) => part !== '')
    .slice(-2);
  if (kind === 'message' && id !== undefined) return filesOfMessage(session, url, { id, proofs });
  const remote = async (): Promise<Remote> =>
    kind === 'link' && id !== undefined
      ? openLink(session, url, proofs)
      : { url: given, headers: {}, mayDivide: true, sha256: null };
  const opened = await remote();
  return [{ name: null, sha256: null, open: async () => opened }];
}

/** With the account if it may open the message, otherwise with an address that is confirmed. */
async function filesOfMessage(
  session: Session,
  url: URL,
  { id, proofs }: { id: string; proofs: Proofs },
): Promise<Wanted[]> {
  const { server, apiKey } = session.settings;
  if (server !== null && apiKey !== null && url.href.startsWith(`${server}/`))
    try {
      return await messageFiles(session, id);
    } catch (error) {
      if (failureOf(error)?.details.code !== 'message.not_found') throw error;
    }
  const { files, missing } = await openMessage(session, url, proofs);
  return requireFiles(session, files, missing);
}

function requireFiles(session: Session, files: Wanted[], missing: readonly string[]): Wanted[] {
  if (files.length === 0)
    throw new Failure(exitCodes.notFound, 'this message has no files that can be downloaded', {
      code: 'download.gone',
    });
  for (const name of missing) session.output.warn(`waybill: ${name} cannot be downloaded, or not yet`);
  return files;
}

async function messageFiles(session: Session, id: string): Promise<Wanted[]> {
  if (session.settings.server === null || session.settings.apiKey === null)
    throw new Failure(exitCodes.notSignedIn, `the id ${id} alone is enough for messages to your own account only`, {
      code: 'not_signed_in',
      hint: 'Give the whole address, such as https://files.example.com/link/ID, or run `waybill login` first.',
    });
  const { message } = await session
    .client()
    .getMessage({ params: { id } })
    .catch((error: unknown) => {
      const failure = failureOf(error);
      if (failure?.exitCode !== exitCodes.notFound) throw error;
      throw new Failure(exitCodes.notFound, `there is no message ${id}`, {
        ...failure.details,
        hint: `For a link, give its whole address, such as ${session.server()}/link/${id}.`,
      });
    });
  const files = message.attachments.filter(({ available }) => available);
  const missing = message.attachments.filter(({ available }) => !available).map(({ filename }) => filename);
  const server = session.server();
  const foreign = new Set<string>();
  const wanted = files.map(({ url, checksum, filename }): Wanted => {
    const address = requireWebAddress(url, `${server}/`);
    const headers = session.authorization(address.href);
    if (!('authorization' in headers)) foreign.add(address.origin);
    const sha256 = checksum === '' ? null : checksum;
    return { name: filename, sha256, open: async () => ({ url: address.href, headers, mayDivide: false, sha256 }) };
  });
  for (const origin of foreign)
    session.output.warn(`waybill: ${origin} is another server: it does not get your API key`);
  return requireFiles(session, wanted, missing);
}

export interface LogFlags {
  message?: string;
  link?: string;
  after?: string;
}

const logColumns: readonly Column[] = [
  { header: 'DOWNLOADED' },
  { header: 'BY', least: 12 },
  { header: 'FROM' },
  { header: 'SIZE', isRight: true },
  { header: 'FILE', least: 12 },
];

export async function log(session: Session, { message, link, after }: LogFlags): Promise<void> {
  const { output } = session;
  if ([message, link, after].filter((one) => one !== undefined).length > 1)
    throw usageFailure('choose one of --message, --link and --after');
  const client = session.client();
  const { downloads } =
    message !== undefined
      ? await client.listMessageDownloads({ params: { id: idOf(message) } })
      : link !== undefined
        ? await client.listLinkDownloads({ params: { id: idOf(link) } })
        : await client.listDownloads({ query: after === undefined ? {} : { after: readDate(after) } });
  output.document({ downloads });
  for (const one of downloads) output.event('download', { ...one });
  const newestFirst = downloads.toSorted((one, other) => (one.downloaded_at < other.downloaded_at ? 1 : -1));
  output.table({
    columns: logColumns,
    rows: newestFirst.map((one) => [
      localTime(one.downloaded_at, session.world),
      one.recipient || '-',
      one.remote_ip,
      sizeText(one.size),
      one.filename,
    ]),
    plain: downloads.map((one) => {
      const when = one.downloaded_at.slice(0, 16).replace('T', ' ');
      return [when, one.recipient || '-', one.remote_ip, sizeText(one.size), one.filename];
    }),
  });
  if (downloads.length === 0) output.say('Nothing was downloaded yet.');
}
