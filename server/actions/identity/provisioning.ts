// Creates the account of a person whom a service vouches for.
import { listGroups } from '../../db/groups/groups.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { setGroupAssigned } from '../../db/users/group-assignment.ts';
import type { Caller } from '../../domain/caller.ts';
import { groupMatching } from '../../domain/directory-groups.ts';
import type { Claims, SignInService } from '../../domain/sign-in-service-fields.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { addUser } from '../users/new-user.ts';
import { decideGroup } from './placing.ts';
import { signInRefusal } from './refusals.ts';

export type NewAccount = {
  service: Pick<SignInService, 'id' | 'name' | 'provision' | 'defaultGroupId'>;
  claims: Pick<Claims, 'groups' | 'hasGroupsOverage' | 'isAddressVerified' | 'name'>;
  address: string;
};

/** For a first sign-in. An unverified address acts only once its owner proves it. */
export async function createAccount(ctx: Ctx, tx: Tx, caller: Caller, account: NewAccount): Promise<string> {
  const { service, claims } = account;
  const directoryGroups = claims.groups ?? [];
  if (service.provision === 'none') throw signInRefusal('no_account', service);
  if (service.provision === 'matched') {
    if (claims.groups === null)
      throw signInRefusal(claims.hasGroupsOverage === true ? 'groups_overage' : 'groups_absent', service);
    if (groupMatching(await listGroups(tx), directoryGroups) === undefined) throw signInRefusal('no_group', service);
  }
  return addProvisioned(ctx, tx, caller, account);
}

type Provisioned = {
  service: Pick<SignInService, 'id' | 'defaultGroupId'>;
  claims: Pick<Claims, 'groups' | 'isAddressVerified' | 'name'>;
  address: string;
};

/** Returns the new id. */
export async function addProvisioned(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { service, claims, address }: Provisioned,
): Promise<string> {
  const { group, rule } = await decideGroup(tx, service, { address, directoryGroups: claims.groups ?? [] });
  const userId = await addUser(ctx, tx, {
    email: address,
    name: shownName(claims.name),
    group,
    passwordHash: null,
    isDisabled: false,
    senderAliases: [],
    recipientAliases: [],
    defaultSenderAlias: '',
    provenAddresses: claims.isAddressVerified ? [address] : [],
  });
  await setGroupAssigned(tx, userId, false);
  await record(ctx, tx, caller, {
    action: 'user.provisioned',
    object: { kind: 'user', id: userId },
    ownerId: userId,
    facts: { service: service.id, group: group.id, rule, confirmed: claims.isAddressVerified },
  });
  return userId;
}

/** A name from outside is shortened and cleaned instead of refused. */
export function shownName(name: string): string {
  return name
    .normalize('NFC')
    .replace(/[\p{C}]/gu, '')
    .trim()
    .slice(0, 200);
}
