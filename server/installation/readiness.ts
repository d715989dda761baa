// Readiness checks: database, migrations, store, clock.
import type { Ctx } from '../actions/context.ts';
import { findSealingDelay, maxSealingDelayMs } from '../actions/evidence/sealing-delay.ts';
import { findTablesFault } from '../db/open.ts';

/** A readiness probe must not wait for a silent dependency. */
const checkMs = 6000;

/** Names of the failing checks. */
export async function failingChecks(ctx: Ctx): Promise<string[]> {
  const limit = Promise.withResolvers<'too late'>();
  const timer = setTimeout(() => limit.resolve('too late'), checkMs);
  const within = <Answer>(probe: () => Promise<Answer>) =>
    Promise.race([probe().catch(() => 'failed' as const), limit.promise]);
  const [ping, tablesFault, state] = await Promise.all([
    within(() => ctx.db.ping()),
    within(() => findTablesFault(ctx.db)),
    within(() => ctx.blobs.state()),
  ]);
  clearTimeout(timer);
  const failing: string[] = [];
  if (ping !== undefined) failing.push('database');
  if (tablesFault !== null) failing.push('migrations');
  if (state === 'no_uploads') failing.push('free space');
  else if (state !== 'healthy') failing.push('storage');
  if (ctx.clock.fault() !== null) failing.push('clock');
  return failing;
}

/** Empty while all is well. */
export async function readinessWarnings(
  ctx: Ctx,
): Promise<{ warnings?: { check: 'evidence'; unsealed_seconds: number }[] }> {
  const delayMs = await findSealingDelay(ctx.db.read, ctx.clock.now()).catch(() => 0);
  if (delayMs <= maxSealingDelayMs) return {};
  return { warnings: [{ check: 'evidence', unsealed_seconds: Math.floor(delayMs / 1000) }] };
}
