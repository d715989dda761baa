import type { SignInPage } from '#web/pages/identity-props.ts';
import type { PasskeyPart } from '#web/pages/props.ts';
import type { RequestOptions } from '../../actions/passkeys/assertions.ts';
import { secondStepOptions, signInOptions, signInWithPasskey } from '../../actions/passkeys/passkey-sign-in.ts';
import type { Restricted } from '../../actions/sessions/identities.ts';
import type { NewSession } from '../../actions/sessions/open-session.ts';
import { rememberBrowser, rememberedSeconds } from '../../actions/sessions/remembered-browsers.ts';
import {
  findPendingUser,
  passSecondStep,
  shortestKeptHours,
  signInWithPassword,
  signOut,
} from '../../actions/sessions/sessions.ts';
import { ProofNeeded } from '../../actions/sessions/sign-in.ts';
import { Problem } from '../../domain/problem.ts';
import { needsPasskey } from '../../domain/sessions.ts';
import { displayName, type User } from '../../domain/users.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { readGuardedForm, sendPage } from '../identity/pre-session.ts';
import { pathOfStep, requireCsrf, sessionCookie, visitorOfPage } from '../identity/visits.ts';
import { readerOf } from '../transport/languages.ts';
import { refusalText } from '../transport/refusal-texts.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath, readTarget } from '../transport/urls.ts';
import { readFlash, redirectWith } from './flash.ts';
import { clearCookie, readCookie, readOwnForm, seeOther, setCookie, sharedMark, sharedMarkCookie } from './forms.ts';
import { orSignInPage, serviceButtons, toLinkPage } from './service-sign-in.ts';

type PasswordProblem = Extract<SignInPage['step'], { is: 'password' }>['problem'];
type SecondProblem = Extract<SignInPage['step'], { is: 'second-factor' }>['problem'];

interface KeptPassword {
  email: string;
  to: string;
  keep: boolean;
  isShared: boolean;
  problem: PasswordProblem;
  /** Of a sign-in through a service. */
  serviceProblem?: string | null;
  /** The second step took too long or every session was ended. */
  isLate?: boolean;
}

interface KeptSecond {
  to: string;
  keep: boolean;
  problem: SecondProblem;
}

const second = '/sign-in/second';
const rememberedCookie = 'remembered';

export function serveSignIn(deps: HttpDeps, router: Router): void {
  router.page('GET', '/sign-in', (exchange) => showSignIn(deps, exchange));
  router.page('POST', '/sign-in', (exchange) => takePassword(deps, exchange));
  router.page('POST', '/sign-in/passkey', (exchange) => takePasskey(deps, exchange, '/sign-in'));
  router.page('GET', second, (exchange) => showSecond(deps, exchange));
  router.page('POST', second, (exchange) => takeSecondFactor(deps, exchange));
  router.page('POST', `${second}/passkey`, (exchange) => takePasskey(deps, exchange, second));
  router.page('GET', '/sign-out', async (exchange) => {
    const visitor = await visitorOfPage(deps, exchange.raw);
    // Opening an address signs nobody out; the app has a button.
    if (visitor.user !== null) return sendPage(deps, exchange, signedInPage(deps, visitor.user, visitor.csrf!));
    sendPage(deps, exchange, { kind: 'signed-out', signInUrl: signInUrl(deps) });
  });
  router.page('POST', '/sign-out', (exchange) => leave(deps, exchange));
}

function signInUrl(deps: HttpDeps): string {
  return `${basePath(deps)}/sign-in`;
}

async function showSignIn(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const to = readTarget(new URLSearchParams(exchange.queryText).get('to'));
  const visitor = await visitorOfPage(deps, exchange.raw);
  if (visitor.restricted !== null)
    return seeOther(exchange.response, `${basePath(deps)}${stepPath(visitor.restricted.requires, to)}`);
  if (visitor.user === null) {
    const { kept, cookies } = readFlash<KeptPassword>(deps, exchange, '/sign-in');
    const page = await passwordPage(deps, kept ?? { email: '', to, keep: false, isShared: false, problem: null });
    return sendPage(deps, exchange, page, { headers: { 'set-cookie': cookies } });
  }
  seeOther(exchange.response, `${basePath(deps)}${to === '/' ? '/app' : to}`);
}

function signedInPage(deps: HttpDeps, user: User, csrf: string): SignInPage {
  return {
    kind: 'sign-in',
    step: {
      is: 'signed-in',
      person: { name: displayName(user), address: user.email },
      continueUrl: `${basePath(deps)}/`,
      signOutForm: { action: `${basePath(deps)}/sign-out`, csrf },
    },
  };
}

