// Downloads one file in blocks over several connections, into a part file next to its final name. Resumes an earlier
// run, and gives the file its name only after checking its SHA-256.

import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { adaptiveConcurrency, type Concurrency, fixedConcurrency } from '../transfer/concurrency.ts';
import { anySignal } from '../transfer/older-platforms.ts';
import { collecting } from './collecting.ts';
import { exitCodes, Failure, localFailure } from './failures.ts';
import { openPart, type PartFile } from './part-file.ts';
import { retrying } from './retrying.ts';
import type { Session } from './session.ts';
import { interruption } from './uploading.ts';

export interface Remote {
  url: string;
  headers: Record<string, string>;
  /** The server counts several range requests as one download. */
  mayDivide: boolean;
  /** Hex; null when not known in advance. */
  sha256: string | null;
  /** Requests a new address for the same file once this one is used up, which lost bytes can cause. */
  again?(): Promise<Remote>;
}

export interface RemoteFacts {
  sizeBytes: number;
  etag: string;
  sha256: string | null;
  fileName: string | null;
}

const defaultBlockBytes = 8 * 1024 * 1024;
const mostConnections = 6;

export async function readFacts(session: Session, remote: Remote): Promise<RemoteFacts> {
  const { status, headers, body } = await retrying(session, () =>
    session.connection.open({ method: 'HEAD', url: remote.url, headers: remote.headers, signal: session.world.signal }),
  );
  body.resume();
  if (status !== 200) throw refusal(status);
  return {
    sizeBytes: Number(headers['content-length'] ?? Number.NaN),
    etag: headers.etag ?? '',
    sha256: remote.sha256 ?? digestOf(headers['repr-digest']),
    fileName: nameOf(headers['content-disposition']),
  };
}

/** Calls `onBytes` with the number of bytes on disk. */
export async function getFile(
  session: Session,
  remote: Remote,
  target: { path: string; facts: RemoteFacts; mayReplace: boolean },
  onBytes: (bytes: number) => void,
): Promise<string> {
  const { facts, path } = target;
  mkdirSync(dirname(path), { recursive: true });
  const blockBytes = session.settings.chunkBytes ?? defaultBlockBytes;
  const part = await openPart(path, { etag: facts.etag, sizeBytes: facts.sizeBytes, blockBytes });
  try {
    await fetchBlocks(session, { remote, facts, blockBytes, part, collect: collecting(), onBytes });
    const sha256 = await hashOf(part.file, facts.sizeBytes);
    if (facts.sha256 !== null && sha256 !== facts.sha256) {
      part.remove();
      throw mismatch(path);
    }
    await part.finish(target.mayReplace);
    return sha256;
  } finally {
    await part.file.close();
  }
}

export function mismatch(path: string): Failure {
  return new Failure(exitCodes.checksumMismatch, `${path}: what arrived is not what was sent; it was removed`, {
    code: 'checksum_mismatch',
    hint: 'Run the same command again; if it happens twice, something in between changes files.',
  });
}

interface Fetching {
  remote: Remote;
  facts: RemoteFacts;
  blockBytes: number;
  part: PartFile;
  collect: (bytes: number) => void;
  onBytes: (bytes: number) => void;
}

