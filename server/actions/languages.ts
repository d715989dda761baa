// The language pages and mails speak to a person.
import { firstShipped } from '#language/locale.ts';
import { updateUser } from '../db/users.ts';
import type { UserCaller } from '../domain/caller.ts';
import { invalid } from '../domain/problem.ts';
import type { Ctx } from './context.ts';
import { record } from './events.ts';

/** A language we have, by its tag; regions and unknown parts of the tag are left out. */
export function readLanguage(value: string): string {
  const language = firstShipped([value]);
  if (language === null) throw invalid('language.unknown', 'Choose one of the languages of the list.', 'language');
  return language;
}

/** Null: none any more; the browser and the installation decide again. */
export async function changeLanguage(ctx: Ctx, caller: UserCaller, value: string | null): Promise<void> {
  const language = value === null ? null : readLanguage(value);
  await ctx.db.write(async (tx) => {
    await updateUser(tx, caller.userId, { language, updated_at: ctx.clock.now() });
    await record(ctx, tx, caller, {
      action: 'user.language_changed',
      object: { kind: 'user', id: caller.userId },
      ownerId: caller.userId,
      facts: { language: language ?? '' },
    });
  });
}
