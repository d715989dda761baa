// A blob store that counts running uploads, and fails or is full on request.

import type { StoreState, Vault } from '#server/domain/ports.ts';
import { assertInside } from './outside.ts';

export interface WatchedUploads {
  wrap(vault: Vault): Vault;
  /** Resolves when this many uploads have reached the store. */
  receiving(count: number): Promise<void>;
  idle(): Promise<void>;
  state: StoreState | null;
  /** Thrown by every upload after its first bytes; null for none. */
  fault: Error | null;
}

export function watchUploads(): WatchedUploads {
  let running = 0;
  const waiting = new Set<{ isMet: () => boolean; resolve: () => void }>();
  const changeBy = (difference: number) => {
    running += difference;
    for (const waiter of waiting) {
      if (!waiter.isMet()) continue;
      waiting.delete(waiter);
      waiter.resolve();
    }
  };
  const when = (isMet: () => boolean): Promise<void> =>
    isMet() ? Promise.resolve() : new Promise((resolve) => waiting.add({ isMet, resolve }));
  let state: StoreState | null = null;
  let fault: Error | null = null;
  const watched: WatchedUploads = {
    get state() {
      return state;
    },
    set state(next) {
      if (next !== null) assertInside();
      state = next;
    },
    get fault() {
      return fault;
    },
    set fault(next) {
      if (next !== null) assertInside();
      fault = next;
    },
    async receiving(count) {
      assertInside();
      await when(() => running >= count);
    },
    async idle() {
      assertInside();
      await when(() => running === 0);
    },
    wrap: (vault) => ({
      ...vault,
      state: async () => state ?? vault.state(),
      async receive(blob, body, options = {}) {
        changeBy(1);
        const thrown = fault;
        const onBytes = (count: number) => {
          if (thrown !== null) throw thrown;
          return options.onBytes?.(count);
        };
        try {
          return await vault.receive(blob, body, { ...options, onBytes });
        } finally {
          changeBy(-1);
        }
      },
    }),
  };
  return watched;
}
