// Clocks. Instants are milliseconds since the epoch.

export interface TimeSource {
  now(): number;
}

export interface BaseClock extends TimeSource {
  /** Never decreases. */
  monotonic(): number;
}

export interface SteadyClock extends TimeSource {
  /** `now` returns no earlier instant any more. */
  raise(instant: number): void;
  /** The operator has confirmed that the recorded time was wrong. */
  restartFrom(instant: number): void;
}

/** Compared with another clock; in between it follows the monotonic clock. */
export interface CheckedClock extends BaseClock {
  compare(reference: number): void;
  /** Below 0 if behind, 0 before a comparison. */
  aheadMs(): number;
}

export interface ManualClock extends BaseClock {
  advance(ms: number): void;
  /** The wall clock only, also backwards. */
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
