// The caller's profile and preferences.

import type { Query, Tx } from '../../db/schema/schema.ts';
import { preferencesOf, savePreferences } from '../../db/users/preferences.ts';
import { findUser, lockUser, updateUser } from '../../db/users/users.ts';
import { unprovenAddress } from '../../domain/addresses.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { type Preferences, readTimeZone } from '../../domain/preferences.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { readEmail, readName, type User } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { readLanguage } from '../languages.ts';

export function getPreferences(ctx: Ctx, caller: Pick<UserCaller, 'userId'>): Promise<Preferences> {
  return preferencesOf(ctx.db.read, caller.userId);
}

export interface Profile {
  user: User;
  preferences: Preferences;
}

export async function getProfile(ctx: Ctx, caller: UserCaller): Promise<Profile> {
  return { user: await getSelf(ctx.db.read, caller), preferences: await preferencesOf(ctx.db.read, caller.userId) };
}

async function getSelf(db: Query, caller: UserCaller): Promise<User> {
  const user = await findUser(db, caller.userId);
  if (user === undefined) throw notFound('user');
  return user;
}

export type PreferenceChange = { [Key in keyof Preferences]?: Preferences[Key] | undefined };

/** Fields that are left out do not change. */
export async function changeProfile(
  ctx: Ctx,
  caller: UserCaller,
  change: PreferenceChange & { name?: string | undefined; language?: string | undefined },
): Promise<Profile> {
  const { name, language, ...preferences } = change;
  const userChange = {
    ...(name === undefined ? {} : { name: readName(name) }),
    ...(language === undefined ? {} : { language: language === '' ? null : readLanguage(language) }),
  };
  const preferenceChange: PreferenceChange = {
    ...preferences,
    ...(preferences.timeZone === undefined ? {} : { timeZone: readTimeZone(preferences.timeZone) }),
  };
  await ctx.db.write(async (tx) => {
    await lockUser(tx, caller.userId);
    if (Object.keys(userChange).length > 0) await updateUser(tx, caller.userId, userChange, ctx.clock.now());
    const changed = await save(ctx, tx, caller, preferenceChange);
    await record(ctx, tx, caller, {
      action: 'profile.changed',
      object: { kind: 'user', id: caller.userId },
      ownerId: caller.userId,
      facts: { fields: [...Object.keys(userChange), ...changed] },
    });
  });
  return getProfile(ctx, caller);
}

/** Returns the names of the changed fields. */
async function save(ctx: Ctx, tx: Tx, caller: UserCaller, change: PreferenceChange): Promise<string[]> {
  const changed = Object.entries(change).filter(([, value]) => value !== undefined);
  if (changed.length === 0) return [];
  const next: Preferences = { ...(await preferencesOf(tx, caller.userId)), ...Object.fromEntries(changed) };
  await savePreferences(tx, caller.userId, next, ctx.clock.now());
  return changed.map(([key]) => key);
}

export async function chooseSender(ctx: Ctx, caller: UserCaller, input: string): Promise<Profile> {
  const address = readEmail(input, 'default_sender_alias');
  await ctx.db.write(async (tx) => {
    await lockUser(tx, caller.userId);
    const user = await getSelf(tx, caller);
    if (address !== user.email && !user.senderAliases.includes(address))
      throw invalid(
        'profile.not_an_alias',
        `${address} is not one of your addresses. Ask your administrator to add it.`,
        'default_sender_alias',
      ).withValues({ address });
    if (!user.provenAddresses.includes(address)) throw unprovenAddress(address, 'default_sender_alias');
    const defaultSenderAlias = address === user.email ? '' : address;
    await updateUser(tx, caller.userId, { defaultSenderAlias }, ctx.clock.now());
    await record(ctx, tx, caller, {
      action: 'profile.changed',
      object: { kind: 'user', id: caller.userId },
      ownerId: caller.userId,
      facts: { fields: ['defaultSenderAlias'], address },
    });
  });
  return getProfile(ctx, caller);
}
