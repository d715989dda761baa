// The limits of security D12 that live in memory, in one table. Those that must survive a restart are in actions.
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
  /** Unknown API keys, by network: 20 a minute, then unknown ones are refused for 5 minutes. */
  wrongKeys: Counter;
  /** Calls by API key; null when the operator switched it off. */
  apiCalls: Bucket | null;
  /** Clicks on Download and requests for bytes, by network: each adds to the log. Null as above. */
  downloadRequests: Bucket | null;
  /** Warnings about an unnamed proxy: one an hour. */
  proxyWarnings: Counter;
  uploadsByKey: InFlight;
  uploadsByAddress: InFlight;
  /** People outside, by what they hand in to and where they are. */
  uploadsFromOutside: InFlight;
  downloadsByLink: InFlight;
  downloadsByAddress: InFlight;
  /** Streams of events, by person. */
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

/** A burst of 1,000 at the default of 6,000 a minute; never more than a minute allows. */
function burstOf(apiRatePerMinute: number): number {
  return Math.min(apiRatePerMinute, Math.max(1000, Math.ceil(apiRatePerMinute / 6)));
}
