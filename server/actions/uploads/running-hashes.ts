// SHA-256 over pieces that come in order to the same process, kept between requests, so that a finished upload need not
// be read again. Only a help: another process, or pieces out of order, and sealing reads the file instead.
import type { RunningHash } from '../../domain/ports.ts';
import type { Ctx } from '../context.ts';

interface Chain {
  hash: RunningHash;
  /** SHA-256 of each piece it covers, to be compared with what was stored in the end. */
  pieces: string[];
}

/** More running uploads than this in one process: the oldest chains are dropped. */
const maxChains = 2000;
const chains = new WeakMap<Ctx['blobs'], Map<string, Chain>>();

function chainsOf(ctx: Ctx): Map<string, Chain> {
  const map = chains.get(ctx.blobs) ?? new Map<string, Chain>();
  chains.set(ctx.blobs, map);
  return map;
}

/** The hash this piece continues; `start` for the first; null when the chain does not reach it. */
export function chainBefore(ctx: Ctx, uploadId: string, piece: number): RunningHash | 'start' | null {
  if (piece === 0) return 'start';
  const chain = chainsOf(ctx).get(uploadId);
  return chain !== undefined && chain.pieces.length === piece ? chain.hash : null;
}

/** Remembers the hash after a piece that was stored. */
export function keepChain(
  ctx: Ctx,
  uploadId: string,
  { number, sha256, hash }: { number: number; sha256: string; hash: RunningHash },
): void {
  const map = chainsOf(ctx);
  const before = number === 0 ? [] : map.get(uploadId)?.pieces.slice(0, number);
  if (before === undefined || before.length !== number) return;
  map.delete(uploadId);
  map.set(uploadId, { hash, pieces: [...before, sha256] });
  if (map.size > maxChains) map.delete(map.keys().next().value!);
}

/** The digest of the whole, only if the chain covers exactly the pieces that were stored. */
export function chainDigest(
  ctx: Ctx,
  uploadId: string,
  stored: string[],
  last: { sha256: string; hash: RunningHash | null },
): string | null {
  if (last.hash === null) return null;
  const pieces = stored.length === 1 ? [] : (chainsOf(ctx).get(uploadId)?.pieces ?? []);
  const covered = [...pieces.slice(0, stored.length - 1), last.sha256];
  const isWhole = covered.length === stored.length && covered.every((sha256, index) => sha256 === stored[index]);
  return isWhole ? last.hash.digest() : null;
}

export function forgetChain(ctx: Ctx, uploadId: string): void {
  chainsOf(ctx).delete(uploadId);
}
