// Replacing a password that an administrator has set, during sign-in (docs/adr/0106).
import type { ChooseProblem } from '#web/pages/identity-props.ts';
import { replaceGivenPassword } from '../../actions/account/security.ts';
import { callerOf } from '../../actions/sessions/identities.ts';
import { Problem } from '../../domain/problem.ts';
import { MIN_PASSWORD_CHARS } from '../../lib/password-rules.ts';
import type { HttpDeps } from '../deps.ts';
import { originOf } from '../identity/origins.ts';
import { sendPage } from '../identity/pre-session.ts';
import { newPasswordPath, type PageVisitor, pathOfStep, requireCsrf, visitorOfPage } from '../identity/visits.ts';
import { readerOf } from '../transport/languages.ts';
import { refusalText } from '../transport/refusal-texts.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath, readTarget } from '../transport/urls.ts';
import { readFlash, redirectWith } from './flash.ts';
import { readOwnForm, seeOther } from './forms.ts';

interface Kept {
  to: string;
  problems: ChooseProblem[];
}

export function serveNewPassword(deps: HttpDeps, router: Router): void {
  router.page('GET', newPasswordPath, (exchange) => showChoice(deps, exchange));
  router.page('POST', newPasswordPath, (exchange) => takeChoice(deps, exchange));
}

async function showChoice(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const visitor = await visitorOfPage(deps, exchange.raw);
  const user = mustChoose(visitor);
  const asked = readTarget(new URLSearchParams(exchange.queryText).get('to'));
  if (user === null) return elsewhere(deps, exchange, visitor, asked);
  const { kept, cookies } = readFlash<Kept>(deps, exchange, newPasswordPath);
  const { to, problems } = kept ?? { to: asked, problems: [] };
  sendPage(
    deps,
    exchange,
    {
      kind: 'new-password',
      state: {
        is: 'choose',
        form: { action: `${basePath(deps)}${newPasswordPath}`, csrf: visitor.csrf!, hidden: { to } },
        email: user.email,
        invitedBy: null,
        name: user.name,
        minPasswordLength: MIN_PASSWORD_CHARS,
        problems,
      },
    },
    { headers: { 'set-cookie': cookies } },
  );
}

async function takeChoice(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readOwnForm(deps, exchange.raw, exchange.response);
  const visitor = await visitorOfPage(deps, exchange.raw);
  const to = readTarget(form.get('to'));
  const user = mustChoose(visitor);
  if (user === null) return elsewhere(deps, exchange, visitor, to);
  requireCsrf(deps, visitor, form.get('csrf'));
  const showAgain = (problem: ChooseProblem) =>
    void redirectWith(deps, exchange.response, newPasswordPath, { kept: { to, problems: [problem] } satisfies Kept });
  const password = form.get('password') ?? '';
  if (password === '') return showAgain({ field: 'password', reason: 'missing' });
  const session = deps.ctx.keys.hash('session', visitor.tokens.session!);
  try {
    await replaceGivenPassword(deps.ctx, callerOf(user, originOf(deps, exchange), session), password);
    seeOther(exchange.response, `${basePath(deps)}${afterwards(to)}`);
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error;
    showAgain({ field: 'password', sentence: refusalText(error, readerOf(deps, exchange.raw)) });
  }
}

function afterwards(to: string): string {
  return to === '/' ? '/app' : to;
}

function mustChoose({ restricted }: PageVisitor) {
  return restricted?.requires === 'new_password' ? restricted.user : null;
}

function elsewhere(deps: HttpDeps, exchange: Exchange, { user, restricted }: PageVisitor, to: string): void {
  const signedIn = restricted === null ? afterwards(to) : pathOfStep(restricted.requires);
  const way = user === null && restricted === null ? `/sign-in?to=${encodeURIComponent(newPasswordPath)}` : signedIn;
  seeOther(exchange.response, `${basePath(deps)}${way}`);
}
