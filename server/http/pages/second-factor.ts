// Only during sign-in. Afterwards the account page asks for the password: an open session must not lock its owner out.
import type { TotpSetupPage } from '#web/pages/identity-props.ts';
import { confirmTotp, offerTotp } from '../../actions/account/totp.ts';
import { type BrowserTokens, callerOf } from '../../actions/sessions/identities.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { User } from '../../domain/users.ts';
import type { HttpDeps } from '../deps.ts';
import { originOf } from '../identity/origins.ts';
import { sendPage } from '../identity/pre-session.ts';
import { type PageVisitor, pathOfStep, requireCsrf, secondFactorPath, visitorOfPage } from '../identity/visits.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { readFlash, redirectWith } from './flash.ts';
import { readOwnForm, seeOther } from './forms.ts';

const path = secondFactorPath;

const codesPath = `${path}/codes`;

interface KeptCodes {
  codes: string[];
}

interface Kept {
  problem: TotpSetupPage['problem'];
}

export function serveSecondFactor(deps: HttpDeps, router: Router): void {
  router.page('GET', path, (exchange) => showTotp(deps, exchange));
  router.page('POST', path, (exchange) => takeTotp(deps, exchange));
  router.page('GET', codesPath, (exchange) => showCodes(deps, exchange));
}

async function showTotp(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const visitor = await visitorOfPage(deps, exchange.raw);
  const user = visitor.restricted?.requires === 'second_step_setup' ? visitor.restricted.user : null;
  if (user === null) return elsewhere(deps, exchange, visitor);
  const offer = await offerTotp(deps.ctx, callerOfPage(deps, exchange, visitor.tokens, user));
  const { kept, cookies } = readFlash<Kept>(deps, exchange, path);
  const page: TotpSetupPage = {
    kind: 'totp-setup',
    form: { action: `${basePath(deps)}${path}`, csrf: visitor.csrf! },
    secret: offer.secret,
    otpauthUri: offer.uri,
    email: user.email,
    problem: kept?.problem ?? null,
  };
  sendPage(deps, exchange, page, { headers: { 'set-cookie': cookies } });
}

async function takeTotp(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readOwnForm(deps, exchange.raw, exchange.response);
  const visitor = await visitorOfPage(deps, exchange.raw);
  const user = visitor.restricted?.requires === 'second_step_setup' ? visitor.restricted.user : null;
  if (user === null) return elsewhere(deps, exchange, visitor);
  requireCsrf(deps, visitor, form.get('csrf'));
  const code = form.get('code') ?? '';
  const complain = (is: 'missing' | 'wrong') =>
    void redirectWith(deps, exchange.response, path, { kept: { problem: { is } } satisfies Kept });
  if (code.trim() === '') return complain('missing');
  const caller = callerOfPage(deps, exchange, visitor.tokens, user);
  const codes = await confirmTotp(deps.ctx, caller, code);
  if (codes === null) return complain('wrong');
  redirectWith(deps, exchange.response, codesPath, { kept: { codes } satisfies KeptCodes });
}

/** Shown once. */
async function showCodes(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const { kept, cookies } = readFlash<KeptCodes>(deps, exchange, codesPath);
  if (kept === null) return seeOther(exchange.response, `${basePath(deps)}/sign-in`);
  const page = { kind: 'recovery-codes', codes: kept.codes, continueUrl: `${basePath(deps)}/sign-in` } as const;
  sendPage(deps, exchange, page, { headers: { 'set-cookie': cookies } });
}

function elsewhere(deps: HttpDeps, exchange: Exchange, { user, restricted }: PageVisitor): void {
  const signedIn = restricted === null ? '/app/account/security' : pathOfStep(restricted.requires);
  const way = user === null && restricted === null ? `/sign-in?to=${path}` : signedIn;
  seeOther(exchange.response, `${basePath(deps)}${way}`);
}

/** The offer belongs to the session. */
function callerOfPage(deps: HttpDeps, exchange: Exchange, { session }: BrowserTokens, user: User): UserCaller {
  return callerOf(user, originOf(deps, exchange), deps.ctx.keys.hash('session', session!));
}
