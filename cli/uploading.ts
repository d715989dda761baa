// Sends files through the transfer engine until each is complete or refused, and saves progress.

import type { crc32 as Crc32 } from '@node-rs/crc32';
import { ClientProblem, readProblem } from '#contract/client.ts';
import { adaptiveConcurrency, type Concurrency, fixedConcurrency } from '../transfer/concurrency.ts';
import { createTransfers, type Transfers } from '../transfer/engine.ts';
import { deferred } from '../transfer/older-platforms.ts';
import type { Send, WireResponse } from '../transfer/ports.ts';
import { type FileStatus, isOver } from '../transfer/states.ts';
import { timers } from '../transfer/timers.ts';
import { type ExitCode, exitCodeOfRefusal, exitCodeOfStatus, exitCodes, Failure, failureOf } from './failures.ts';
import type { Job } from './jobs.ts';
import type { LocalFile } from './local-file.ts';
import { startPatience } from './patience.ts';
import { type Plan, planOf } from './plan.ts';
import { createProgress, type ProgressLine } from './progress.ts';
import type { Session } from './session.ts';

export interface UploadRoute {
  uploadUrl: string;
  stateUrl: string;
  headers: Record<string, string>;
  /** Null: a server without upload ids, which takes chunks in order and cannot resume. */
  chunkBytes: number | null;
}

export interface Uploaded {
  file: LocalFile;
  attachmentId: string;
}

export interface NotUploaded {
  file: LocalFile;
  sentence: string;
  exitCode: ExitCode;
}

export interface UploadResult {
  uploaded: Uploaded[];
  failed: NotUploaded[];
}

const defaultChunkBytes = 8 * 1024 * 1024;
/** Two parallel files keep the connection busy while one is being finished. */
const mostParallelFiles = 2;

export async function uploadAll(
  session: Session,
  files: readonly LocalFile[],
  route: UploadRoute,
  job: Job,
): Promise<UploadResult> {
  const { world, settings, output } = session;
  const progress = createProgress(world, settings, output);
  const heard: Heard = { refusal: null };
  // Loaded here, because most commands send nothing.
  const { crc32 } = await import('@node-rs/crc32');
  const transfers = openTransfers(session, route, { files, heard, crc32 });
  const ids = new Map<string, LocalFile>();
  const arrivedBefore = files.filter((file) => job.arrivedId(file) !== null);
  const { promise, resolve, reject } = deferred<void>();
  const show = () => progress.update(linesOf(files, transfers, ids, arrivedBefore));
  const check = () => {
    if (transfers.files().every(({ state }) => isOver(state))) resolve();
  };
  const patience = startPatience(timers, settings.patienceMs, () => reject(standstill(transfers, heard.refusal)));
  transfers.listen((event) => {
    patience.note(event, transfers.totals().sentBytes);
    if (event.is === 'saved') job.keepUpload(ids.get(event.id)!, event.upload);
    if (event.is === 'halted') reject(haltFailure(event.reason, event.sentence));
    if (event.is === 'state' && event.file.attachmentId !== null)
      job.keepArrived(ids.get(event.file.id)!, event.file.attachmentId);
    if (event.is === 'state' || event.is === 'progress') show();
    check();
  });
  const stop = () => reject(interruption(world.signal.reason, keptPercent(transfers, ids, job)));
  world.signal.addEventListener('abort', stop, { once: true });
  try {
    for (const file of files) {
      if (arrivedBefore.includes(file)) continue;
      ids.set(transfers.add(file, route.chunkBytes === null ? null : job.savedUpload(file)), file);
    }
    if (world.signal.aborted) stop();
    check();
    await promise;
    show();
    return resultOf(files, transfers.files(), ids, job);
  } finally {
    patience.end();
    progress.end();
    world.signal.removeEventListener('abort', stop);
    transfers.close();
    await Promise.all(files.map((file) => file.close()));
  }
}

/** The server's last temporary refusal. */
interface Heard {
  refusal: ClientProblem | null;
}

/** Records temporary refusals, for the message when retrying ends. */
function listening(send: Send, heard: Heard): Send {
  return async (request) => {
    const answer = await send(request);
    heard.refusal = answer.status < 400 ? null : problemOf(answer);
    return answer;
  };
}

function problemOf({ status, text }: WireResponse): ClientProblem {
  return new ClientProblem(status, readProblem(text) ?? {}, {});
}

function openTransfers(
  { connection, settings }: Session,
  route: UploadRoute,
  { files, heard, crc32 }: { files: readonly LocalFile[]; heard: Heard; crc32: typeof Crc32 },
): Transfers {
  const isPlain = route.chunkBytes === null;
  const parallelFiles = Math.max(1, Math.min(files.length, mostParallelFiles));
  const plan = planOf({
    sizesBytes: files.map(({ sizeBytes }) => sizeBytes),
    parallelFiles,
    recommendedBytes: route.chunkBytes ?? defaultChunkBytes,
    requestedBytes: settings.chunkBytes,
    requestedConcurrency: settings.parallel,
    roundTripMs: isPlain ? null : connection.roundTripMs(),
  });
  return createTransfers({
    send: listening(connection.send, heard),
    stream: connection.stream,
    allowSingleRequest: plan.allowSingleRequest && settings.bytesPerSecond === null,
    clock: timers,
    random: Math.random,
    crc32: (before, bytes) => crc32(bytes, before),
    uploadUrl: route.uploadUrl,
    stateUrl: route.stateUrl,
    headers: route.headers,
    firstUploadId: isPlain ? null : 'new',
    probeUrl: new URL('/healthz', route.uploadUrl).href,
    chunkBytes: plan.chunkBytes,
    parallelFiles,
    concurrency: concurrencyOf(settings.parallel, isPlain, plan),
  });
}

