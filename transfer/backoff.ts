// How long to wait before trying again: longer each time, never in step with other clients, never more than half a
// minute unless the server asks for it.
import type { Random } from './ports.ts';

const firstMs = 1_000;
const longestMs = 30_000;
/** A server may ask for a longer wait, but not for an hour by mistake. */
const longestAskedMs = 300_000;

/** `failures` counts from 1. Between half and all of the doubled wait. */
export function backoffMs(failures: number, random: Random): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 10));
  return full / 2 + (full / 2) * random();
}

/** `Retry-After` in seconds; null when it is missing or not understood. */
export function askedWaitMs(header: string | null): number | null {
  if (header === null || !/^\d{1,9}$/.test(header.trim())) return null;
  return Math.min(longestAskedMs, Number(header) * 1_000);
}
