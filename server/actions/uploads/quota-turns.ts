// The order of one person's uploads that announce no length, in this process: when they fill the room together, the one
// that came first waits for later ones, which are refused, so that not all of them fail for each other's sake. Decides
// nothing about room: the database alone says what fits.
import type { Ctx } from '../context.ts';

export interface Turn {
  /** True once a later upload has ended, false after a while; null for one that is not the first, or is alone. */
  laterEnded(): Promise<boolean> | null;
  /** Its room is given back or has become stored bytes. Safe to call twice. */
  end(): void;
}

/** A later upload that comes slowly must not hold up the first one for ever. */
const waitLimitMs = 30_000;

type Waiting = { wake: () => void };
const lines = new WeakMap<Ctx['db'], Map<string, Set<Waiting>>>();

export function takeTurn({ db }: Pick<Ctx, 'db'>, ownerId: string): Turn {
  const owners = lines.get(db) ?? new Map<string, Set<Waiting>>();
  lines.set(db, owners);
  const line = owners.get(ownerId) ?? new Set();
  owners.set(ownerId, line);
  const self: Waiting = { wake() {} };
  line.add(self);
  const isFirst = () => line.values().next().value === self;
  return {
    laterEnded() {
      if (!isFirst() || line.size === 1) return null;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => resolve(false), waitLimitMs).unref();
      self.wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
      return promise;
    },
    end() {
      if (!line.delete(self)) return;
      self.wake();
      line.values().next().value?.wake();
      if (line.size === 0) owners.delete(ownerId);
    },
  };
}
