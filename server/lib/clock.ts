// Sources of time. The system's own, one that never goes back (security D22), and one for tests that only moves when
// told. Instants are milliseconds since the epoch.

/** Fits the `Clock` port. */
export interface TimeSource {
  now(): number;
}

export interface SteadyClock extends TimeSource {
  /** Another process, or the stored mark, has seen this instant: never answer an earlier one. */
  raise(instant: number): void;
}

export interface ManualClock extends TimeSource {
  advance(ms: number): void;
  /** Also backwards: that is how a clock set back is tested. */
  set(instant: number): void;
}

export function systemClock(): TimeSource {
  return { now: () => Date.now() };
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
  return {
    now: () => instant,
    advance(ms) {
      instant += ms;
    },
    set(to) {
      instant = to;
    },
  };
}
