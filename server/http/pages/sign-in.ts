// Signing in and out, forgotten passwords, invitations, the second factor (experience R3, R10).

import type {
  ChooseField,
  ChoosePasswordPage,
  ChooseProblem,
  SignInPage,
  TotpSetupPage,
} from '#web/pages/identity-props.ts';
import { confirmTotp, offerTotp, owesTotp, pendingTotp } from '../../actions/account/totp.ts';
import { callerOf } from '../../actions/sessions/identities.ts';
import { choosePassword, requestReset, resetMinutes, visitOneTimeLink } from '../../actions/sessions/one-time-links.ts';
import { openSession, passSecondFactor, shortestKeptHours, signOut } from '../../actions/sessions/sessions.ts';
import { Problem } from '../../domain/problem.ts';
import { parseAddress } from '../../lib/address.ts';
import { MIN_PASSWORD_CHARS } from '../../lib/password-rules.ts';
import { anonymousCaller, originOf } from '../credentials.ts';
import type { HttpDeps } from '../deps.ts';
import { clearCookie, readOwnForm, seeOther, setCookie } from '../forms.ts';
import { readGuardedForm, sendPage } from '../pre-session.ts';
import type { Exchange, Router } from '../router.ts';
import { basePath, readTarget } from '../urls.ts';
import { demandCsrf, sessionCookie, visitorOfPage } from '../visits.ts';
import { unknownPage } from './unknown.ts';

export function serveSignIn(deps: HttpDeps, router: Router): void {
  router.page('GET', '/sign-in', (exchange) => showSignIn(deps, exchange));
  router.page('POST', '/sign-in', (exchange) => takePassword(deps, exchange));
  router.page('POST', '/sign-in/second', (exchange) => takeSecondFactor(deps, exchange));
  router.page('POST', '/sign-out', (exchange) => leave(deps, exchange));
  router.page('GET', '/forgot', async (exchange) => {
    const state = { is: 'ask', form: { action: `${basePath(deps)}/forgot` }, email: '', problem: null } as const;
    sendPage(deps, exchange, { kind: 'forgot', signInUrl: signInUrl(deps), state });
  });
  router.page('POST', '/forgot', (exchange) => forgot(deps, exchange));
  for (const [path, kind] of [
    ['/reset/:token', 'reset'],
    ['/invite/:token', 'invitation'],
  ] as const) {
    router.page('GET', path, (exchange) => showChoice(deps, exchange, kind, { name: '', problems: [] }));
    router.page('POST', path, (exchange) => choose(deps, exchange, kind));
  }
  router.page('GET', '/second-factor', (exchange) => showTotp(deps, exchange, null));
  router.page('POST', '/second-factor', (exchange) => takeTotp(deps, exchange));
}

function signInUrl(deps: HttpDeps): string {
  return `${basePath(deps)}/sign-in`;
}

async function passwordStep(
  deps: HttpDeps,
  values: { email: string; to: string; keep: boolean },
  problem: Extract<SignInPage['step'], { is: 'password' }>['problem'],
): Promise<SignInPage> {
  return {
    kind: 'sign-in',
    step: {
      is: 'password',
      form: { action: signInUrl(deps), hidden: { to: values.to } },
      email: values.email,
      keepHours: await shortestKeptHours(deps.ctx),
      isKeepTicked: values.keep,
      forgotUrl: `${basePath(deps)}/forgot`,
      reason: values.to === '/' ? null : 'needed',
      problem,
    },
  };
}

async function showSignIn(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const to = readTarget(new URLSearchParams(exchange.queryText).get('to'));
  const visitor = await visitorOfPage(deps, exchange.raw);
  if (visitor.owing !== null) return seeOther(exchange.response, `${basePath(deps)}/second-factor`);
  if (visitor.user === null)
    return sendPage(deps, exchange, await passwordStep(deps, { email: '', to, keep: false }, null));
  if (to !== '/') return seeOther(exchange.response, `${basePath(deps)}${to}`);
  sendPage(deps, exchange, {
    kind: 'sign-in',
    step: {
      is: 'signed-in',
      person: { name: visitor.user.name === '' ? visitor.user.email : visitor.user.name, address: visitor.user.email },
      continueUrl: `${basePath(deps)}/`,
      signOutForm: { action: `${basePath(deps)}/sign-out`, csrf: visitor.csrf! },
    },
  });
}

