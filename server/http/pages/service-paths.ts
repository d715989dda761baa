// Paths of sign-in services.
import { samlPath } from '../../actions/identity/saml.ts';
import type { SignInService } from '../../domain/sign-in-service-fields.ts';

export interface ServicePaths {
  /** Null for LDAP. */
  start: string | null;
  callback: string | null;
  /** Of SAML. */
  metadata: string | null;
}

export function pathsOf({ id, kind }: Pick<SignInService, 'id' | 'kind'>): ServicePaths {
  if (kind === 'ldap') return { start: null, callback: null, metadata: null };
  if (kind === 'saml')
    return { start: samlPath(id, 'init'), callback: samlPath(id, 'consume'), metadata: samlPath(id, 'metadata.xml') };
  return { start: `/sign-in/oidc/${id}`, callback: `/sign-in/oidc/${id}/callback`, metadata: null };
}
