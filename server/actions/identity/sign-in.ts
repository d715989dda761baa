// Signs people in through a service. All rules on identities, provisioning, addresses, linking and groups are here, the
// same for OpenID Connect and LDAP.
import {
  findIdentity,
  insertIdentity,
  type LinkedIdentity,
  listIdentitiesOf,
  noteIdentityUse,
} from '../../db/identity/identities.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findUser, findUserByEmail, listHoldersOf } from '../../db/users/users.ts';
import { confirmedAddresses, confirmedEmail } from '../../domain/addresses.ts';
import type { Caller } from '../../domain/caller.ts';
import { isPrivileged } from '../../domain/roles.ts';
import type { Proof } from '../../domain/sessions.ts';
import { type Claims, maxSubjectLength, type SignInService } from '../../domain/sign-in-service-fields.ts';
import type { User } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { writeUnique } from '../unique.ts';
import { claimsAsFacts, noteSignInAttempt, notingRefusals } from './attempts.ts';
import { placeByDirectory } from './placing.ts';
import { createAccount } from './provisioning.ts';
import { signInRefusal } from './refusals.ts';

export interface ServiceSignIn {
  service: SignInService;
  claims: Claims;
  /** The claims as the service sent them, for the list of attempts. */
  raw?: Readonly<Record<string, unknown>>;
}

export type Opened<Access> =
  | { is: 'open'; access: Access }
  /** An account has this address; its owner must prove it (linking.ts). */
  | { is: 'prove'; userId: string };

/** Opens a session (`openSessionFor`) or access for a program (`openApiAccessFor`). Null: the account has changed. */
export type Open<Access> = (tx: Tx, user: User, proof: Proof) => Promise<Access | null>;

/** The only way in through a service. Throws refusals `sign_in.…`, each recorded with its reason. */
export async function signInThroughService<Access>(
  ctx: Ctx,
  caller: Caller,
  input: ServiceSignIn,
  open: Open<Access>,
): Promise<Opened<Access>> {
  const { service, claims } = input;
  const facts = { service, claims: input.raw ?? claimsAsFacts(claims) };
  return notingRefusals(ctx, caller, facts, () =>
    writeUnique(ctx, async (tx) => {
      const resolved = await resolve(ctx, tx, caller, input);
      if (resolved.is === 'prove') {
        await noteSignInAttempt(ctx, tx, { ...facts, outcome: 'proof_needed' });
        return resolved;
      }
      const access = await openIdentity(ctx, tx, caller, { ...input, identity: resolved.identity, open });
      await noteSignInAttempt(ctx, tx, { ...facts, outcome: 'signed_in' });
      return { is: 'open' as const, access };
    }),
  );
}

async function resolve(ctx: Ctx, tx: Tx, caller: Caller, input: ServiceSignIn): Promise<Admitted> {
  const { service, claims } = input;
  if (claims.subject === '' || claims.subject.length > maxSubjectLength) throw signInRefusal('no_subject', service);
  const found = await findIdentity(tx, service.id, claims.subject);
  return found === undefined ? admitNew(ctx, tx, caller, input) : { is: 'known', identity: found };
}

export interface Preview {
  would: 'sign_in' | 'create' | 'link' | 'prove';
  user: User;
}

class Undone extends Error {
  readonly preview: Preview;
  constructor(preview: Preview) {
    super('a sign-in was tried and undone');
    this.preview = preview;
  }
}

/** What a sign-in would do: does it in a transaction that is rolled back. Throws the refusals of a sign-in. */
export async function previewSignIn(ctx: Ctx, caller: Caller, input: ServiceSignIn): Promise<Preview> {
  try {
    return await writeUnique(ctx, async (tx) => {
      const isLinked = (await findIdentity(tx, input.service.id, input.claims.subject)) !== undefined;
      const resolved = await resolve(ctx, tx, caller, input);
      if (resolved.is === 'prove') throw new Undone({ would: 'prove', user: (await findUser(tx, resolved.userId))! });
      const { identity } = resolved;
      const would = isLinked ? 'sign_in' : identity.way === 'provisioned' ? 'create' : 'link';
      return openIdentity(ctx, tx, caller, {
        ...input,
        identity,
        open: async (_, user) => {
          throw new Undone({ would, user });
        },
      });
    });
  } catch (error) {
    if (error instanceof Undone) return error.preview;
    throw error;
  }
}

