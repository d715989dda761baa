// Checks that a sign-in service answers.
import type { UserCaller } from '../../domain/caller.ts';
import { requireRight } from '../../domain/roles.ts';
import type { SignInService } from '../../domain/sign-in-service-fields.ts';
import { beginOidc, OidcFailure } from '../../lib/oidc.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { oidcClientOf } from './oidc.ts';
import { getService } from './service-changes.ts';

/** `failed`: the provider's words; empty if it answered. */
export async function testService(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
): Promise<{ service: SignInService; failed: string }> {
  requireRight(caller, 'system.change');
  const service = await getService(ctx, caller, id);
  const failed = await findFault(ctx, service);
  await ctx.db.write((tx) =>
    record(ctx, tx, caller, {
      action: 'sign_in_service.tested',
      object: { kind: 'sign_in_service', id },
      ownerId: '',
      facts: { failed },
    }),
  );
  return { service, failed };
}

async function findFault(ctx: Ctx, service: SignInService): Promise<string> {
  if (service.kind !== 'oidc') return '';
  try {
    await beginOidc(oidcClientOf(ctx, service));
    return '';
  } catch (error) {
    if (error instanceof OidcFailure) return error.message;
    throw error;
  }
}
