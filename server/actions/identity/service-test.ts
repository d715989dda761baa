// Checks that a sign-in service answers.
import type { UserCaller } from '../../domain/caller.ts';
import { requireRight } from '../../domain/roles.ts';
import type { ServiceKind, SignInService } from '../../domain/sign-in-service-fields.ts';
import { LdapFault } from '../../lib/ldap/connection.ts';
import { withDirectory } from '../../lib/ldap/directory.ts';
import { beginOidc, OidcFailure } from '../../lib/oidc.ts';
import { SamlFailure } from '../../lib/saml/xml.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { directoryOf } from './ldap-sign-in.ts';
import { oidcClientOf } from './oidc.ts';
import { samlStart } from './saml.ts';
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

const connect: Record<ServiceKind, (ctx: Ctx, service: SignInService) => Promise<unknown>> = {
  oidc: (ctx, service) => beginOidc(oidcClientOf(ctx, service)),
  saml: samlStart,
  ldap: (_, service) =>
    withDirectory(directoryOf(service), async (directory) => {
      if (!(await directory.hasPeople()))
        throw new LdapFault('search', 'the directory shows no people: check the base');
    }),
};

async function findFault(ctx: Ctx, service: SignInService): Promise<string> {
  try {
    await connect[service.kind](ctx, service);
    return '';
  } catch (error) {
    if (error instanceof OidcFailure || error instanceof SamlFailure || error instanceof LdapFault)
      return error.message;
    throw error;
  }
}
