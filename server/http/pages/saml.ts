// Sign-in through SAML: the way to the identity provider, its answer, and our metadata.
import { beginSamlSignIn, finishSamlSignIn, samlMetadataOf } from '../../actions/identity/saml.ts';
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
  mayTest,
  orSignInPage,
  readStateCookie,
  stateCookieOf,
} from './service-sign-in.ts';
import { continueSignIn } from './sign-in.ts';

interface State {
  requestId: string;
  service: string;
  to: string;
  isTest: boolean;
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

async function serviceOf(
  { ctx }: HttpDeps,
  { params }: Exchange,
  options: { isAlsoOff: boolean },
): Promise<SignInService> {
  const service = await findService(ctx, 'saml', params.id ?? 'saml', options);
  if (service === undefined) throw notFound('page', 'There’s nothing at this address.');
  return service;
}

/** Also of a service that is switched off: the identity provider needs it first. */
async function sendMetadata(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const service = await serviceOf(deps, exchange, { isAlsoOff: true });
  const body = Buffer.from(await samlMetadataOf(deps.ctx, service));
  exchange.response.writeHead(200, {
    'content-type': 'application/samlmetadata+xml',
    'content-length': body.length,
    'cache-control': 'no-store',
  });
  exchange.response.end(body);
}

async function begin(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const query = new URLSearchParams(exchange.queryText);
  const isTest = query.get('test') === '1' && (await mayTest(deps, exchange));
  const service = await serviceOf(deps, exchange, { isAlsoOff: isTest });
  const to = readTarget(query.get('to'));
  await orSignInPage(deps, exchange, to, async () => {
    const { url, requestId } = await beginSamlSignIn(deps.ctx, anonymousCaller(deps, exchange), service);
    const state: State = { requestId, service: service.id, to, isTest };
    seeOther(exchange.response, url, { 'set-cookie': stateCookieOf(deps, state, { isSentAcrossSites: true }) });
  });
}

async function finish(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const kept = readStateCookie<State>(deps, exchange);
  const state = kept?.requestId === undefined ? null : kept;
  const service = await serviceOf(deps, exchange, { isAlsoOff: state?.isTest === true });
  const to = state?.to ?? '/';
  const response = await readAnswer(exchange);
  await orSignInPage(deps, exchange, to, async () => {
    const requestId = state?.service === service.id ? state.requestId : null;
    const caller = anonymousCaller(deps, exchange);
    const { claims, raw } = await finishSamlSignIn(deps.ctx, caller, { service, response, requestId });
    if (state?.isTest === true) return endTest(deps, exchange, service, raw);
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
