// Sources of time. The system's own, one that is checked against another, one that never goes back (security D22), and one
// for tests that moves only when set. Instants are milliseconds since the epoch.

export interface TimeSource {
  now(): number;
}

/** A wall clock and a monotonic clock. */
export interface BaseClock extends TimeSource {
  /** Milliseconds from an arbitrary start, only ever forward and at an even pace. */
  monotonic(): number;
}

export interface SteadyClock extends TimeSource {
  /** Another process, or the stored mark, has seen this instant: never return an earlier one. */
  raise(instant: number): void;
  /** The operator has confirmed that the recorded time was wrong: continue from the given one. */
  restartFrom(instant: number): void;
}

/** A wall clock that follows another one: between two looks at it, only as much time passes as the second hand says. */
export interface CheckedClock extends BaseClock {
  /** What the other clock says at this moment. */
  compare(reference: number): void;
  /** How far the wall clock is ahead of the other one; below 0 when behind, 0 while nothing was compared. */
  aheadMs(): number;
}

export interface ManualClock extends BaseClock {
  /** Time passes: both hands move. */
  advance(ms: number): void;
  /** Sets the wall clock, also backwards; no time passes. */
  set(instant: number): void;
}

export function systemClock(): BaseClock {
  // Whole milliseconds, as everywhere: databases refuse fractions.
  return { now: () => Date.now(), monotonic: () => Math.floor(performance.now()) };
}

/** Time for deciding what to serve: setting the machine's clock back never revives what has expired. */
export function steadyClock(base: TimeSource, highWater: number): SteadyClock {
  let latest = highWater;
  return {
    now() {
      latest = Math.max(latest, base.now());
      return latest;
    },
    raise(instant) {
      latest = Math.max(latest, instant);
    },
    restartFrom(instant) {
      latest = instant;
    },
  };
}

/** However the wall clock is set, `now` stays within the tolerance of the clock that it was last compared with. */
export function checkedClock(base: BaseClock, toleranceMs: number): CheckedClock {
  let offset: number | null = null;
  const expected = () => (offset === null ? base.now() : base.monotonic() + offset);
  return {
    monotonic: base.monotonic,
    now() {
      const instant = expected();
      return Math.min(Math.max(base.now(), instant - toleranceMs), instant + toleranceMs);
    },
    compare(reference) {
      offset = reference - base.monotonic();
    },
    aheadMs: () => base.now() - expected(),
  };
}

export function manualClock(start: number): ManualClock {
  let instant = start;
  let elapsedMs = 0;
  return {
    now: () => instant,
    monotonic: () => elapsedMs,
    advance(ms) {
      instant += ms;
      elapsedMs += ms;
    },
    set(to) {
      instant = to;
    },
  };
}
