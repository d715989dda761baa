import { changeLanguage, readLanguage } from '../../actions/languages.ts';
import { callerOf } from '../../actions/sessions/identities.ts';
import { unmask } from '../../lib/masking.ts';
import type { HttpDeps } from '../deps.ts';
import { originOf } from '../identity/origins.ts';
import { requireCsrf, visitorOfPage } from '../identity/visits.ts';
import { languageCookie } from '../transport/languages.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath, readTarget } from '../transport/urls.ts';
import { readOwnForm, seeOther, setCookie } from './forms.ts';

const yearSeconds = 365 * 24 * 3600;

export function serveLanguages(deps: HttpDeps, router: Router): void {
  router.page('POST', '/language', (exchange) => choose(deps, router, exchange));
}

/** The account's setting would otherwise override the switch. */
async function choose(deps: HttpDeps, router: Router, exchange: Exchange): Promise<void> {
  const form = await readOwnForm(deps, exchange.raw, exchange.response);
  const language = readLanguage(form.get('lang') ?? '');
  const visitor = await visitorOfPage(deps, exchange.raw);
  if (visitor.user !== null && visitor.user.language !== language) {
    requireCsrf(deps, visitor, form.get('csrf'));
    await changeLanguage(deps.ctx, callerOf(visitor.user, originOf(deps, exchange)), language);
  }
  seeOther(exchange.response, `${basePath(deps)}${showablePath(router, readTarget(unmask(form.get('to') ?? '')))}`, {
    'set-cookie': setCookie(deps, languageCookie, language, yearSeconds),
  });
}

/** The form's page, or the nearest one above it that can be opened. */
function showablePath(router: Router, target: string): string {
  const [asked, query] = target.split('#', 1)[0]!.split(/\?(.*)/s) as [string, string | undefined];
  const path = router.nearestPage(asked);
  return path === asked && query !== undefined ? `${path}?${query}` : path;
}
