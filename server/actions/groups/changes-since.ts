// Changes of a group's settings, from its events.
import { listEventsOf, type RecordedEvent } from '../../db/events/events.ts';
import type { Query } from '../../db/schema/schema.ts';
import { listUserEmails } from '../../db/users/users.ts';
import type { ConflictingChange } from '../../domain/problem.ts';

export interface HistoryEntry {
  /** Number of the event. */
  number: number;
  at: number;
  /** E-mail address, or the id of a deleted user. */
  by: string;
  action: 'created' | 'changed';
  /** `from` is null for a new group. */
  changes: { setting: string; from: unknown; to: unknown }[];
}

const pageSize = 50;

/** Per setting: the value at that version, the current value, and its author. */
export async function changesSince(db: Query, id: string, version: number): Promise<ConflictingChange[]> {
  const found = new Map<string, ConflictingChange>();
  let beforeSeq: number | null = null;
  for (;;) {
    const page = { size: pageSize, beforeSeq };
    const events: RecordedEvent[] = await listEventsOf(db, { kind: 'group', id }, ['group.changed'], page);
    const later = events.filter((event) => versionAfter(event) > version);
    for (const { changes, by, at } of await entriesOf(db, later))
      for (const { setting, from, to } of changes) {
        const newer = found.get(setting);
        if (newer === undefined) found.set(setting, { setting, from, to, by, at });
        else newer.from = from;
      }
    if (events.length < pageSize || later.length < events.length) break;
    beforeSeq = events.at(-1)!.seq;
  }
  return [...found.values()].filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}

/** Events without a version count as version 1. */
function versionAfter({ facts }: RecordedEvent): number {
  const { to = 1 } = (facts.version ?? {}) as { to?: number };
  return to;
}

export async function entriesOf(db: Query, events: RecordedEvent[]): Promise<HistoryEntry[]> {
  const emails = await listUserEmails(db, [...new Set(events.map(({ actorId }) => actorId))]);
  return events.map(({ seq, at, actorId, action, facts }) => ({
    number: seq,
    at,
    by: emails.get(actorId) ?? actorId,
    action: action === 'group.created' ? 'created' : 'changed',
    changes: Object.entries(facts)
      .filter(([setting]) => setting !== 'version')
      .map(([setting, value]) =>
        action === 'group.created'
          ? { setting, from: null, to: value }
          : { setting, ...(value as { from: unknown; to: unknown }) },
      ),
  }));
}