/** Applies the groups first, so that they are right at the first sign-in. */
export async function openIdentity<Access>(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { service, claims, identity, open }: ServiceSignIn & { identity: LinkedIdentity; open: Open<Access> },
): Promise<Access> {
  const known = await findUser(tx, identity.userId);
  if (known === undefined) throw signInRefusal('no_account', service);
  if (known.state !== 'active') throw signInRefusal('disabled', service);
  await placeByDirectory(ctx, tx, caller, { service, userId: known.id, directoryGroups: claims.groups });
  const use = { now: ctx.clock.now(), ...(claims.groups === null ? {} : { directoryGroups: claims.groups }) };
  await noteIdentityUse(tx, identity.id, use);
  const user = await findUser(tx, known.id);
  if (user === undefined) throw signInRefusal('changed', service);
  const access = await open(tx, user, {
    kind: 'service',
    service: service.id,
    hasSecondStep: service.acceptsSecondStep && claims.hasSecondStep,
  });
  if (access === null) throw signInRefusal('changed', service);
  return access;
}

type Admitted = { is: 'prove'; userId: string } | { is: 'known'; identity: LinkedIdentity };

/** For an identity that is not linked yet. Never creates a second account for an address. */
async function admitNew(ctx: Ctx, tx: Tx, caller: Caller, { service, claims }: ServiceSignIn): Promise<Admitted> {
  if (claims.address === null) throw signInRefusal('no_address', service);
  const user = await findUserByEmail(tx, claims.address);
  if (user === undefined) {
    const holders = await listHoldersOf(tx, claims.address);
    if (holders.some((holder) => confirmedAddresses(holder).includes(claims.address!)))
      throw signInRefusal('address_taken', service);
    const userId = await createAccount(ctx, tx, caller, { service, claims, address: claims.address });
    return {
      is: 'known',
      identity: await linkIdentity(ctx, tx, caller, { service, claims, userId, way: 'provisioned' }),
    };
  }
  if (user.state !== 'active') throw signInRefusal('disabled', service);
  const others = await listIdentitiesOf(tx, user.id);
  if (others.some((other) => other.service === service.id)) throw signInRefusal('address_taken', service);
  if (!isLinkedWithoutProof(service, claims, user)) return { is: 'prove', userId: user.id };
  return {
    is: 'known',
    identity: await linkIdentity(ctx, tx, caller, { service, claims, userId: user.id, way: 'verified' }),
  };
}

/** The account's owner must have confirmed the address, so that an account registered in advance is no way in. */
function isLinkedWithoutProof(service: SignInService, claims: Claims, user: User): boolean {
  const isVouched = service.link === 'verified' && claims.isAddressVerified;
  return isVouched && !isPrivileged(user) && confirmedEmail(user) !== null;
}

export interface NewLink {
  service: Pick<SignInService, 'id'>;
  claims: Pick<Claims, 'subject' | 'groups'>;
  userId: string;
  way: LinkedIdentity['way'];
  reason?: string;
}

/** Throws a unique violation if the identity is linked meanwhile. */
export async function linkIdentity(ctx: Ctx, tx: Tx, caller: Caller, link: NewLink): Promise<LinkedIdentity> {
  const { service, claims, userId, way, reason = '' } = link;
  const identity: LinkedIdentity = {
    id: ctx.random.id(),
    service: service.id,
    subject: claims.subject,
    userId,
    way,
    directoryGroups: claims.groups,
    createdAt: ctx.clock.now(),
    lastUsedAt: null,
    disabledAt: null,
  };
  await insertIdentity(tx, identity);
  await record(ctx, tx, caller, {
    action: 'identity.linked',
    object: { kind: 'user', id: userId },
    ownerId: userId,
    facts: { service: service.id, way, ...(reason === '' ? {} : { reason }) },
  });
  return identity;
}
