// Sign-in through SAML: the way to the identity provider, its answer, and our metadata.
import {
  beginSamlSignIn,
  finishSamlSignIn,
  readSamlAnswer,
  samlMetadataOf,
  samlStart,
} from '../../actions/identity/saml.ts';
import { findService } from '../../actions/identity/service-list.ts';
import type { NewSession } from '../../actions/sessions/open-session.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import type { SignInService } from '../../domain/sign-in-service-fields.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { readAll } from '../transport/body.ts';
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

interface State {
  requestId: string;
  service: string;
  to: string;
  /** Id of the test that it is part of. */
  test: string | null;
}

/** Assertions name many groups. */
const maxAnswerBytes = 512 * 1024;

export function serveSaml(deps: HttpDeps, router: Router): void {
  for (const prefix of ['/saml', '/saml/:id']) {
    router.page('GET', `${prefix}/init`, (exchange) => begin(deps, exchange));
    router.page('POST', `${prefix}/consume`, (exchange) => finish(deps, exchange));
    router.page('GET', `${prefix}/metadata.xml`, (exchange) => sendMetadata(deps, exchange));
  }
}

const serviceIdOf = ({ params }: Exchange) => ({ id: params.id ?? 'saml', kind: 'saml' }) as const;

async function serviceOf(
  { ctx }: HttpDeps,
  exchange: Exchange,
  options: { isAlsoOff: boolean } = { isAlsoOff: false },
): Promise<SignInService> {
  const service = await findService(ctx, 'saml', serviceIdOf(exchange).id, options);
  if (service === undefined) throw notFound('page', 'There’s nothing at this address.');
  return service;
}

/** Also of a service that is switched off: the identity provider needs it first. */
async function sendMetadata(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const test = await testOfVisitor(deps, exchange, serviceIdOf(exchange));
  const service = test?.service ?? (await serviceOf(deps, exchange, { isAlsoOff: true }));
  const body = Buffer.from(await samlMetadataOf(deps.ctx, service));
  exchange.response.writeHead(200, {
    'content-type': 'application/samlmetadata+xml',
    'content-length': body.length,
    'cache-control': 'no-store',
  });
  exchange.response.end(body);
}

async function begin(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const { ctx } = deps;
  const to = readTarget(new URLSearchParams(exchange.queryText).get('to'));
  const toProvider = ({ url, requestId }: { url: string; requestId: string }, service: string, test: string | null) => {
    const state: State = { requestId, service, to, test };
    seeOther(exchange.response, url, { 'set-cookie': stateCookieOf(deps, state, { isSentAcrossSites: true }) });
  };
  const test = await testOfVisitor(deps, exchange, serviceIdOf(exchange));
  if (test !== null) {
    const { service, id } = test;
    const next = async (start: { url: string; requestId: string }) => toProvider(start, service.id, id);
    return testStep(deps, exchange, { test, step: () => samlStart(ctx, service), next });
  }
  const service = await serviceOf(deps, exchange);
  await orSignInPage(deps, exchange, to, async () =>
    toProvider(await beginSamlSignIn(ctx, anonymousCaller(deps, exchange), service), service.id, null),
  );
}

async function finish(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const kept = readStateCookie<State>(deps, exchange);
  const state = kept?.requestId === undefined ? null : kept;
  const test = await testOf(deps, state?.test, serviceIdOf(exchange));
  const service = test?.service ?? (await serviceOf(deps, exchange));
  const to = state?.to ?? '/';
  const response = await readAnswer(exchange);
  if (state !== null && test !== null) {
    const answer = { service, response, requestId: state.requestId };
    return endTest(deps, exchange, { test, step: () => readSamlAnswer(deps.ctx, answer) });
  }
  await orSignInPage(deps, exchange, to, async () => {
    const requestId = state?.service === service.id && typeof state.test !== 'string' ? state.requestId : null;
    const caller = anonymousCaller(deps, exchange);
    const { claims, raw } = await finishSamlSignIn(deps.ctx, caller, { service, response, requestId });
    const next = (session: NewSession) =>
      continueSignIn(deps, exchange, { session, to, cookies: [clearStateCookie(deps)] });
    await endServiceSignIn(deps, exchange, { service, claims, raw, to, next });
  });
}

async function readAnswer({ raw, response }: Exchange): Promise<string> {
  if (!(raw.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded'))
    throw new Problem('invalid', 'request.not_form', 'The form was not sent as a form.');
  const body = await readAll(raw, response, maxAnswerBytes);
  return new URLSearchParams(body.toString('latin1')).get('SAMLResponse') ?? '';
}
