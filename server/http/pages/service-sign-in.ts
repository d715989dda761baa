// What pages of all sign-in services share: the sealed cookie of a sign-in in progress, and its end.
import type { ServerResponse } from 'node:http';
import { forgiveAttempt, requireAttempt } from '../../actions/attempts.ts';
import { type PendingLink, pendingLinkMs } from '../../actions/identity/linking.ts';
import { listServices } from '../../actions/identity/service-list.ts';
import { findTest, finishTest, runTestStep, type SignInTest } from '../../actions/identity/service-test.ts';
import { type ServiceSignIn, signInThroughService } from '../../actions/identity/sign-in.ts';
import { type NewSession, openSessionFor } from '../../actions/sessions/open-session.ts';
import { signOut } from '../../actions/sessions/sessions.ts';
import { Problem } from '../../domain/problem.ts';
import { holds } from '../../domain/roles.ts';
import type { Answered, SignInService } from '../../domain/sign-in-service-fields.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { visitorOfPage } from '../identity/visits.ts';
import { readerOf } from '../transport/languages.ts';
import { refusalText } from '../transport/refusal-texts.ts';
import type { Exchange } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { redirectWith } from './flash.ts';
import { clearCookie, readCookie, seeOther, setCookie } from './forms.ts';
import { pathsOf } from './service-paths.ts';

const stateCookie = 'sign-in';
const linkCookie = 'link-identity';
const stateMs = 15 * 60_000;
export const linkPath = '/sign-in/link';

/** `isSentAcrossSites`: the answer comes as a form of another site, to which browsers add no other cookies. */
export function stateCookieOf(
  deps: HttpDeps,
  state: object,
  { isSentAcrossSites = false }: { isSentAcrossSites?: boolean } = {},
): string {
  const text = JSON.stringify({ ...state, expiresAt: deps.ctx.clock.now() + stateMs });
  const sealed = deps.ctx.keys.sealText('sign-in-state', text, stateCookie).toString('base64url');
  const cookie = setCookie(deps, stateCookie, sealed, stateMs / 1000);
  const isSecure = deps.baseUrl.protocol === 'https:';
  return isSentAcrossSites && isSecure ? cookie.replace('SameSite=Lax', 'SameSite=None') : cookie;
}

/** Null if it is missing, was changed, or is too old. */
export function readStateCookie<State>(deps: HttpDeps, { raw }: Pick<Exchange, 'raw'>): State | null {
  return openCookie<State>(deps, readCookie(deps, raw, stateCookie), stateCookie);
}

export function clearStateCookie(deps: HttpDeps): string {
  return clearCookie(deps, stateCookie);
}

export function readPendingLink(deps: HttpDeps, { raw }: Pick<Exchange, 'raw'>): (PendingLink & Target) | null {
  return openCookie<PendingLink & Target>(deps, readCookie(deps, raw, linkCookie), linkCookie);
}

export function clearPendingLink(deps: HttpDeps): string {
  return clearCookie(deps, linkCookie);
}

export interface Target {
  to: string;
  /** Start address of the service. */
  start: string;
}

function openCookie<State>(deps: HttpDeps, sealed: string | undefined, place: string): State | null {
  if (sealed === undefined) return null;
  try {
    const text = deps.ctx.keys.openText('sign-in-state', Buffer.from(sealed, 'base64url'), place);
    const state = JSON.parse(text) as State & { expiresAt: number };
    return state.expiresAt > deps.ctx.clock.now() ? state : null;
  } catch {
    return null;
  }
}

/** Buttons of the sign-in page; LDAP uses its form. */
export async function serviceButtons(deps: HttpDeps, to: string): Promise<{ name: string; url: string }[]> {
  const services = await listServices(deps.ctx);
  const query = to === '/' ? '' : `?to=${encodeURIComponent(to)}`;
  return services
    .filter(({ kind }) => kind !== 'ldap')
    .map((service) => ({ name: service.name, url: `${basePath(deps)}${pathsOf(service).start!}${query}` }));
}

