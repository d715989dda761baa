// Only during sign-in, where the group requires a passkey. Afterwards the account page asks for the password.
import type { PasskeySetupPage } from '#web/pages/identity-props.ts';
import { addOwnPasskey, startOwnPasskey } from '../../actions/passkeys/account-passkeys.ts';
import { callerOf } from '../../actions/sessions/identities.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { nameOfAgent } from '../../lib/user-agent.ts';
import type { HttpDeps } from '../deps.ts';
import { originOf } from '../identity/origins.ts';
import { sendPage } from '../identity/pre-session.ts';
import { type PageVisitor, passkeyPath, pathOfStep, requireCsrf, visitorOfPage } from '../identity/visits.ts';
import { readerOf } from '../transport/languages.ts';
import { refusalText } from '../transport/refusal-texts.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { readFlash, redirectWith } from './flash.ts';
import { readOwnForm, seeOther } from './forms.ts';

interface Kept {
  problem: string;
}

export function servePasskeySetup(deps: HttpDeps, router: Router): void {
  router.page('GET', passkeyPath, (exchange) => show(deps, exchange));
  router.page('POST', passkeyPath, (exchange) => take(deps, exchange));
}

async function show(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const visitor = await visitorOfPage(deps, exchange.raw);
  const caller = callerOfPage(deps, exchange, visitor);
  if (caller === null) return elsewhere(deps, exchange, visitor);
  const action = `${basePath(deps)}${passkeyPath}`;
  const { kept, cookies } = readFlash<Kept>(deps, exchange, passkeyPath);
  const page: PasskeySetupPage = {
    kind: 'passkey-setup',
    form: { action, csrf: visitor.csrf! },
    passkey: { formAction: action, options: await startOwnPasskey(deps.ctx, caller) },
    problem: kept?.problem ?? null,
  };
  sendPage(deps, exchange, page, { headers: { 'set-cookie': cookies } });
}

async function take(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readOwnForm(deps, exchange.raw, exchange.response);
  const visitor = await visitorOfPage(deps, exchange.raw);
  const caller = callerOfPage(deps, exchange, visitor);
  if (caller === null) return elsewhere(deps, exchange, visitor);
  requireCsrf(deps, visitor, form.get('csrf'));
  const credential = form.get('credential') ?? '';
  try {
    await addOwnPasskey(deps.ctx, caller, { credential, name: nameOfAgent(caller.from.agent) });
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'unauthenticated') throw error;
    const kept: Kept = { problem: refusalText(error, readerOf(deps, exchange.raw)) };
    return void redirectWith(deps, exchange.response, passkeyPath, { kept });
  }
  seeOther(exchange.response, `${basePath(deps)}/sign-in`);
}

function callerOfPage(deps: HttpDeps, exchange: Exchange, { restricted, tokens }: PageVisitor): UserCaller | null {
  const isSetup = restricted !== null && restricted.requires !== 'new_password';
  if (!isSetup) return null;
  return callerOf(restricted.user, originOf(deps, exchange), deps.ctx.keys.hash('session', tokens.session!));
}

function elsewhere(deps: HttpDeps, exchange: Exchange, { user, restricted }: PageVisitor): void {
  const signedIn = restricted === null ? '/app/account/security' : pathOfStep(restricted.requires);
  const path = user === null && restricted === null ? `/sign-in?to=${passkeyPath}` : signedIn;
  seeOther(exchange.response, `${basePath(deps)}${path}`);
}
