// Sign-in through OpenID Connect: the way to the provider and back.
import { beginOidcSignIn, finishOidcSignIn } from '../../actions/identity/oidc.ts';
import { signInRefusal } from '../../actions/identity/refusals.ts';
import { findService } from '../../actions/identity/service-list.ts';
import type { NewSession } from '../../actions/sessions/open-session.ts';
import { notFound } from '../../domain/problem.ts';
import type { SignInService } from '../../domain/sign-in-service-fields.ts';
import type { OidcChecks } from '../../lib/oidc.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { readTarget } from '../transport/urls.ts';
import { seeOther } from './forms.ts';
import {
  clearStateCookie,
  endServiceSignIn,
  endTest,
  mayTest,
  orSignInPage,
  readStateCookie,
  stateCookieOf,
} from './service-sign-in.ts';
import { continueSignIn } from './sign-in.ts';

interface State extends OidcChecks {
  service: string;
  to: string;
  isTest: boolean;
}

export function serveOidc(deps: HttpDeps, router: Router): void {
  router.page('GET', '/sign-in/oidc/:id', (exchange) => begin(deps, exchange));
  router.page('GET', '/sign-in/oidc/:id/callback', (exchange) => finish(deps, exchange));
}

/** A test may use a service that is switched off. */
async function serviceOf(deps: HttpDeps, { params }: Exchange, isTest: boolean): Promise<SignInService> {
  const service = await findService(deps.ctx, 'oidc', params.id ?? '', { isAlsoOff: isTest });
  if (service === undefined) throw notFound('page', 'There’s nothing at this address.');
  return service;
}

async function begin(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const query = new URLSearchParams(exchange.queryText);
  const isTest = query.get('test') === '1' && (await mayTest(deps, exchange));
  const service = await serviceOf(deps, exchange, isTest);
  const to = readTarget(query.get('to'));
  await orSignInPage(deps, exchange, to, async () => {
    const { url, checks } = await beginOidcSignIn(deps.ctx, anonymousCaller(deps, exchange), service);
    const state: State = { ...checks, service: service.id, to, isTest };
    seeOther(exchange.response, url, { 'set-cookie': stateCookieOf(deps, state) });
  });
}

async function finish(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const state = readStateCookie<State>(deps, exchange);
  const service = await serviceOf(deps, exchange, state?.isTest === true);
  const to = state?.to ?? '/';
  await orSignInPage(deps, exchange, to, async () => {
    if (state === null || state.service !== service.id) throw signInRefusal('expired', service);
    const caller = anonymousCaller(deps, exchange);
    const { state: sent, nonce, verifier } = state;
    const answer = { service, checks: { state: sent, nonce, verifier }, query: exchange.queryText };
    const { claims, raw } = await finishOidcSignIn(deps.ctx, caller, answer);
    if (state.isTest) return endTest(deps, exchange, service, raw);
    const next = (session: NewSession) =>
      continueSignIn(deps, exchange, { session, to, cookies: [clearStateCookie(deps)] });
    await endServiceSignIn(deps, exchange, { service, claims, raw, to, next });
  });
}
