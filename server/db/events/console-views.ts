// Recent views of administrators and auditors, by a hash of viewer and object.
import type { Query, Tx } from '../schema/schema.ts';

export interface ConsoleView {
  key: string;
  now: number;
  /** Views within this time count as one. */
  windowMs: number;
}

export async function isViewed(db: Query, { key, now, windowMs }: ConsoleView): Promise<boolean> {
  const row = await db
    .selectFrom('console_views')
    .select('viewed_at')
    .where('view_key', '=', key)
    .where('viewed_at', '>', now - windowMs)
    .where('viewed_at', '<=', now)
    .executeTakeFirst();
  return row !== undefined;
}

/** True for the first of concurrent views of a window. */
export async function beginView(tx: Tx, { key, now, windowMs }: ConsoleView): Promise<boolean> {
  const row = await tx
    .insertInto('console_views')
    .values({ view_key: key, viewed_at: now })
    .onConflict((conflict) =>
      conflict
        .column('view_key')
        .doUpdateSet({ viewed_at: now })
        .where((eb) =>
          eb.or([
            eb('console_views.viewed_at', '<=', now - windowMs),
            // The clock was ahead.
            eb('console_views.viewed_at', '>', now),
          ]),
        ),
    )
    .returning('view_key')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteOldViews(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom('console_views').where('viewed_at', '<=', before).execute();
}
