// Paths of sign-in services.
import type { SignInService } from '../../domain/sign-in-service-fields.ts';

export interface ServicePaths {
  /** Null for LDAP. */
  start: string | null;
  callback: string | null;
}

export function pathsOf({ id, kind }: Pick<SignInService, 'id' | 'kind'>): ServicePaths {
  if (kind === 'ldap') return { start: null, callback: null };
  return { start: `/sign-in/oidc/${id}`, callback: `/sign-in/oidc/${id}/callback` };
}
