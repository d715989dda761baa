// Languages of users and mails.
import { firstShipped, languageOf } from '#language/locale.ts';
import { findUserByEmail, updateUser } from '../db/users/users.ts';
import type { UserCaller } from '../domain/caller.ts';
import { invalid } from '../domain/problem.ts';
import type { Ctx } from './context.ts';
import { record } from './events.ts';

/** Drops regions and unknown subtags. */
export function readLanguage(value: string): string {
  const language = firstShipped([value]);
  if (language === null) throw invalid('language.unknown', 'Choose one of the languages of the list.', 'language');
  return language;
}

/** Null restores the default. */
export async function changeLanguage(ctx: Ctx, caller: UserCaller, value: string | null): Promise<void> {
  const language = value === null ? null : readLanguage(value);
  await ctx.db.write(async (tx) => {
    await updateUser(tx, caller.userId, { language }, ctx.clock.now());
    await record(ctx, tx, caller, {
      action: 'user.language_changed',
      object: { kind: 'user', id: caller.userId },
      ownerId: caller.userId,
      facts: { language: language ?? '' },
    });
  });
}

/** The recipient's language if known, else the sender's choice, else the installation's. */
export async function mailLocale(ctx: Ctx, address: string, chosenBySender: string | undefined): Promise<string> {
  const site = ctx.settings.surroundings.locale;
  const recipient = await findUserByEmail(ctx.db.read, address);
  const language = firstShipped([recipient?.language, chosenBySender]);
  return language === null || language === languageOf(site) ? site : language;
}
