import type { ChooseField, ChoosePasswordPage, ChooseProblem, ForgotPage } from '#web/pages/identity-props.ts';
import { choosePassword, requestReset, resetMinutes, visitOneTimeLink } from '../../actions/sessions/one-time-links.ts';
import { Problem } from '../../domain/problem.ts';
import { parseAddress } from '../../lib/address.ts';
import { MIN_PASSWORD_CHARS } from '../../lib/password-rules.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { readGuardedForm, sendPage } from '../identity/pre-session.ts';
import { readerOf } from '../transport/languages.ts';
import { refusalText } from '../transport/refusal-texts.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { readFlash, redirectWith } from './flash.ts';
import { seeOther } from './forms.ts';
import { notFoundPage } from './not-found.ts';

type LinkKind = 'reset' | 'invitation';

/** What the page shows after its form; never the password. */
interface KeptChoice {
  name: string;
  problems: ChooseProblem[];
}

interface KeptRequest {
  email: string;
  problem: Extract<ForgotPage['state'], { is: 'ask' }>['problem'];
}

const maxKeptChars = 320;

export function servePasswords(deps: HttpDeps, router: Router): void {
  router.page('GET', '/forgot', (exchange) => showForgot(deps, exchange));
  router.page('POST', '/forgot', (exchange) => forgot(deps, exchange));
  for (const [path, kind] of [
    ['/reset/:token', 'reset'],
    ['/invite/:token', 'invitation'],
  ] as const) {
    router.page('GET', path, (exchange) => showChoice(deps, exchange, kind));
    router.page('POST', path, (exchange) => choose(deps, exchange, kind));
  }
}

async function showForgot(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const { kept, cookies } = readFlash<KeptRequest>(deps, exchange, '/forgot');
  const isSent = kept !== null && kept.problem === null;
  const state: ForgotPage['state'] = isSent
    ? { is: 'sent', email: kept.email, validMinutes: resetMinutes }
    : {
        is: 'ask',
        form: { action: `${basePath(deps)}/forgot` },
        email: kept?.email ?? '',
        problem: kept?.problem ?? null,
      };
  const page: ForgotPage = { kind: 'forgot', signInUrl: signInUrl(deps), state };
  sendPage(deps, exchange, page, { headers: { 'set-cookie': cookies } });
}

async function forgot(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const email = (form.get('email') ?? '').trim();
  const isAddress = parseAddress(email, { allowSingleLabel: true }) !== null;
  if (isAddress) await requestReset(deps.ctx, anonymousCaller(deps, exchange), email);
  const kept: KeptRequest = {
    email: email.slice(0, maxKeptChars),
    problem: isAddress ? null : { field: 'email', reason: email === '' ? 'missing' : 'invalid' },
  };
  redirectWith(deps, exchange.response, '/forgot', { kept });
}

function pathOf(kind: LinkKind, { params }: Exchange): string {
  return `/${kind === 'reset' ? 'reset' : 'invite'}/${encodeURIComponent(params.token!)}`;
}

async function showChoice(deps: HttpDeps, exchange: Exchange, kind: LinkKind): Promise<void> {
  const link = await visitOneTimeLink(deps.ctx, exchange.params.token!);
  if (link.is === 'unknown' || (link.is === 'open' && link.kind !== kind))
    return sendPage(deps, exchange, notFoundPage);
  const { kept, cookies } = readFlash<KeptChoice>(deps, exchange, pathOf(kind, exchange));
  const newLinkUrl = kind === 'reset' ? `${basePath(deps)}/forgot` : null;
  const state: ChoosePasswordPage['state'] =
    link.is === 'open'
      ? {
          is: 'choose',
          form: { action: `${basePath(deps)}${pathOf(kind, exchange)}` },
          email: link.user.email,
          invitedBy: null,
          name: kept === null || kept.name === '' ? link.user.name : kept.name,
          minPasswordLength: MIN_PASSWORD_CHARS,
          problems: kept?.problems ?? [],
        }
      : { is: link.is, signInUrl: signInUrl(deps), newLinkUrl };
  sendPage(deps, exchange, { kind, state }, { headers: { 'set-cookie': cookies } });
}

async function choose(deps: HttpDeps, exchange: Exchange, kind: LinkKind): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const name = kind === 'invitation' ? (form.get('name') ?? '').trim() : null;
  const password = form.get('password') ?? '';
  const showAgain = (problems: ChooseProblem[]) => {
    const kept: KeptChoice = { name: (name ?? '').slice(0, maxKeptChars), problems };
    redirectWith(deps, exchange.response, pathOf(kind, exchange), { kept });
  };
  const problems: ChooseProblem[] = [];
  if (name === '') problems.push({ field: 'name', reason: 'missing' });
  if (password === '') problems.push({ field: 'password', reason: 'missing' });
  if (problems.length > 0) return showAgain(problems);
  try {
    const caller = anonymousCaller(deps, exchange);
    await choosePassword(deps.ctx, caller, { token: exchange.params.token!, kind, password, name });
    seeOther(exchange.response, signInUrl(deps));
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error;
    // The page of a used link says so.
    if (error.code === 'token.used') return showAgain([]);
    showAgain([
      {
        field: (error.field ?? 'password') as ChooseField,
        sentence: refusalText(error, readerOf(deps, exchange.raw)),
      } as ChooseProblem,
    ]);
  }
}

function signInUrl(deps: HttpDeps): string {
  return `${basePath(deps)}/sign-in`;
}
