// SHA-256 over bytes that arrive in several requests. A state that was handed out never changes: continuing from it
// works on a copy, so a request that fails half-way or is repeated does no harm.
import { createHash, type Hash } from 'node:crypto';
import type { RunningHash } from '#server/domain/ports.ts';

// The hash is not a property of the object, so that no caller can update it.
const states = new WeakMap<RunningHash, Hash>();

/** A hash that may be updated freely, as the continuation of an earlier state or from the beginning. */
export function continueHash(after: RunningHash | 'start'): Hash {
  if (after === 'start') return createHash('sha256');
  const state = states.get(after);
  if (!state) throw new TypeError('not a running hash of this process');
  return state.copy();
}

/** Freezes the present state of a hash. */
export function freezeHash(hash: Hash): RunningHash {
  const state = hash.copy();
  const running: RunningHash = Object.freeze({ digest: () => state.copy().digest('hex') });
  states.set(running, state);
  return running;
}
