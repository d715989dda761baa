// Clocks: the system's, one checked against another, a monotonic one, and one for tests. Instants are milliseconds
// since the epoch.

export interface TimeSource {
  now(): number;
}

export interface BaseClock extends TimeSource {
  /** Milliseconds from an arbitrary start; never decreases. */
  monotonic(): number;
}

export interface SteadyClock extends TimeSource {
  /** Never returns an instant earlier than this one, which another process or the stored mark has seen. */
  raise(instant: number): void;
  /** The operator has confirmed that the recorded time was wrong: continue from this instant. */
  restartFrom(instant: number): void;
}

/** A wall clock that is compared with another one; in between it follows the monotonic clock. */
export interface CheckedClock extends BaseClock {
  /** `reference`: the other clock's current time. */
  compare(reference: number): void;
  /** How far the wall clock is ahead of the other one; below 0 if behind, 0 before a comparison. */
  aheadMs(): number;
}

export interface ManualClock extends BaseClock {
  /** Advances both clocks. */
  advance(ms: number): void;
  /** Sets the wall clock only, also backwards. */
  set(instant: number): void;
}

export function systemClock(): BaseClock {
  // Databases refuse fractions.
  return { now: () => Date.now(), monotonic: () => Math.floor(performance.now()) };
}

/** Setting the machine's clock back must never revive what has expired. */
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

/** `now` stays within the tolerance of the last compared clock. */
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
