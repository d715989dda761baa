// Records sign-ins through services: the last 20 with masked claims, and an event for each refusal.
import { insertSignInAttempt, type SignInAttempt } from '../../db/identity/sign-in-attempts.ts';
import type { Tx } from '../../db/schema/schema.ts';
import type { Caller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { type Claims, maskClaims, type SignInService } from '../../domain/sign-in-service-fields.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

export interface AttemptFacts {
  service: Pick<SignInService, 'id'>;
  /** As the service sent them. */
  claims: Readonly<Record<string, unknown>>;
}

export async function noteSignInAttempt(
  ctx: Ctx,
  tx: Tx,
  { service, claims, outcome, reason = '' }: AttemptFacts & Pick<SignInAttempt, 'outcome'> & { reason?: string },
): Promise<void> {
  const masked = maskClaims(claims);
  const attempt = { id: ctx.random.id(), service: service.id, outcome, reason, claims: masked, at: ctx.clock.now() };
  await insertSignInAttempt(tx, attempt);
}

/** Runs after the refused transaction, so that both rows stay. */
export async function noteRefusal(
  ctx: Ctx,
  caller: Caller,
  { reason, userId = '', ...facts }: AttemptFacts & { reason: string; userId?: string },
): Promise<void> {
  ctx.log.info({ service: facts.service.id, reason, requestId: caller.from.requestId }, 'a sign-in was refused');
  await ctx.db.write(async (tx) => {
    await noteSignInAttempt(ctx, tx, { ...facts, outcome: 'refused', reason });
    await record(ctx, tx, caller, {
      action: 'sign_in.refused',
      object: { kind: 'sign_in_service', id: facts.service.id },
      ownerId: userId,
      facts: { reason },
    });
  });
}

/** Records a refusal that `work` throws. */
export async function notingRefusals<Result>(
  ctx: Ctx,
  caller: Caller,
  facts: AttemptFacts,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) await noteRefusal(ctx, caller, { ...facts, reason: error.code });
    throw error;
  }
}

/** For the list of attempts, when the service has no claims of its own. */
export function claimsAsFacts(claims: Claims): Record<string, unknown> {
  return {
    subject: claims.subject,
    email: claims.address ?? '',
    email_verified: claims.isAddressVerified,
    name: claims.name,
    ...(claims.groups === null ? {} : { groups: claims.groups }),
  };
}
