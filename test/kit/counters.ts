// Counters of attempts as rows, for tests that insert some.
import { counterKey } from '#server/actions/attempts.ts';
import type { Ctx } from '#server/actions/context.ts';
import type { Tables } from '#server/db/schema/schema.ts';
import { counterText, type LimitName, type Subject, shownOf } from '#server/domain/attempt-limits.ts';

type Row = Tables['attempts'];

export function counterRow(row: Partial<Row>): Row {
  return { key: 'x', kind: '', about: '', network: '', failures: 1, began_at: 0, window_ends_at: 0, ...row };
}

/** The row that counts attempts at this limit. */
export function counterOf(ctx: Ctx, limit: LimitName, subject: Subject, row: Partial<Row> = {}): Row {
  const key = counterKey(ctx, counterText(limit, subject));
  return counterRow({ key, kind: limit, ...shownOf(limit, subject), ...row });
}