async function fetchBlocks(session: Session, fetching: Fetching): Promise<void> {
  const { remote, facts, blockBytes, part, onBytes } = fetching;
  // An empty file has one block, so that the server records the download.
  const count = Math.max(1, Math.ceil(facts.sizeBytes / blockBytes));
  const missing = Array.from({ length: count }, (_, block) => block).filter((block) => !part.has(block));
  const lengthOf = (block: number) => Math.min(blockBytes, facts.sizeBytes - block * blockBytes);
  let here = facts.sizeBytes - missing.reduce((sum, block) => sum + lengthOf(block), 0);
  const concurrency = concurrencyOf(session, remote);
  const source = sourceOf(remote, () => here);
  const stopping = new AbortController();
  const signal = anySignal([session.world.signal, stopping.signal]);
  const running = new Set<Promise<void>>();
  let failure: unknown = null;
  onBytes(here);
  while (missing.length > 0 && !signal.aborted) {
    while (running.size >= concurrency.current()) await Promise.race(running);
    if (signal.aborted) break;
    const block = missing.shift()!;
    let counted = 0;
    const wanted: Block = {
      start: block * blockBytes,
      length: lengthOf(block),
      done: 0,
      signal,
      onBytes(bytes) {
        here += bytes - counted;
        counted = bytes;
        onBytes(here);
      },
    };
    const fetch = () => fetchFrom(source, (address) => fetchBlock(session, fetching, address, wanted));
    const one = retrying(session, fetch, signal)
      .then(() => {
        part.add(block);
        concurrency.record(lengthOf(block), performance.now());
      })
      .catch((error: unknown) => {
        failure ??= error;
        stopping.abort();
      })
      .finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  await part.settle();
  if (session.world.signal.aborted) throw interruption(session.world.signal.reason, 0);
  if (failure !== null) throw failure;
}

interface Source {
  now: Remote;
  /** True if there is now another address than `used`. */
  renew(used: Remote): Promise<boolean>;
}

/** Renews only if bytes have arrived since the last renewal, so that it ends. */
function sourceOf(remote: Remote, bytesHere: () => number): Source {
  let bytesBefore = -1;
  let renewing: Promise<Remote> | null = null;
  const source: Source = {
    now: remote,
    async renew(used) {
      if (source.now !== used) return true;
      if (used.again === undefined || (renewing === null && bytesHere() <= bytesBefore)) return false;
      bytesBefore = bytesHere();
      renewing ??= used.again();
      try {
        source.now = await renewing;
      } finally {
        renewing = null;
      }
      return true;
    },
  };
  return source;
}

async function fetchFrom(source: Source, fetch: (remote: Remote) => Promise<void>): Promise<void> {
  for (;;) {
    const used = source.now;
    try {
      return await fetch(used);
    } catch (error) {
      const isOver = error instanceof Failure && error.details.code === 'download.gone';
      if (!isOver || !(await source.renew(used))) throw error;
    }
  }
}

interface Block {
  start: number;
  length: number;
  /** Bytes on disk; the next attempt resumes there. */
  done: number;
  signal: AbortSignal;
  onBytes(done: number): void;
}

async function fetchBlock(
  session: Session,
  { facts, part, collect }: Fetching,
  remote: Remote,
  block: Block,
): Promise<void> {
  const range: Record<string, string> =
    block.length === 0
      ? {}
      : {
          range: `bytes=${block.start + block.done}-${block.start + block.length - 1}`,
          ...(facts.etag === '' ? {} : { 'if-range': facts.etag }),
        };
  const { status, headers, body } = await session.connection.open({
    method: 'GET',
    url: remote.url,
    headers: { ...remote.headers, ...range },
    signal: block.signal,
  });
  // The whole file instead of a range: it was replaced, or the server does not support ranges.
  const isWhole = status === 200 && block.length === facts.sizeBytes;
  if (status !== 206 && !isWhole) {
    body.destroy();
    if (status === 200)
      throw localFailure('the file at this address has changed', 'download.changed', 'Run the command again.');
    throw refusal(status, headers['retry-after']);
  }
  if (isWhole) block.done = 0;
  block.onBytes(block.done);
  for await (const chunk of body) {
    const bytes = chunk as Buffer;
    if (block.done + bytes.length > block.length) throw new TypeError('more bytes than asked for');
    await writeWhole(part.file, bytes, block.start + block.done);
    block.done += bytes.length;
    block.onBytes(block.done);
    collect(bytes.length);
    await session.connection.pacer.afterReceiving(bytes.length, block.signal);
  }
  if (block.done !== block.length) throw new TypeError('the connection was cut');
}

/** A nearly full disk accepts part of a write and reports an error only for the next one. */
async function writeWhole(file: FileHandle, bytes: Buffer, start: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, start + at);
    at += bytesWritten;
  }
}

function concurrencyOf({ settings }: Session, remote: Remote): Concurrency {
  if (!remote.mayDivide) return fixedConcurrency(1);
  return settings.parallel === null ? adaptiveConcurrency(mostConnections) : fixedConcurrency(settings.parallel);
}

export function refusal(status: number, retryAfter?: string): Failure {
  const hint = retryAfter === undefined ? {} : { hint: `Try again in ${retryAfter} seconds.` };
  if (status === 401)
    return new Failure(exitCodes.notSignedIn, 'the server wants to know who you are', {
      code: 'not_signed_in',
      hint: 'Run `waybill login`.',
    });
  if (status === 403)
    return new Failure(exitCodes.notPermitted, 'you may not download this', { code: 'download.not_permitted' });
  if (status === 404 || status === 410)
    return new Failure(exitCodes.notFound, 'there is nothing at this address any more', { code: 'download.gone' });
  if (status === 429) return new Failure(exitCodes.network, 'the server is busy', { code: 'server.busy', ...hint });
  if (status === 503)
    return new Failure(exitCodes.network, 'the server cannot give the file now', {
      code: 'server.unavailable',
      ...hint,
    });
  return new Failure(exitCodes.serverError, `the server answered with status ${status}`, { code: 'server.error' });
}

async function hashOf(file: FileHandle, sizeBytes: number): Promise<string> {
  await file.truncate(sizeBytes);
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(1024 * 1024);
  for (let at = 0; at < sizeBytes; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest('hex');
}

/** RFC 9530. */
export function digestOf(header: string | undefined): string | null {
  const match = /(?:^|,\s*)sha-256=:([A-Za-z0-9+/=]+):/.exec(header ?? '');
  return match === null ? null : Buffer.from(match[1]!, 'base64').toString('hex');
}

export function nameOf(disposition: string | undefined): string | null {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '');
  if (extended !== null) {
    try {
      return decodeURIComponent(extended[1]!);
    } catch {
      return null;
    }
  }
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition ?? '')?.[1]?.replace(/\\(.)/g, '$1') ?? null;
}