async function takePassword(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const values = {
    email: (form.get('email') ?? '').trim(),
    to: readTarget(form.get('to')),
    keep: form.get('keep') === '1',
  };
  const password = form.get('password') ?? '';
  const missing = [
    ...(values.email === '' ? ['email' as const] : []),
    ...(password === '' ? ['password' as const] : []),
  ];
  if (missing.length > 0)
    return sendPage(deps, exchange, await passwordStep(deps, values, { is: 'missing', fields: missing }));
  try {
    const caller = anonymousCaller(deps, exchange);
    const session = await openSession(deps.ctx, caller, { login: values.email, password, keep: values.keep });
    const { tokens } = await visitorOfPage(deps, exchange.raw);
    if (tokens.session !== undefined) await signOut(deps.ctx, tokens.session);
    const cookie = { 'set-cookie': setCookie(deps, sessionCookie, session.token, session.keptSeconds) };
    if (session.needsSecondFactor) return sendPage(deps, exchange, secondStep(deps, values, null), { headers: cookie });
    const to = owesTotp(session.user) ? '/second-factor' : values.to;
    seeOther(exchange.response, `${basePath(deps)}${to}`, cookie);
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'unauthenticated') throw error;
    sendPage(deps, exchange, await passwordStep(deps, values, { is: 'wrong' }));
  }
}

function secondStep(
  deps: HttpDeps,
  values: { to: string; keep: boolean },
  problem: Extract<SignInPage['step'], { is: 'second-factor' }>['problem'],
): SignInPage {
  const hidden = { to: values.to, keep: values.keep ? '1' : '' };
  return {
    kind: 'sign-in',
    step: {
      is: 'second-factor',
      form: { action: `${signInUrl(deps)}/second`, hidden },
      startOverUrl: signInUrl(deps),
      problem,
    },
  };
}

async function takeSecondFactor(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const values = { to: readTarget(form.get('to')), keep: form.get('keep') === '1' };
  const code = form.get('code') ?? '';
  if (code.trim() === '') return sendPage(deps, exchange, secondStep(deps, values, { is: 'missing' }));
  const { tokens } = await visitorOfPage(deps, exchange.raw);
  if (tokens.session === undefined) return seeOther(exchange.response, signInUrl(deps));
  const caller = anonymousCaller(deps, exchange);
  const session = await passSecondFactor(deps.ctx, caller, { pendingToken: tokens.session, code, keep: values.keep });
  if (session === null) return sendPage(deps, exchange, secondStep(deps, values, { is: 'wrong' }));
  seeOther(exchange.response, `${basePath(deps)}${values.to}`, {
    'set-cookie': setCookie(deps, sessionCookie, session.token, session.keptSeconds),
  });
}

async function leave(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readOwnForm(deps, exchange.raw, exchange.response);
  const visitor = await visitorOfPage(deps, exchange.raw);
  demandCsrf(deps, visitor, form.get('csrf'));
  if (visitor.tokens.session !== undefined) await signOut(deps.ctx, visitor.tokens.session);
  sendPage(
    deps,
    exchange,
    { kind: 'signed-out', signInUrl: signInUrl(deps) },
    { headers: { 'set-cookie': clearCookie(deps, sessionCookie) } },
  );
}

async function forgot(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const email = (form.get('email') ?? '').trim();
  if (parseAddress(email, { allowSingleLabel: true }) === null) {
    const problem = { field: 'email', reason: email === '' ? 'missing' : 'invalid' } as const;
    const state = { is: 'ask', form: { action: `${basePath(deps)}/forgot` }, email, problem } as const;
    return sendPage(deps, exchange, { kind: 'forgot', signInUrl: signInUrl(deps), state });
  }
  await requestReset(deps.ctx, anonymousCaller(deps, exchange), email);
  sendPage(deps, exchange, {
    kind: 'forgot',
    signInUrl: signInUrl(deps),
    state: { is: 'sent', email, validMinutes: resetMinutes },
  });
}

