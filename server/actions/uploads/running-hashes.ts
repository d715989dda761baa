// Keeps SHA-256 states between requests while chunks arrive in order in one process, so that sealing need not read the
// file again.
import type { RunningHash } from '../../domain/ports.ts';
import type { Ctx } from '../context.ts';

interface Chain {
  hash: RunningHash;
  /** SHA-256 of each covered chunk. */
  chunks: string[];
}

/** Beyond this, the oldest are dropped. */
const maxChains = 2000;
const chains = new WeakMap<Ctx['blobs'], Map<string, Chain>>();

function chainsOf(ctx: Ctx): Map<string, Chain> {
  const map = chains.get(ctx.blobs) ?? new Map<string, Chain>();
  chains.set(ctx.blobs, map);
  return map;
}

/** `start` for the first chunk; null if the chain does not reach this one. */
export function chainBefore(ctx: Ctx, uploadId: string, chunk: number): RunningHash | 'start' | null {
  if (chunk === 0) return 'start';
  const chain = chainsOf(ctx).get(uploadId);
  return chain !== undefined && chain.chunks.length === chunk ? chain.hash : null;
}

export function saveChain(
  ctx: Ctx,
  uploadId: string,
  { number, sha256, hash }: { number: number; sha256: string; hash: RunningHash },
): void {
  const map = chainsOf(ctx);
  const before = number === 0 ? [] : map.get(uploadId)?.chunks.slice(0, number);
  if (before === undefined || before.length !== number) return;
  map.delete(uploadId);
  map.set(uploadId, { hash, chunks: [...before, sha256] });
  if (map.size > maxChains) map.delete(map.keys().next().value!);
}

/** Null unless the chain covers exactly the stored chunks. */
export function chainDigest(
  ctx: Ctx,
  uploadId: string,
  stored: string[],
  last: { sha256: string; hash: RunningHash | null },
): string | null {
  if (last.hash === null) return null;
  const chunks = stored.length === 1 ? [] : (chainsOf(ctx).get(uploadId)?.chunks ?? []);
  const covered = [...chunks.slice(0, stored.length - 1), last.sha256];
  const isWhole = covered.length === stored.length && covered.every((sha256, index) => sha256 === stored[index]);
  return isWhole ? last.hash.digest() : null;
}

export function dropChain(ctx: Ctx, uploadId: string): void {
  chainsOf(ctx).delete(uploadId);
}
