// Which language mails and pages speak to a person; they choose it in their settings or in the footer.
import { firstShipped, languageOf } from '#language/locale.ts';
import { findUserByEmail } from '../db/users.ts';
import { invalid } from '../domain/problem.ts';
import type { Ctx } from './context.ts';

/** A language we have, by its tag; regions and unknown parts of the tag are left out. */
export function readLanguage(value: string): string {
  const language = firstShipped([value]);
  if (language === null) throw invalid('language.unknown', 'Choose one of the languages of the list.', 'language');
  return language;
}

/** For a mail: the recipient's own language if we know it, else the sender's choice, else the installation's. */
export async function mailLocale(ctx: Ctx, address: string, chosenBySender: string | undefined): Promise<string> {
  const site = ctx.settings.surroundings.locale;
  const recipient = await findUserByEmail(ctx.db.read, address);
  const language = firstShipped([recipient?.language, chosenBySender]);
  return language === null || language === languageOf(site) ? site : language;
}
