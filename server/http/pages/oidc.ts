// Sign-in through OpenID Connect: the way to the provider and back.
import { beginOidcSignIn, finishOidcSignIn, oidcStart, readOidcAnswer } from '../../actions/identity/oidc.ts';
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
  orSignInPage,
  readStateCookie,
  stateCookieOf,
  testOf,
  testOfVisitor,
  testStep,
} from './service-sign-in.ts';
import { continueSignIn } from './sign-in.ts';

interface State extends OidcChecks {
  service: string;
  to: string;
  /** Id of the test that it is part of. */
  test: string | null;
}

export function serveOidc(deps: HttpDeps, router: Router): void {
  router.page('GET', '/sign-in/oidc/:id', (exchange) => begin(deps, exchange));
  router.page('GET', '/sign-in/oidc/:id/callback', (exchange) => finish(deps, exchange));
}

async function serviceOf(deps: HttpDeps, { params }: Exchange): Promise<SignInService> {
  const service = await findService(deps.ctx, 'oidc', params.id ?? '');
  if (service === undefined) throw notFound('page', 'There’s nothing at this address.');
  return service;
}

function checksOf({ state, nonce, verifier }: State): OidcChecks {
  return { state, nonce, verifier };
}

async function begin(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const { ctx } = deps;
  const to = readTarget(new URLSearchParams(exchange.queryText).get('to'));
  const toProvider = ({ url, checks }: Awaited<ReturnType<typeof oidcStart>>, service: string, test: string | null) => {
    const state: State = { ...checks, service, to, test };
    seeOther(exchange.response, url, { 'set-cookie': stateCookieOf(deps, state) });
  };
  const test = await testOfVisitor(deps, exchange, { id: exchange.params.id ?? '', kind: 'oidc' });
  if (test !== null) {
    const { service, id } = test;
    const next = async (start: Awaited<ReturnType<typeof oidcStart>>) => toProvider(start, service.id, id);
    return testStep(deps, exchange, { test, step: () => oidcStart(ctx, service), next });
  }
  const service = await serviceOf(deps, exchange);
  await orSignInPage(deps, exchange, to, async () =>
    toProvider(await beginOidcSignIn(ctx, anonymousCaller(deps, exchange), service), service.id, null),
  );
}

async function finish(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const state = readStateCookie<State>(deps, exchange);
  const test = await testOf(deps, state?.test, { id: exchange.params.id ?? '', kind: 'oidc' });
  if (state !== null && test !== null) {
    const answer = { service: test.service, checks: checksOf(state), query: exchange.queryText };
    return endTest(deps, exchange, { test, step: () => readOidcAnswer(deps.ctx, answer) });
  }
  const service = await serviceOf(deps, exchange);
  const to = state?.to ?? '/';
  await orSignInPage(deps, exchange, to, async () => {
    if (state === null || state.service !== service.id || typeof state.test === 'string')
      throw signInRefusal('expired', service);
    const caller = anonymousCaller(deps, exchange);
    const answer = { service, checks: checksOf(state), query: exchange.queryText };
    const { claims, raw } = await finishOidcSignIn(deps.ctx, caller, answer);
    const next = (session: NewSession) =>
      continueSignIn(deps, exchange, { session, to, cookies: [clearStateCookie(deps)] });
    await endServiceSignIn(deps, exchange, { service, claims, raw, to, next });
  });
}
