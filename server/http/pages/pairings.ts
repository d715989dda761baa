// Confirms a program's sign-in. Typed text travels in the sealed cookie, not in an address.
import type { PairingPage } from '#web/pages/identity-props.ts';
import { decidePairing, findPairing } from '../../actions/pairings/pairings.ts';
import { callerOf } from '../../actions/sessions/identities.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { HttpDeps } from '../deps.ts';
import { originOf } from '../identity/origins.ts';
import { sendPage } from '../identity/pre-session.ts';
import { type PageVisitor, requireCsrf, visitorOfPage } from '../identity/visits.ts';
import { readerOf } from '../transport/languages.ts';
import { refusalText } from '../transport/refusal-texts.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { readFlash, redirectWith } from './flash.ts';
import { readOwnForm, seeOther } from './forms.ts';

const path = '/connect';

type Step = PairingPage['step'];
type Kept =
  | { is: 'code'; problem: Extract<Step, { is: 'code' }>['problem'] }
  | ({ is: 'confirm'; code: string } & Omit<Extract<Step, { is: 'confirm' }>, 'form' | 'is'>)
  | Extract<Step, { is: 'done' }>;

export function servePairingPages(deps: HttpDeps, router: Router): void {
  router.page('GET', path, (exchange) => show(deps, exchange));
  router.page('POST', path, (exchange) => take(deps, exchange, lookUp));
  router.page('POST', `${path}/answer`, (exchange) => take(deps, exchange, decide));
}

async function show(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const visitor = await visitorOfPage(deps, exchange.raw);
  if (visitor.user === null) return seeOther(exchange.response, `${basePath(deps)}/sign-in?to=${path}`);
  const { kept, cookies } = readFlash<Kept>(deps, exchange, path);
  const page: PairingPage = {
    kind: 'pairing',
    email: visitor.user.email,
    step: stepOf(deps, visitor, kept ?? { is: 'code', problem: null }),
  };
  sendPage(deps, exchange, page, { headers: { 'set-cookie': cookies } });
}

function stepOf(deps: HttpDeps, { csrf }: PageVisitor, kept: Kept): Step {
  if (kept.is === 'done') return kept;
  if (kept.is === 'code') return { ...kept, form: { action: `${basePath(deps)}${path}`, csrf: csrf! } };
  const { code, ...shown } = kept;
  return { ...shown, form: { action: `${basePath(deps)}${path}/answer`, csrf: csrf!, hidden: { code } } };
}

type Taking = (deps: HttpDeps, caller: UserCaller, form: URLSearchParams) => Promise<Kept>;

async function take(deps: HttpDeps, exchange: Exchange, next: Taking): Promise<void> {
  const form = await readOwnForm(deps, exchange.raw, exchange.response);
  const visitor = await visitorOfPage(deps, exchange.raw);
  if (visitor.user === null) return seeOther(exchange.response, `${basePath(deps)}/sign-in?to=${path}`);
  requireCsrf(deps, visitor, form.get('csrf'));
  const caller = callerOf(visitor.user, originOf(deps, exchange));
  const kept = await next(deps, caller, form).catch((error: unknown): Kept => {
    if (!(error instanceof Problem)) throw error;
    const sentence = refusalText(error, readerOf(deps, exchange.raw));
    return { is: 'code', problem: { is: 'sentence', sentence } };
  });
  redirectWith(deps, exchange.response, path, { kept });
}

async function lookUp({ ctx }: HttpDeps, caller: UserCaller, form: URLSearchParams): Promise<Kept> {
  const code = (form.get('code') ?? '').slice(0, 32);
  if (code.trim() === '') return { is: 'code', problem: { is: 'missing' } };
  const found = await findPairing(ctx, caller, code);
  if (found === null) return { is: 'code', problem: { is: 'wrong' } };
  return { is: 'confirm', code, name: found.name, address: found.address, askedAt: found.createdAt };
}

async function decide({ ctx }: HttpDeps, caller: UserCaller, form: URLSearchParams): Promise<Kept> {
  const isAllowed = form.get('answer') === 'allow';
  const isDone = await decidePairing(ctx, caller, { code: (form.get('code') ?? '').slice(0, 32), isAllowed });
  return isDone ? { is: 'done', isAllowed } : { is: 'code', problem: { is: 'wrong' } };
}
