import type { Ctx } from '../../actions/context.ts';
import { invalid } from '../../domain/problem.ts';
import { parseDateOrInstant } from '../../lib/dates.ts';

/** Parses a date or an instant; null if absent. */
export function readInstant(ctx: Ctx, text: string | undefined, parameter: { code: string; name: string }) {
  if (text === undefined || text === '') return null;
  const instant = parseDateOrInstant(text, ctx.settings.surroundings.timeZone);
  const { code, name } = parameter;
  if (instant === null) throw invalid(code, `The parameter "${name}" must be a date written as YYYY-MM-DD.`, name);
  return instant;
}
