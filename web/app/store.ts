// In components use `useSyncExternalStore(store.listen, store.read)`.

export interface Store<Value> {
  read(): Value;
  change(next: (now: Value) => Value): void;
  /** Returns the function that removes the listener. */
  listen(listener: () => void): () => void;
}

export function createStore<Value>(first: Value): Store<Value> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    read: () => value,
    change(next) {
      const changed = next(value);
      if (Object.is(changed, value)) return;
      value = changed;
      for (const listener of [...listeners]) listener();
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
