// Stores data under `waybill:<user id>:`, so that signing out can remove it.
import { clearStorage, durableStorage } from '../uploads/durable-storage.ts';

/** Drafts are offered this long; settings stay. */
export const draftLifetimeMs = 7 * 24 * 3_600_000;

function nameOf(personId: string, name: string): string {
  return `waybill:${personId}:${name}`;
}

/** Null if missing, older than `lifetimeMs`, or without storage. */
export function readStored<Value>(
  personId: string,
  name: string,
  lifetimeMs = Number.POSITIVE_INFINITY,
): { value: Value; keptAt: number } | null {
  try {
    const stored = JSON.parse(durableStorage()?.getItem(nameOf(personId, name)) ?? 'null') as {
      value: Value;
      keptAt: number;
    } | null;
    return stored !== null && Date.now() - stored.keptAt < lifetimeMs ? stored : null;
  } catch {
    return null;
  }
}

/** Null removes it. */
export function writeStored(personId: string, name: string, value: unknown): void {
  try {
    if (value === null) durableStorage()?.removeItem(nameOf(personId, name));
    else durableStorage()?.setItem(nameOf(personId, name), JSON.stringify({ value, keptAt: Date.now() }));
  } catch {
    // Storage is full or forbidden.
  }
}

export function clearStored(personId: string): Promise<void> {
  const start = nameOf(personId, '');
  return clearStorage((name) => name.startsWith(start), start);
}
