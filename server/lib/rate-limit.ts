// Rate limits in memory. Clients choose keys, so every map is bounded and drops the least recently used.
import { createHash } from 'node:crypto';
import { networkOfIp } from './ip.ts';

export type Verdict = { ok: true } | { ok: false; retryAfterSeconds: number };

export interface Bucket {
  take(key: string, now: number, cost?: number): Verdict;
}

export interface Counter {
  /** Counts nothing. */
  check(key: string, now: number): Verdict;
  /** Refused if the limit was already reached. */
  hit(key: string, now: number): Verdict;
  forget(key: string): void;
}

export interface InFlight {
  /** Null at the limit; else an idempotent function that leaves. */
  enter(key: string): (() => void) | null;
  count(key: string): number;
}

const DEFAULT_MAX_KEYS = 20_000;
const MAX_KEY_CHARS = 100;
const ALLOWED: Verdict = { ok: true };

/** `burst` tokens per key, refilled at `perMinute`. */
export function createBucket(options: { perMinute: number; burst: number; maxKeys?: number }): Bucket {
  const { perMinute, burst } = options;
  const buckets = createRecentMap<{ tokens: number; updatedAt: number }>(options.maxKeys ?? DEFAULT_MAX_KEYS);
  return {
    take(key, now, cost = 1) {
      const bucket = buckets.get(key) ?? { tokens: burst, updatedAt: now };
      const refill = (Math.max(0, now - bucket.updatedAt) / 60_000) * perMinute;
      const tokens = Math.min(burst, bucket.tokens + refill);
      const ok = tokens >= cost;
      // A clock that was ahead must not stop the refill.
      buckets.set(key, { tokens: ok ? tokens - cost : tokens, updatedAt: now });
      return ok ? ALLOWED : refusal(((cost - tokens) / perMinute) * 60_000);
    },
  };
}

/**
 * An exact sliding window. With `blockMs`, exceeding it blocks the key for that long. Stores up to `limit` instants per
 * key.
 */
export function createCounter(options: {
  limit: number;
  windowMs: number;
  blockMs?: number;
  maxKeys?: number;
}): Counter {
  const { limit, windowMs, blockMs = 0 } = options;
  const entries = createRecentMap<{ hits: number[]; blockedUntil: number }>(options.maxKeys ?? DEFAULT_MAX_KEYS);

  function judge(key: string, now: number, counts: boolean): Verdict {
    const entry = entries.get(key) ?? { hits: [], blockedUntil: 0 };
    const waitMs = entry.blockedUntil - now;
    // A longer wait means that the clock was ahead.
    if (waitMs > 0 && waitMs <= Math.max(windowMs, blockMs)) return refusal(waitMs);
    const hits = entry.hits.filter((at) => at > now - windowMs && at <= now);
    if (hits.length < limit) {
      if (counts) entries.set(key, { hits: [...hits, now], blockedUntil: 0 });
      return ALLOWED;
    }
    const blockedUntil = Math.max(hits[0]! + windowMs, now + blockMs);
    if (blockMs > 0 && counts) entries.set(key, { hits, blockedUntil });
    return refusal(blockedUntil - now);
  }

  return {
    check: (key, now) => judge(key, now, false),
    hit: (key, now) => judge(key, now, true),
    forget: (key) => entries.delete(key),
  };
}

/** Holds only keys in use. `gauge` counts all. */
export function createInFlight(limit: number, gauge: { value: number } = { value: 0 }): InFlight {
  const running = new Map<string, number>();
  return {
    enter(longKey) {
      const key = shortKey(longKey);
      const count = running.get(key) ?? 0;
      if (count >= limit) return null;
      running.set(key, count + 1);
      gauge.value += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        gauge.value -= 1;
        const now = running.get(key)!;
        if (now === 1) running.delete(key);
        else running.set(key, now - 1);
      };
    },
    count: (key) => running.get(shortKey(key)) ?? 0,
  };
}

/** Everything that is no address shares one key. */
export function networkOf(ip: string): string {
  return networkOfIp(ip) ?? 'unknown';
}

function refusal(waitMs: number): Verdict {
  return { ok: false, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
}

/** JavaScript maps keep the order of insertion. */
function createRecentMap<Value>(maxKeys: number) {
  const map = new Map<string, Value>();
  return {
    get(key: string): Value | undefined {
      return map.get(shortKey(key));
    },
    set(longKey: string, value: Value): void {
      const key = shortKey(longKey);
      map.delete(key);
      if (map.size >= maxKeys) map.delete(map.keys().next().value!);
      map.set(key, value);
    },
    delete(key: string): void {
      map.delete(shortKey(key));
    },
  };
}

/** Clients choose keys, which must not fill the memory. */
function shortKey(key: string): string {
  return key.length <= MAX_KEY_CHARS ? key : createHash('sha256').update(key).digest('base64');
}
