// Starts with 2 parallel chunks and adds more while throughput grows.

export interface Concurrency {
  current(): number;
  record(bytes: number, nowMs: number): void;
}

const steps = [2, 3, 4, 6, 8];
/** A smaller gain is noise. */
const minGain = 1.1;
/** A level is measured for at least this many chunks and `minMs`. */
const chunksPerConnection = 3;
const minMs = 500;

export function adaptiveConcurrency(max: number): Concurrency {
  const allowed = steps.filter((step) => step <= max);
  let step = 0;
  let isFinal = false;
  let best = 0;
  let since: number | null = null;
  let chunks = 0;
  let bytes = 0;
  const current = () => allowed[step] ?? 1;
  return {
    current,
    record(arrivedBytes, nowMs) {
      if (isFinal) return;
      // Do not time the first chunk: it started at the previous concurrency.
      if (since === null) {
        since = nowMs;
        return;
      }
      chunks += 1;
      bytes += arrivedBytes;
      const tookMs = nowMs - since;
      if (chunks < current() * chunksPerConnection || tookMs < minMs) return;
      const rate = bytes / tookMs;
      const hasGained = rate > best * minGain;
      if (hasGained) best = rate;
      else step -= 1;
      isFinal = !hasGained || step === allowed.length - 1;
      if (hasGained && !isFinal) step += 1;
      [since, chunks, bytes] = [null, 0, 0];
    },
  };
}

export function fixedConcurrency(concurrency: number): Concurrency {
  return { current: () => concurrency, record() {} };
}
