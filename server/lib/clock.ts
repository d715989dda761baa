// Sources of time. The system's own, one that never goes back (security D22), and one for tests that only moves when
// told. Instants are milliseconds since the epoch.

export interface TimeSource {
  now(): number;
}

/** A wall clock with a second hand that nobody can set. */
export interface BaseClock extends TimeSource {
  /** Milliseconds from an arbitrary start, only ever forward and at an even pace. */
  monotonic(): number;
}

export interface SteadyClock extends TimeSource {
  /** Another process, or the stored mark, has seen this instant: never answer an earlier one. */
  raise(instant: number): void;
}

export interface ManualClock extends BaseClock {
  /** Time passes: both hands move. */
  advance(ms: number): void;
  /** Somebody sets the wall clock, also backwards; no time passes. */
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