async function passwordPage(deps: HttpDeps, kept: KeptPassword): Promise<SignInPage> {
  const { email, to, keep, isShared, problem, serviceProblem = null, isLate } = kept;
  return {
    kind: 'sign-in',
    step: {
      is: 'password',
      form: { action: signInUrl(deps), hidden: { to } },
      email,
      keepHours: await shortestKeptHours(deps.ctx),
      isKeepTicked: keep,
      isSharedTicked: isShared,
      forgotUrl: `${basePath(deps)}/forgot`,
      reason: isLate === true ? 'session-ended' : to === '/' ? null : 'needed',
      problem,
      services: await serviceButtons(deps, to),
      serviceProblem,
      passkey: passkeyPart(deps, '/sign-in', signInOptions(deps.ctx)),
    },
  };
}

function passkeyPart(deps: HttpDeps, path: string, options: RequestOptions | null): PasskeyPart | null {
  return options === null ? null : { formAction: `${basePath(deps)}${path}/passkey`, options };
}

/** Alone, or after a password; refusals are shown on the page that asked. */
async function takePasskey(deps: HttpDeps, exchange: Exchange, path: '/sign-in' | typeof second): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const to = readTarget(form.get('to'));
  const isShared = form.get('shared_computer') === '1';
  const keep = form.get('keep') === '1' && !isShared;
  const { tokens } = await visitorOfPage(deps, exchange.raw);
  const isSecond = path === second;
  if (isSecond && tokens.session === undefined) return seeOther(exchange.response, signInUrl(deps));
  const session = await signInWithPasskey(deps.ctx, anonymousCaller(deps, exchange), {
    credential: form.get('credential') ?? '',
    keep,
    pendingToken: isSecond ? tokens.session! : null,
  }).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.kind !== 'unauthenticated') throw error;
    deps.meters.authFailed('passkey');
    const problem = { is: 'sentence', sentence: refusalText(error, readerOf(deps, exchange.raw)) } as const;
    const kept = isSecond ? { to, keep, problem } : { email: '', to, keep, isShared, problem };
    redirectWith(deps, exchange.response, isSecond ? second : pathTo(to), { kept });
    return null;
  });
  if (session === null) return;
  if (!isSecond && tokens.session !== undefined) await signOut(deps.ctx, tokens.session);
  const cookies = [setCookie(deps, sessionCookie, session.token, session.keptSeconds)];
  if (!isSecond) cookies.push(...marksOf(deps, exchange, isShared));
  seeOther(exchange.response, `${basePath(deps)}${nextOf(session, to)}`, { 'set-cookie': cookies });
}

async function takePassword(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const email = (form.get('email') ?? '').trim();
  const password = form.get('password') ?? '';
  const to = readTarget(form.get('to'));
  const isShared = form.get('shared_computer') === '1';
  const keep = form.get('keep') === '1' && !isShared;
  const showAgain = (problem: PasswordProblem) => {
    const kept: KeptPassword = { email: email.slice(0, 320), to, keep, isShared, problem };
    redirectWith(deps, exchange.response, pathTo(to), { kept });
  };
  const fields = [...(email === '' ? ['email' as const] : []), ...(password === '' ? ['password' as const] : [])];
  if (fields.length > 0) return showAgain({ is: 'missing', fields });
  try {
    const session = await signInWithPassword(deps.ctx, anonymousCaller(deps, exchange), {
      login: email,
      password,
      keep,
      remembered: readCookie(deps, exchange.raw, rememberedCookie),
    });
    const { tokens } = await visitorOfPage(deps, exchange.raw);
    if (tokens.session !== undefined) await signOut(deps.ctx, tokens.session);
    const cookies = [
      setCookie(deps, sessionCookie, session.token, session.keptSeconds),
      ...marksOf(deps, exchange, isShared),
    ];
    leadOn(deps, exchange, { session, to, keep, cookies });
  } catch (error) {
    if (error instanceof ProofNeeded)
      return toLinkPage(deps, exchange.response, { ...error.vouched, userId: error.userId, to });
    if (error instanceof Problem && error.code.startsWith('sign_in.'))
      return orSignInPage(deps, exchange, to, () => Promise.reject(error));
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'login.password_off')
      return showAgain({ is: 'sentence', sentence: refusalText(error, readerOf(deps, exchange.raw)) });
    if (error.kind !== 'unauthenticated') throw error;
    deps.meters.authFailed('password');
    showAgain({ is: 'wrong' });
  }
}

interface Opened {
  session: NewSession;
  to: string;
  keep: boolean;
  cookies: string[];
}

/** To the second step, or to where the person wants to go. */
function leadOn(deps: HttpDeps, exchange: Exchange, { session, to, keep, cookies }: Opened): void {
  if (session.requires === 'second_step') {
    const kept: KeptSecond = { to, keep, problem: null };
    redirectWith(deps, exchange.response, second, { kept, cookies });
    return;
  }
  seeOther(exchange.response, `${basePath(deps)}${nextOf(session, to)}`, { 'set-cookie': cookies });
}

