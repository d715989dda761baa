// SHA-256 over bytes of several requests. A returned state never changes: continuing works on a copy, so a request may
// fail or be repeated.
import { createHash, type Hash } from 'node:crypto';
import type { RunningHash } from '#server/domain/ports.ts';

// Not a property, so that no caller can update it.
const states = new WeakMap<RunningHash, Hash>();

/** A hash that may be updated, after an earlier state or from the start. */
export function continueHash(after: RunningHash | 'start'): Hash {
  if (after === 'start') return createHash('sha256');
  const state = states.get(after);
  if (!state) throw new TypeError('not a running hash of this process');
  return state.copy();
}

export function freezeHash(hash: Hash): RunningHash {
  const state = hash.copy();
  const running: RunningHash = Object.freeze({ digest: () => state.copy().digest('hex') });
  states.set(running, state);
  return running;
}
