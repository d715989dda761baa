// What the app keeps in this browser for one person (drafts, unfinished uploads, views of tables), always below
// `waybill:<id of the person>:`, so that signing out can take it all away (experience 4.6).
import { deleteHandles } from '../uploads/handles.ts';

/** How long drafts are offered again; settings, such as the columns of a table, stay. */
export const draftLifetimeMs = 7 * 24 * 3_600_000;

function nameOf(personId: string, name: string): string {
  return `waybill:${personId}:${name}`;
}

/** Null when there is none, it is older than `lifetimeMs`, or the browser gives no storage. */
export function readKept<Value>(
  personId: string,
  name: string,
  lifetimeMs = Number.POSITIVE_INFINITY,
): { value: Value; keptAt: number } | null {
  try {
    const kept = JSON.parse(localStorage.getItem(nameOf(personId, name)) ?? 'null') as {
      value: Value;
      keptAt: number;
    } | null;
    return kept !== null && Date.now() - kept.keptAt < lifetimeMs ? kept : null;
  } catch {
    return null;
  }
}

/** Null takes it away. */
export function keep(personId: string, name: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(nameOf(personId, name));
    else localStorage.setItem(nameOf(personId, name), JSON.stringify({ value, keptAt: Date.now() }));
  } catch {
    // Full or forbidden: then nothing is kept.
  }
}

export async function forgetPerson(personId: string): Promise<void> {
  const handles = deleteHandles(nameOf(personId, ''));
  try {
    const names = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '');
    for (const name of names) if (name.startsWith(nameOf(personId, ''))) localStorage.removeItem(name);
  } catch {
    // Nothing was kept, then.
  }
  await handles;
}