/** After a sign-in through a service. */
export function continueSignIn(
  deps: HttpDeps,
  exchange: Exchange,
  { session, to, cookies }: Omit<Opened, 'keep'>,
): void {
  const all = [setCookie(deps, sessionCookie, session.token, session.keptSeconds), ...cookies];
  leadOn(deps, exchange, { session, to: to === '/' ? '/app' : to, keep: false, cookies: all });
}

/** What the user must do first, or the requested address. */
function nextOf({ requires }: NewSession, to: string): string {
  return requires === null || requires === 'second_step' ? to : stepPath(requires, to);
}

/** Only the new-password page continues to the requested address. */
function stepPath(step: Restricted['requires'], to: string): string {
  return to === '/' || step !== 'new_password' ? pathOfStep(step) : `${pathOfStep(step)}?to=${encodeURIComponent(to)}`;
}

function marksOf(deps: HttpDeps, { raw }: Exchange, isShared: boolean): string[] {
  if (isShared) return [sharedMark(deps, null)];
  return readCookie(deps, raw, sharedMarkCookie) === undefined ? [] : [clearCookie(deps, sharedMarkCookie)];
}

function pathTo(to: string): string {
  return to === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(to)}`;
}

/** Requires the pending session of a correct password. */
async function showSecond(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const { tokens } = await visitorOfPage(deps, exchange.raw);
  if (tokens.session === undefined) return seeOther(exchange.response, signInUrl(deps));
  const { kept, cookies } = readFlash<KeptSecond>(deps, exchange, second);
  const { to, keep, problem } = kept ?? { to: '/', keep: false, problem: null };
  const pending = await findPendingUser(deps.ctx, tokens.session);
  const page: SignInPage = {
    kind: 'sign-in',
    step: {
      is: 'second-factor',
      form: { action: `${basePath(deps)}${second}`, hidden: { to, keep: keep ? '1' : '' } },
      startOverUrl: signInUrl(deps),
      problem,
      hasCode: pending === null || (pending.totpState === 'on' && !needsPasskey(pending)),
      passkey: pending === null ? null : passkeyPart(deps, second, await secondStepOptions(deps.ctx, pending.id)),
    },
  };
  sendPage(deps, exchange, page, { headers: { 'set-cookie': cookies } });
}

async function takeSecondFactor(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const values = { to: readTarget(form.get('to')), keep: form.get('keep') === '1' };
  const code = form.get('code') ?? '';
  const showAgain = (is: 'missing' | 'wrong') => {
    const kept: KeptSecond = { ...values, problem: { is } };
    redirectWith(deps, exchange.response, second, { kept });
  };
  if (code.trim() === '') return showAgain('missing');
  const { tokens } = await visitorOfPage(deps, exchange.raw);
  if (tokens.session === undefined) return seeOther(exchange.response, signInUrl(deps));
  const caller = anonymousCaller(deps, exchange);
  const step = { pendingToken: tokens.session, code, keep: values.keep };
  const session = await passSecondStep(deps.ctx, caller, step).catch(lateIfGone);
  if (session === 'late') {
    // Of two clicks the second fails, but the first has opened a session.
    const kept: KeptPassword = { email: '', ...values, isShared: false, problem: null, isLate: true };
    redirectWith(deps, exchange.response, pathTo(values.to), { kept });
    return;
  }
  if (session === null) {
    deps.meters.authFailed('second_factor');
    return showAgain('wrong');
  }
  const cookies = [setCookie(deps, sessionCookie, session.token, session.keptSeconds)];
  if (form.get('remember') === '1') cookies.push(await remember(deps, exchange, session.user.id));
  seeOther(exchange.response, `${basePath(deps)}${nextOf(session, values.to)}`, { 'set-cookie': cookies });
}

async function remember(deps: HttpDeps, exchange: Exchange, userId: string): Promise<string> {
  const token = readCookie(deps, exchange.raw, rememberedCookie);
  const kept = await rememberBrowser(deps.ctx, anonymousCaller(deps, exchange), { userId, token });
  return setCookie(deps, rememberedCookie, kept, rememberedSeconds);
}

/** The pending session is gone. */
function lateIfGone(error: unknown): 'late' {
  if (error instanceof Problem && error.kind === 'not_found') return 'late';
  throw error;
}

async function leave(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readOwnForm(deps, exchange.raw, exchange.response);
  const visitor = await visitorOfPage(deps, exchange.raw);
  requireCsrf(deps, visitor, form.get('csrf'));
  if (visitor.tokens.session !== undefined) await signOut(deps.ctx, visitor.tokens.session);
  seeOther(exchange.response, `${basePath(deps)}/sign-out`, { 'set-cookie': clearCookie(deps, sessionCookie) });
}
