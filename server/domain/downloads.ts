// The download log: what one line holds, and what a visitor's request tells about them.

/** Where a request came from, as far as it can be known; texts are empty when unknown. */
export interface Visitor {
  address: string;
  /** Name of the host, confirmed both ways; empty when not looked up. */
  host: string;
  agent: string;
  browser: string;
  os: string;
  platform: string;
  location: string;
  longitude: number | null;
  latitude: number | null;
  countryCode: string;
  countryName: string;
  city: string;
  regionCode: string;
  regionName: string;
}

/** One line of the log. */
export interface Download extends Visitor {
  number: number;
  attachmentId: string;
  messageId: string | null;
  linkId: string | null;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  sha256: string;
  crc32: string;
  downloadedAt: number;
  ownerId: string;
  recipient: string;
  durationMs: number;
  sentBytes: number;
}

/** How long a press on Download is good for resuming (state machine SM4). */
export const ticketLifetimeMs = 24 * 3_600_000;

/**
 * Most bytes one ticket serves, over all requests: twice the file (invariant I11). Where downloads are not limited in
 * number, a little more, so that tiny files can be tried again.
 */
export function mostServedBytes(sizeBytes: number, isLimited: boolean): number {
  return sizeBytes * 2 + (isLimited ? 0 : 64 * 1024);
}
