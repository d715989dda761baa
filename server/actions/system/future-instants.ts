// Finds impossible future instants, written while a clock was ahead; work waits for them.
import type { Query } from '../../db/schema/schema.ts';
import { listFutureInstants } from '../../db/system/instants.ts';

/** `isThorough` also scans large tables. */
export async function findFutureFault(
  db: Pick<Query, 'selectFrom' | 'getExecutor'>,
  now: number,
  { isThorough = false } = {},
): Promise<string | null> {
  const found = await listFutureInstants(db, now, { isThorough });
  if (found.length === 0) return null;
  const places = found.map(({ place, instant }) => `${place} (${new Date(instant).toISOString().slice(0, 16)}Z)`);
  return `Some instants in the database are in the future, and work waits for them: ${places.join(', ')}. Run waybill-server clock --mend.`;
}
