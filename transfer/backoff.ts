// At most 30 s, unless Retry-After asks for more.
import type { Random } from './ports.ts';

const firstMs = 1_000;
const longestMs = 30_000;
const longestRetryAfterMs = 300_000;

/** `failures` counts from 1. */
export function backoffMs(failures: number, random: Random): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 10));
  return full / 2 + (full / 2) * random();
}

/** In seconds; null when missing or invalid. */
export function retryAfterMs(header: string | null): number | null {
  if (header === null || !/^\d{1,9}$/.test(header.trim())) return null;
  return Math.min(longestRetryAfterMs, Number(header) * 1_000);
}
