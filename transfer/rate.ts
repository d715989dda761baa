// How fast it goes and how long it will take, from what has left lately. Says nothing for the first seconds, and never
// makes the rest jump up without admitting that it has become slower. Survives clocks that jump.

export interface Estimate {
  bytesPerSecond: number;
  secondsLeft: number;
  /** The rest has grown by more than half since the last estimate. */
  isSlower: boolean;
}

export interface RateMeter {
  /** Bytes sent so far, all in all. */
  note(sentBytes: number, nowMs: number): void;
  estimate(remainingBytes: number): Estimate | null;
  /** After a pause: what was before tells nothing of what comes. */
  reset(): void;
}

const windowMs = 15_000;
/** No estimate before this much time has been observed. */
const leastObservedMs = 3_000;
/** Points closer together than this are one. */
const stepMs = 250;

export function createRateMeter(): RateMeter {
  let points: { bytes: number; at: number }[] = [];
  let lastSecondsLeft: number | null = null;

  const reset = () => {
    points = [];
    lastSecondsLeft = null;
  };

  return {
    reset,
    note(bytes, at) {
      const last = points.at(-1);
      // A clock set back, or a file started over: the old points would make nonsense of the new ones.
      if (last && (at < last.at || bytes < last.bytes)) reset();
      if (points.length > 1 && at - points.at(-2)!.at < stepMs) points.pop();
      points.push({ bytes, at });
      while (points.length > 2 && at - points[0]!.at > windowMs) points.shift();
    },
    estimate(remainingBytes) {
      const first = points[0];
      const last = points.at(-1);
      if (!first || !last || last.at - first.at < leastObservedMs || last.bytes === first.bytes) return null;
      const bytesPerSecond = ((last.bytes - first.bytes) * 1_000) / (last.at - first.at);
      const secondsLeft = remainingBytes / bytesPerSecond;
      const isSlower = lastSecondsLeft !== null && secondsLeft > lastSecondsLeft * 1.5;
      lastSecondsLeft = secondsLeft;
      return { bytesPerSecond, secondsLeft, isSlower };
    },
  };
}