/** Runs a step of a sign-in; a refusal is shown on the sign-in page, which never redirects by itself. */
export async function orSignInPage(
  deps: HttpDeps,
  exchange: Exchange,
  to: string,
  step: () => Promise<void>,
): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const sentence = refusalText(error, readerOf(deps, exchange.raw));
    const kept = { email: '', to, keep: false, isShared: false, problem: null, serviceProblem: sentence };
    const path = to === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(to)}`;
    redirectWith(deps, exchange.response, path, { kept, cookies: [clearStateCookie(deps)] });
  }
}

/** Opens the session, or leads to the page where the owner of an account proves it. */
export async function endServiceSignIn(
  deps: HttpDeps,
  exchange: Exchange,
  { to, next, ...signIn }: ServiceSignIn & { to: string; next: (session: NewSession) => void },
): Promise<void> {
  const { ctx } = deps;
  const caller = anonymousCaller(deps, exchange);
  const attempt = await requireAttempt(ctx, ['signInByNetwork'], { network: networkOf(caller.from.address) });
  const result = await signInThroughService(ctx, caller, signIn, async (tx, user, proof) => {
    const session = await openSessionFor(ctx, tx, caller, { user, proof, keep: false });
    if (session !== null) await forgiveAttempt(tx, attempt);
    return session;
  });
  if (result.is === 'prove') {
    return toLinkPage(deps, exchange.response, { ...signIn, userId: result.userId, to });
  }
  const { tokens } = await visitorOfPage(deps, exchange.raw);
  if (tokens.session !== undefined) await signOut(ctx, tokens.session);
  next(result.access);
}

/** Where the owner of the account proves it; afterwards the sign-in starts again. */
export function toLinkPage(
  deps: HttpDeps,
  response: ServerResponse,
  { service, claims, userId, to }: Pick<ServiceSignIn, 'service' | 'claims'> & { userId: string; to: string },
): void {
  const link: PendingLink & Target = {
    service: { id: service.id, name: service.name },
    subject: claims.subject,
    userId,
    expiresAt: deps.ctx.clock.now() + pendingLinkMs,
    to,
    start: pathsOf(service).start ?? '/sign-in',
  };
  const sealed = deps.ctx.keys.sealText('sign-in-state', JSON.stringify(link), linkCookie).toString('base64url');
  const cookie = setCookie(deps, linkCookie, sealed, pendingLinkMs / 1000);
  seeOther(response, `${basePath(deps)}${linkPath}`, { 'set-cookie': [cookie, clearStateCookie(deps)] });
}

/** The test that `?test=` names, of the administrator who visits. */
export async function testOfVisitor(
  deps: HttpDeps,
  { raw, queryText }: Exchange,
  service: Pick<SignInService, 'id' | 'kind'>,
): Promise<SignInTest | null> {
  const id = new URLSearchParams(queryText).get('test');
  if (id === null) return null;
  const { user, tokens } = await visitorOfPage(deps, raw);
  if (user === null || !holds(user, 'system.change')) return null;
  return testOf(deps, id, service, [deps.ctx.keys.hash('session', tokens.session!).toString('hex'), user.id]);
}

/** The test that began with the sealed cookie. */
export async function testOf(
  { ctx }: HttpDeps,
  id: string | null | undefined,
  service: Pick<SignInService, 'id' | 'kind'>,
  owners: readonly string[] | null = null,
): Promise<SignInTest | null> {
  const test = id === null || id === undefined ? null : await findTest(ctx, id, owners);
  return test?.service.id === service.id && test.service.kind === service.kind ? test : null;
}

/** The second window of a test: a failed step is its result, which the console shows. */
export async function testStep<Result>(
  deps: HttpDeps,
  { response }: Exchange,
  { test, step, next }: { test: SignInTest; step: () => Promise<Result>; next: (done: Result) => Promise<void> },
): Promise<void> {
  const done = await runTestStep(deps.ctx, test, step);
  return done === null ? showTest(deps, response, test) : next(done);
}

function showTest(deps: HttpDeps, response: ServerResponse, { id }: SignInTest): void {
  const path = `${basePath(deps)}/app/admin/sign-in-services?test=${id}`;
  seeOther(response, path, { 'set-cookie': clearStateCookie(deps) });
}

export async function endTest(
  deps: HttpDeps,
  exchange: Exchange,
  { test, step }: { test: SignInTest; step: () => Promise<Answered> },
): Promise<void> {
  const next = async (answered: Answered) => {
    await finishTest(deps.ctx, anonymousCaller(deps, exchange), test, answered);
    showTest(deps, exchange.response, test);
  };
  await testStep(deps, exchange, { test, step, next });
}
