// Inserts a person with an API key. The caller checks who may be added.
import type { Tx } from '../../db/schema/schema.ts';
import { insertUser, isUserIdTaken } from '../../db/users/users.ts';
import type { Group } from '../../domain/groups.ts';
import { slugOf, type User } from '../../domain/users.ts';
import { addAccountKey } from '../api-keys/api-keys.ts';
import type { Ctx } from '../context.ts';

export interface NewUser
  extends Pick<
    User,
    'email' | 'name' | 'passwordHash' | 'senderAliases' | 'recipientAliases' | 'defaultSenderAlias' | 'provenAddresses'
  > {
  group: Group;
  isDisabled: boolean;
  mustChangePassword?: boolean;
  /** Set only at first start. */
  apiKey?: string;
}

/** Returns the new id. */
export async function addUser(ctx: Ctx, tx: Tx, { group, isDisabled, apiKey, ...person }: NewUser): Promise<string> {
  const slug = slugOf(person.email);
  let id = slug;
  for (let suffix = 2; await isUserIdTaken(tx, id); suffix++) id = `${slug}-${suffix}`;
  await insertUser(tx, {
    mustChangePassword: false,
    ...person,
    id,
    groupId: group.id,
    state: isDisabled ? 'disabled' : 'active',
    clientKey: ctx.random.id(44),
    createdAt: ctx.clock.now(),
  });
  await addAccountKey(ctx, tx, { id, policy: group.policy }, apiKey);
  return id;
}
