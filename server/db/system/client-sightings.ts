// Which programs call with an API key, by day, version and outcome.
import type { Query, Tx } from '../schema/schema.ts';

export interface Sighting {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  client: string;
  version: string;
  /** '' for a success, else the code of the refusal. */
  code: string;
  calls: number;
}

/** Programs name themselves, so rows per day are limited. */
export const mostSightingsOfDay = 1000;

/** What exceeds the limit of the day is counted as a program without a name. */
export async function addSightings(
  tx: Tx,
  sightings: readonly Sighting[],
  mostOfDay = mostSightingsOfDay,
): Promise<void> {
  for (const sighting of sightings) {
    if (await addToKnown(tx, sighting)) continue;
    const { rows } = await tx
      .selectFrom('client_sightings')
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .where('day', '=', sighting.day)
      .executeTakeFirstOrThrow();
    const isFull = Number(rows) >= mostOfDay;
    await insertSighting(tx, isFull ? { ...sighting, client: '', version: '' } : sighting);
  }
}

async function addToKnown(tx: Tx, { day, client, version, code, calls }: Sighting): Promise<boolean> {
  const updated = await tx
    .updateTable('client_sightings')
    .set((eb) => ({ calls: eb('calls', '+', calls) }))
    .where((eb) => eb.and({ day, client, version, code }))
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

async function insertSighting(tx: Tx, sighting: Sighting): Promise<void> {
  await tx
    .insertInto('client_sightings')
    .values(sighting)
    .onConflict((conflict) =>
      conflict
        .columns(['day', 'client', 'version', 'code'])
        .doUpdateSet((eb) => ({ calls: eb('client_sightings.calls', '+', sighting.calls) })),
    )
    .execute();
}

export async function listSightings(db: Query, fromDay: string, limit: number): Promise<Sighting[]> {
  const rows = await db
    .selectFrom('client_sightings')
    .selectAll()
    .where('day', '>=', fromDay)
    .orderBy('day', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
}

export async function deleteOldSightings(tx: Tx, beforeDay: string): Promise<void> {
  await tx.deleteFrom('client_sightings').where('day', '<', beforeDay).execute();
}
