// When the end of a secret or certificate is announced.

export interface Ending {
  /** Begins a sentence. */
  what: string;
  /** Null for secrets. */
  startsAt: number | null;
  endsAt: number;
}

const dayMs = 86_400_000;
const announcedDays = [7, 30, 60];

/**
 * The announcement that applies, as days before the end; null before the first. One that comes in the first two thirds of
 * a certificate's life is left out, because short-lived certificates are renewed in the last third.
 */
export function announcementOf({ startsAt, endsAt }: Ending, now: number): number | null {
  const lifeMs = startsAt === null ? Number.POSITIVE_INFINITY : endsAt - startsAt;
  const days = announcedDays.find((one) => endsAt - now <= one * dayMs);
  if (days === undefined) return null;
  return endsAt > now && days * dayMs * 3 >= lifeMs ? null : days;
}
