// Which programs call with an API key, by day, version and outcome.
import type { Query, Tx } from './schema.ts';

export interface Sighting {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  client: string;
  version: string;
  /** '' for a success, else the code of the refusal. */
  code: string;
  calls: number;
}

export async function addSightings(tx: Tx, sightings: readonly Sighting[]): Promise<void> {
  for (const sighting of sightings)
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
