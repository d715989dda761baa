// Limits that must survive a restart are in actions.
import {
  type Bucket,
  type Counter,
  createBucket,
  createCounter,
  createInFlight,
  type InFlight,
} from '../../lib/rate-limit.ts';
import type { InFlightLimit, Meters } from './meters.ts';

export interface Limits {
  /** Unknown API keys by network: 20 a minute, then refused for 5 minutes. */
  wrongKeys: Counter;
  /** Calls by API key; null if switched off. */
  apiCalls: Bucket | null;
  /** Each adds to the log; null if switched off. */
  downloadRequests: Bucket | null;
  /** Warnings about an untrusted proxy: one an hour. */
  proxyWarnings: Counter;
  uploadsByKey: InFlight;
  uploadsByAddress: InFlight;
  /** Uploads by outside visitors, by target and by address. */
  uploadsFromOutside: InFlight;
  downloadsByLink: InFlight;
  downloadsByAddress: InFlight;
  /** Event streams by user. */
  eventStreams: InFlight;
}

export function createLimits(options: { apiRatePerMinute: number; meters: Pick<Meters, 'inFlight'> }): Limits {
  const { apiRatePerMinute, meters } = options;
  const inFlight = (name: InFlightLimit, limit: number) => createInFlight(limit, meters.inFlight(name));
  return {
    wrongKeys: createCounter({ limit: 20, windowMs: 60_000, blockMs: 5 * 60_000 }),
    apiCalls:
      apiRatePerMinute === 0 ? null : createBucket({ perMinute: apiRatePerMinute, burst: burstOf(apiRatePerMinute) }),
    downloadRequests:
      apiRatePerMinute === 0
        ? null
        : createBucket({ perMinute: apiRatePerMinute / 10, burst: Math.min(apiRatePerMinute, 2000) }),
    proxyWarnings: createCounter({ limit: 1, windowMs: 3_600_000 }),
    uploadsByKey: inFlight('uploads_by_key', 128),
    uploadsByAddress: inFlight('uploads_by_address', 256),
    uploadsFromOutside: inFlight('uploads_from_outside', 8),
    downloadsByLink: inFlight('downloads_by_link', 1000),
    downloadsByAddress: inFlight('downloads_by_address', 256),
    eventStreams: inFlight('event_streams', 6),
  };
}

/** 1,000 at the default of 6,000 a minute. */
function burstOf(apiRatePerMinute: number): number {
  return Math.min(apiRatePerMinute, Math.max(1000, Math.ceil(apiRatePerMinute / 6)));
}
