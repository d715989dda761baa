export interface BackupSchedule {
  /** Minutes after midnight in the installation's time zone. */
  minuteOfDay: number;
  /** The last snapshot per day for this many days, */
  keepDays: number;
  /** plus one per week for this many weeks. */
  keepWeeks: number;
  /** 0 for none. */
  restoreTestEveryMs: number;
}

export type BackupRunKind = 'backup' | 'drill';

export interface BackupRun {
  kind: BackupRunKind;
  startedAt: number;
  finishedAt: number;
  /** Null on success. */
  failure: string | null;
  snapshotId: string;
  files: number;
  bytes: number;
}

const dayMs = 86_400_000;
/** 1 January 1970 was a Thursday; weeks begin on Monday. */
const firstMondayMs = 4 * dayMs;

export interface KeptSnapshot {
  madeAt: number;
  /** A snapshot without files never replaces one with files. */
  hasFiles: boolean;
}

/**
 * The newest of each period, and the newest of all. Snapshots from the future, made while the clock was ahead, replace
 * none.
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

/** `today.start` is midnight in the zone. */
export function isBackupDue(lastStartedAt: number | null, now: number, today: { start: number; minuteOfDay: number }) {
  const todaysTurn = today.start + today.minuteOfDay * 60_000;
  const lastTurn = now >= todaysTurn ? todaysTurn : todaysTurn - dayMs;
  return lastStartedAt === null || lastStartedAt < lastTurn;
}

export function isRestoreTestDue(lastStartedAt: number | null, now: number, everyMs: number): boolean {
  return everyMs > 0 && (lastStartedAt === null || now - lastStartedAt >= everyMs);
}