async function showChoice(
  deps: HttpDeps,
  exchange: Exchange,
  kind: 'reset' | 'invitation',
  { name, problems }: { name: string; problems: ChooseProblem[] },
): Promise<void> {
  const link = await visitOneTimeLink(deps.ctx, exchange.params.token!);
  if (link.is === 'unknown' || (link.is === 'open' && link.kind !== kind)) return sendPage(deps, exchange, unknownPage);
  const newLinkUrl = kind === 'reset' ? `${basePath(deps)}/forgot` : null;
  const state: ChoosePasswordPage['state'] =
    link.is === 'open'
      ? {
          is: 'choose',
          form: { action: `${basePath(deps)}/${kind === 'reset' ? 'reset' : 'invite'}/${exchange.params.token}` },
          email: link.user.email,
          invitedBy: null,
          name: name === '' ? link.user.name : name,
          minPasswordLength: MIN_PASSWORD_CHARS,
          problems,
        }
      : { is: link.is, signInUrl: signInUrl(deps), newLinkUrl };
  sendPage(deps, exchange, { kind, state });
}

async function choose(deps: HttpDeps, exchange: Exchange, kind: 'reset' | 'invitation'): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const name = kind === 'invitation' ? (form.get('name') ?? '').trim() : null;
  const password = form.get('password') ?? '';
  const problems: ChooseProblem[] = [];
  if (name === '') problems.push({ field: 'name', reason: 'missing' });
  if (password === '') problems.push({ field: 'password', reason: 'missing' });
  if (problems.length > 0) return showChoice(deps, exchange, kind, { name: name ?? '', problems });
  try {
    const caller = anonymousCaller(deps, exchange);
    await choosePassword(deps.ctx, caller, { token: exchange.params.token!, kind, password, name });
    seeOther(exchange.response, signInUrl(deps));
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error;
    if (error.code === 'token.used') return showChoice(deps, exchange, kind, { name: name ?? '', problems: [] });
    const problem = { field: (error.field ?? 'password') as ChooseField, sentence: error.message } as ChooseProblem;
    await showChoice(deps, exchange, kind, { name: name ?? '', problems: [problem] });
  }
}

/** Setting up the authenticator app, for people who are signed in. */
async function showTotp(deps: HttpDeps, exchange: Exchange, problem: TotpSetupPage['problem']): Promise<void> {
  const visitor = await visitorOfPage(deps, exchange.raw);
  const user = visitor.user ?? visitor.owing;
  if (user === null) return seeOther(exchange.response, `${signInUrl(deps)}?to=/second-factor`);
  // Showing the page must never replace an app that is in use.
  if (user.totpState === 'on') return seeOther(exchange.response, `${basePath(deps)}/sign-in`);
  const caller = callerOf(user, originOf(deps, exchange));
  const offer = (await pendingTotp(deps.ctx, user)) ?? (await offerTotp(deps.ctx, caller));
  sendPage(deps, exchange, {
    kind: 'totp-setup',
    form: { action: `${basePath(deps)}/second-factor`, csrf: visitor.csrf! },
    secret: offer.secret,
    otpauthUri: offer.uri,
    email: user.email,
    cancelUrl: visitor.owing !== null ? null : `${basePath(deps)}/`,
    problem,
  });
}

async function takeTotp(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readOwnForm(deps, exchange.raw, exchange.response);
  const visitor = await visitorOfPage(deps, exchange.raw);
  const user = visitor.user ?? visitor.owing;
  if (user === null) return seeOther(exchange.response, `${signInUrl(deps)}?to=/second-factor`);
  demandCsrf(deps, visitor, form.get('csrf'));
  const code = form.get('code') ?? '';
  if (code.trim() === '') return showTotp(deps, exchange, { is: 'missing' });
  const caller = callerOf(user, originOf(deps, exchange));
  if (!(await confirmTotp(deps.ctx, caller, user, code))) return showTotp(deps, exchange, { is: 'wrong' });
  seeOther(exchange.response, `${basePath(deps)}/sign-in`);
}
