// When a backup or a drill is due, which snapshots are kept, and what is remembered of a run. Pure.

export interface BackupSchedule {
  /** Time of day in the zone of the installation, in minutes after midnight. */
  minuteOfDay: number;
  /** The last snapshot of each of this many days, */
  keepDays: number;
  /** and of each of this many weeks. */
  keepWeeks: number;
  /** Milliseconds between drills; 0 for none. */
  drillEveryMs: number;
}

export type BackupRunKind = 'backup' | 'drill';

/** What is kept of a backup or a drill, for the console and for alerts. */
export interface BackupRun {
  kind: BackupRunKind;
  startedAt: number;
  finishedAt: number;
  /** Null when it went well. */
  failure: string | null;
  snapshotId: string;
  files: number;
  bytes: number;
}

const dayMs = 86_400_000;
/** 1 January 1970 was a Thursday; weeks begin on Monday. */
const firstMondayMs = 4 * dayMs;

/** What the retention rule reads of a snapshot. */
export interface KeptSnapshot {
  madeAt: number;
  /** False for the database alone, which never takes the place of one that has the files too. */
  hasFiles: boolean;
}

/**
 * Those to keep: the newest of each of the last days and weeks that have any, and always the newest of all. One from the
 * future, which a clock that was ahead has made, is kept and takes the place of no other.
 */
export function snapshotsToKeep(
  snapshots: readonly KeptSnapshot[],
  { keepDays, keepWeeks }: Pick<BackupSchedule, 'keepDays' | 'keepWeeks'>,
  now: number,
): Set<number> {
  const [made, future] = [
    snapshots.filter(({ madeAt }) => madeAt <= now),
    snapshots.filter(({ madeAt }) => madeAt > now),
  ];
  const newestFirst = made.toSorted((one, other) => other.madeAt - one.madeAt);
  const kept = new Set(future.map(({ madeAt }) => madeAt));
  const keepNewest = (among: readonly KeptSnapshot[]) => {
    for (const one of [among[0], among.find(({ hasFiles }) => hasFiles)]) if (one !== undefined) kept.add(one.madeAt);
  };
  const keepNewestOf = (periodOf: (instant: number) => number, periods: number) => {
    const byPeriod = Map.groupBy(newestFirst, ({ madeAt }) => periodOf(madeAt));
    for (const among of [...byPeriod.values()].slice(0, periods)) keepNewest(among);
  };
  keepNewest(newestFirst);
  keepNewestOf((instant) => Math.floor(instant / dayMs), keepDays);
  keepNewestOf((instant) => Math.floor((instant - firstMondayMs) / (7 * dayMs)), keepWeeks);
  return kept;
}

/** Whether the time of day has passed since the last attempt began. `startOfToday` is midnight in the zone. */
export function isBackupDue(lastStartedAt: number | null, now: number, today: { start: number; minuteOfDay: number }) {
  const todaysTurn = today.start + today.minuteOfDay * 60_000;
  const lastTurn = now >= todaysTurn ? todaysTurn : todaysTurn - dayMs;
  return lastStartedAt === null || lastStartedAt < lastTurn;
}

export function isDrillDue(lastStartedAt: number | null, now: number, everyMs: number): boolean {
  return everyMs > 0 && (lastStartedAt === null || now - lastStartedAt >= everyMs);
}
