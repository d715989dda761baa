// Readiness checks: database, migrations, store, clock.
import type { Ctx } from '../actions/context.ts';
import { findSealingDelay, maxSealingDelayMs } from '../actions/evidence/sealing-delay.ts';
import { findTablesFault } from '../db/open.ts';
import { certificateCheck } from './server-certificate.ts';

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

type Warning = { check: 'evidence'; unsealed_seconds: number } | { check: typeof certificateCheck };

/** Empty while all is well. `failing` are the checks that fail in this process. */
export async function readinessWarnings(ctx: Ctx, failing: readonly string[]): Promise<{ warnings?: Warning[] }> {
  const warnings: Warning[] = failing.includes(certificateCheck) ? [{ check: certificateCheck }] : [];
  const delayMs = await findSealingDelay(ctx.db.read, ctx.clock.now()).catch(() => 0);
  if (delayMs > maxSealingDelayMs) warnings.push({ check: 'evidence', unsealed_seconds: Math.floor(delayMs / 1000) });
  return warnings.length === 0 ? {} : { warnings };
}
