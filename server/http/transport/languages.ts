// The account's language, else the footer cookie's, the browser's, the installation's.
import type { IncomingMessage } from 'node:http';
import { firstShipped, languageOf, nearestLocale, readAcceptLanguage, shippedLanguages } from '#language/locale.ts';
import type { Ctx } from '../../actions/context.ts';
import { readCookie } from '../pages/forms.ts';
import type { Site } from './urls.ts';

export const languageCookie = 'lang';

/** By request, the language of the account. */
const known = new WeakMap<IncomingMessage, string>();

/** Call it once the visitor is known, before rendering. */
export function setLanguage(raw: IncomingMessage, language: string | null): void {
  if (language !== null) known.set(raw, language);
}

export function readerOf(deps: Site & { ctx: Ctx }, raw: IncomingMessage): { locale: string; timeZone: string } {
  const { locale, timeZone } = deps.ctx.settings.surroundings;
  return { locale: localeOf(deps, locale, raw), timeZone };
}

/** Keeps the operator's region: `en-US` for all who read English. */
export function localeOf(
  site: Site,
  siteLocale: string,
  raw: IncomingMessage,
  chosenHere: string | null = null,
): string {
  const ours = nearestLocale(siteLocale, (language) => shippedLanguages.includes(language));
  const browser = readAcceptLanguage(raw.headers['accept-language'] ?? '');
  const chosen = firstShipped([chosenHere, known.get(raw), readCookie(site, raw, languageCookie), ...browser]);
  return chosen === null || chosen === languageOf(ours) ? ours : chosen;
}