function concurrencyOf(wished: number | null, isPlain: boolean, { maxConcurrency, startAtMax }: Plan): Concurrency {
  if (isPlain) return fixedConcurrency(1);
  if (wished !== null) return fixedConcurrency(maxConcurrency);
  return startAtMax ? fixedConcurrency(maxConcurrency) : adaptiveConcurrency(maxConcurrency);
}

function standstill(transfers: Transfers, refusal: ClientProblem | null): Failure {
  const { sentBytes, totalBytes } = transfers.totals();
  const percent = totalBytes === 0 ? 0 : Math.floor((sentBytes / totalBytes) * 100);
  const hint = 'Run the same command again: it resumes where it stopped.';
  const refused = refusal === null ? null : failureOf(refusal);
  if (refused !== null) return new Failure(refused.exitCode, refused.message, { ...refused.details, hint });
  const sentence = `nothing reaches the server any more; stopped at ${percent} %`;
  return new Failure(exitCodes.network, sentence, { code: 'network.unreachable', hint });
}

function linesOf(
  files: readonly LocalFile[],
  transfers: Transfers,
  ids: ReadonlyMap<string, LocalFile>,
  arrivedBefore: readonly LocalFile[],
): ProgressLine[] {
  const statuses = new Map<LocalFile, FileStatus>();
  for (const status of transfers.files()) statuses.set(ids.get(status.id)!, status);
  return files.map((file) => {
    const { name, sizeBytes } = file;
    if (arrivedBefore.includes(file)) return { name, sizeBytes, doneBytes: sizeBytes, state: 'done' };
    const status = statuses.get(file);
    const state = status?.state ?? 'queued';
    const doneBytes = status?.sentBytes ?? 0;
    if (state === 'ready') return { name, sizeBytes, doneBytes: sizeBytes, state: 'done' };
    if (state === 'failed' || state === 'not-allowed') return { name, sizeBytes, doneBytes, state: 'failed' };
    return { name, sizeBytes, doneBytes, state: state === 'queued' ? 'waiting' : 'running' };
  });
}

function resultOf(
  files: readonly LocalFile[],
  statuses: readonly FileStatus[],
  ids: ReadonlyMap<string, LocalFile>,
  job: Job,
): UploadResult {
  const failed = statuses.flatMap((status) => {
    if (status.state === 'ready') return [];
    const sentence = status.sentence === null ? reasons[status.reason ?? 'refused'] : status.sentence;
    return [{ file: ids.get(status.id)!, sentence, exitCode: exitCodeOfFile(status) }];
  });
  const uploaded = files.flatMap((file) => {
    const attachmentId = job.arrivedId(file);
    return attachmentId === null || failed.some((one) => one.file === file) ? [] : [{ file, attachmentId }];
  });
  return { uploaded, failed };
}

function exitCodeOfFile({ reason, refusal }: FileStatus): ExitCode {
  if (reason === 'differs') return exitCodes.checksumMismatch;
  if (reason === 'unreadable') return exitCodes.failed;
  if (refusal === undefined) return exitCodes.refused;
  const exitCode = exitCodeOfStatus(refusal.status);
  return exitCode === exitCodes.refused ? exitCodeOfRefusal(refusal.code ?? '') : exitCode;
}

/** The exit code when none of the files could be sent. */
export function exitCodeOfAll(failed: readonly NotUploaded[]): ExitCode {
  const codes = new Set(failed.map(({ exitCode }) => exitCode));
  return codes.size === 1 ? failed[0]!.exitCode : exitCodes.refused;
}

const reasons = {
  refused: 'The server did not take it.',
  differs: 'What arrived was not what was sent, twice. Something between you and the server changes files.',
  unreadable: 'The file could no longer be read, or was changed while it was being sent.',
};

function haltFailure(reason: 'signed-out' | 'full', sentence: string | null): Failure {
  if (reason === 'signed-out')
    return new Failure(exitCodes.notSignedIn, 'the server no longer accepts your API key', {
      code: 'not_signed_in',
      hint: 'Run `waybill login`, then the same command again: it resumes where it stopped.',
    });
  return new Failure(exitCodes.serverError, sentence ?? 'the server has no room left', {
    code: 'server.full',
    hint: 'Run the same command again later: it resumes where it stopped.',
  });
}

/** Of files that can resume; one sent in a single request cannot. */
function keptPercent(transfers: Transfers, ids: ReadonlyMap<string, LocalFile>, job: Job): number {
  const { totalBytes } = transfers.totals();
  const isKept = ({ id, state }: FileStatus) => state === 'ready' || job.savedUpload(ids.get(id)!) !== null;
  const keptBytes = transfers.files().reduce((sum, file) => sum + (isKept(file) ? file.sentBytes : 0), 0);
  return totalBytes === 0 ? 0 : Math.floor((keptBytes / totalBytes) * 100);
}

export function interruption(reason: unknown, percent: number): Failure {
  const isTerminated = reason === 'SIGTERM';
  return new Failure(
    isTerminated ? exitCodes.terminated : exitCodes.interrupted,
    percent === 0 ? 'Stopped.' : `Stopped. Run the same command again to resume at ${percent} %.`,
    { code: 'interrupted' },
  );
}
