// Estimates from the last 15 s. Tolerates clocks that jump.

export interface Estimate {
  bytesPerSecond: number;
  secondsLeft: number;
  isSlower: boolean;
}

export interface RateMeter {
  note(sentBytes: number, nowMs: number): void;
  estimate(remainingBytes: number): Estimate | null;
  reset(): void;
}

const windowMs = 15_000;
const minObservedMs = 3_000;
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
      // The clock was set back, or a file started over.
      if (last && (at < last.at || bytes < last.bytes)) reset();
      if (points.length > 1 && at - points.at(-2)!.at < stepMs) points.pop();
      points.push({ bytes, at });
      while (points.length > 2 && at - points[0]!.at > windowMs) points.shift();
    },
    estimate(remainingBytes) {
      const first = points[0];
      const last = points.at(-1);
      if (!first || !last || last.at - first.at < minObservedMs || last.bytes === first.bytes) return null;
      const bytesPerSecond = ((last.bytes - first.bytes) * 1_000) / (last.at - first.at);
      const secondsLeft = remainingBytes / bytesPerSecond;
      const isSlower = lastSecondsLeft !== null && secondsLeft > lastSecondsLeft * 1.5;
      lastSecondsLeft = secondsLeft;
      return { bytesPerSecond, secondsLeft, isSlower };
    },
  };
}
