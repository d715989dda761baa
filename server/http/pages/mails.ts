import { shippedLanguages } from '#language/locale.ts';
import type { NotAvailablePage } from '#web/pages/props.ts';
import { type MailVisit, visitMailPage } from '../../actions/mail/pages.ts';
import type { HttpDeps } from '../deps.ts';
import { localeOf } from '../transport/languages.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';

export function serveMailPages(deps: HttpDeps, router: Router): void {
  router.page('GET', '/mail/:token', (exchange) => show(deps, exchange));
}

async function show(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const wish = new URLSearchParams(exchange.queryText).get('lang');
  const locale = localeOf(deps, deps.ctx.settings.surroundings.locale, exchange.raw, wish);
  const token = exchange.params.token!;
  const visit = await visitMailPage(deps.ctx, token, locale);
  if (visit.is !== 'shown') return deps.pages.send(exchange, endedPage(visit.is), { locale });
  const url = (language: string) => `${basePath(deps)}/mail/${token}?lang=${language}`;
  deps.pages.send(
    exchange,
    {
      kind: 'mail',
      ...visit.mail,
      languages: shippedLanguages.map((language) => ({ locale: language, url: url(language) })),
    },
    { locale },
  );
}

/** An ended mail names no sender, subject or date. */
function endedPage(end: Exclude<MailVisit['is'], 'shown'>): NotAvailablePage {
  const reasons = {
    expired: { is: 'expired', until: null, fileCount: 2, sender: null },
    stopped: { is: 'stopped', on: null, fileCount: 2, sender: null },
    removed: { is: 'removed', fileCount: 2 },
    closed: { is: 'request-closed', wasAnswered: false, on: null, asker: null },
  } as const;
  return { kind: 'not-available', about: null, reason: reasons[end] };
}
