import { Problem } from './problem.ts';
import { isAdministrator, type Ranked } from './roles.ts';

export interface Maintenance {
  /** '' for the product's sentence. */
  message: string;
  /** Maintenance does not end automatically. */
  until: number | null;
  since: number;
}

/** Null if the caller may continue. */
export function closedFor(
  maintenance: Maintenance | null,
  who: Pick<Ranked, 'role'> | null,
  now: number,
): Problem | null {
  if (maintenance === null || (who !== null && isAdministrator(who))) return null;
  const { message, until } = maintenance;
  const seconds = until === null || until <= now ? 300 : Math.ceil((until - now) / 1000);
  const details = { retryAfterSeconds: Math.min(seconds, 3600) };
  if (message !== '') return new Problem('unavailable', 'maintenance.told', message, details).withValues({ message });
  return new Problem('unavailable', 'maintenance.on', 'We’re working on this service and will be back soon.', details);
}
