// Asks the directories of the organisation about a name and a password.
import type { Caller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import {
  type Claims,
  claimedAddress,
  maxDirectoryGroups,
  type SignInService,
} from '../../domain/sign-in-service-fields.ts';
import { LdapFault } from '../../lib/ldap/connection.ts';
import { type Directory, type DirectoryPerson, signInToDirectory } from '../../lib/ldap/directory.ts';
import type { Ctx } from '../context.ts';
import { claimsAsFacts, noteRefusal } from './attempts.ts';
import { returnToAccount } from './leaving.ts';
import { signInRefusal } from './refusals.ts';
import { listServices } from './service-list.ts';

const timeoutMs = 10_000;
const maxLoginLength = 320;

export function directoryOf({ settings, secrets }: SignInService): Directory {
  const setting = (name: string) => settings[name] ?? '';
  return {
    url: setting('url'),
    bindDn: setting('bind_dn'),
    bindPassword: secrets.bind_password ?? '',
    ca: setting('ca'),
    timeoutMs,
    kind: setting('directory_kind') === 'active_directory' ? 'active_directory' : 'openldap',
    baseDn: setting('base_dn'),
    userFilter: setting('user_filter'),
    emailAttribute: setting('email_attribute'),
    groupBaseDn: setting('group_base_dn'),
    disabledFilter: setting('disabled_filter'),
  };
}

export function claimsOf(service: SignInService, person: DirectoryPerson): Claims {
  return {
    subject: person.subject,
    address: claimedAddress(person.address),
    isAddressVerified: service.addressesVerified === 'true',
    name: person.name,
    groups: person.groups.slice(0, maxDirectoryGroups),
    hasSecondStep: false,
  };
}

export interface VouchedFor {
  service: SignInService;
  claims: Claims;
}

/** Null if no directory has the person with this password. A directory that does not answer is not a wrong password. */
export async function askDirectories(
  ctx: Ctx,
  caller: Caller,
  { login, password }: { login: string; password: string },
): Promise<VouchedFor | null> {
  if (password === '' || login === '' || login.length > maxLoginLength) return null;
  let silent: SignInService | null = null;
  for (const service of await listServices(ctx, 'ldap')) {
    try {
      const person = await signInToDirectory(directoryOf(service), login, password);
      if (person !== null) return await admitted(ctx, caller, service, person);
    } catch (error) {
      if (!(error instanceof LdapFault)) throw error;
      ctx.log.warn({ service: service.id, step: error.step, err: error.message }, 'a directory could not be asked');
      if (error.step !== 'person') silent = service;
    }
  }
  if (silent === null) return null;
  const { code, message, values } = signInRefusal('unreachable', silent);
  throw new Problem('unavailable', code, message, { retryAfterSeconds: 60 }).withValues(values);
}

async function admitted(
  ctx: Ctx,
  caller: Caller,
  service: SignInService,
  person: DirectoryPerson,
): Promise<VouchedFor> {
  const claims = claimsOf(service, person);
  if (person.isDisabled) {
    const refusal = signInRefusal('disabled', service);
    await noteRefusal(ctx, caller, { service, claims: claimsAsFacts(claims), reason: refusal.code });
    throw refusal;
  }
  await returnToAccount(ctx, caller, { service: service.id, subject: claims.subject });
  return { service, claims };
}
