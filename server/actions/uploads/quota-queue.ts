// Orders one user's uploads of unannounced length in this process: when they fill the quota together, the first waits
// while later ones are refused, so that not all of them fail.
import type { Ctx } from '../context.ts';

export interface QueuePlace {
  /** True once a later upload has ended, false after a timeout; null unless first and not alone. */
  laterEnded(): Promise<boolean> | null;
  /** Idempotent. */
  end(): void;
}

const waitLimitMs = 30_000;

type Waiting = { wake: () => void };
const queues = new WeakMap<Ctx['db'], Map<string, Set<Waiting>>>();

export function joinQueue({ db }: Pick<Ctx, 'db'>, ownerId: string): QueuePlace {
  const owners = queues.get(db) ?? new Map<string, Set<Waiting>>();
  queues.set(db, owners);
  const queue = owners.get(ownerId) ?? new Set();
  owners.set(ownerId, queue);
  const self: Waiting = { wake() {} };
  queue.add(self);
  const isFirst = () => queue.values().next().value === self;
  return {
    laterEnded() {
      if (!isFirst() || queue.size === 1) return null;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => resolve(false), waitLimitMs).unref();
      self.wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
      return promise;
    },
    end() {
      if (!queue.delete(self)) return;
      self.wake();
      queue.values().next().value?.wake();
      if (queue.size === 0) owners.delete(ownerId);
    },
  };
}
