// Finds entries whose time is well before that of an earlier entry: a clock ran backwards, or times were changed.
const toleranceMs = 60_000;

export interface EntryTimes {
  /** Entries in the order of the log. Returns a sentence for the first one that runs backwards in a row of them. */
  check(entry: { seq: number; at: number }): string | null;
  /** The latest time so far. */
  latest(): number;
}

export function createEntryTimes(latestBefore = 0): EntryTimes {
  let latest = latestBefore;
  let isBackwards = false;
  return {
    check({ seq, at }) {
      const wasBackwards = isBackwards;
      isBackwards = at < latest - toleranceMs;
      const behindMs = latest - at;
      latest = Math.max(latest, at);
      if (!isBackwards || wasBackwards) return null;
      return `Event ${seq} has the time ${new Date(at).toISOString()}, ${Math.floor(behindMs / 60_000)} minutes before an earlier event: a clock ran backwards, or times were changed.`;
    },
    latest: () => latest,
  };
}
