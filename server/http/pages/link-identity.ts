// Connects an account with a sign-in service: its owner proves it with the old password or a mailed code.
import type { LinkStep, SignInPage } from '#web/pages/identity-props.ts';
import { codeRefusal, codeWait } from '../../actions/account/addresses.ts';
import {
  findPendingAccount,
  linkWithCode,
  linkWithPassword,
  type PendingLink,
  requestLinkCode,
} from '../../actions/identity/linking.ts';
import { Problem } from '../../domain/problem.ts';
import type { User } from '../../domain/users.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { readGuardedForm, sendPage } from '../identity/pre-session.ts';
import { readerOf } from '../transport/languages.ts';
import { refusalText } from '../transport/refusal-texts.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { readFlash, redirectWith } from './flash.ts';
import { seeOther } from './forms.ts';
import { clearPendingLink, linkPath, readPendingLink, type Target } from './service-sign-in.ts';

interface Kept {
  isCodeSent: boolean;
  problem: LinkStep['problem'];
}

export function serveLinkIdentity(deps: HttpDeps, router: Router): void {
  router.page('GET', linkPath, (exchange) => show(deps, exchange));
  router.page('POST', linkPath, (exchange) => take(deps, exchange));
}

async function pendingOf(
  deps: HttpDeps,
  exchange: Exchange,
): Promise<{ link: PendingLink & Target; user: User } | null> {
  const link = readPendingLink(deps, exchange);
  const user = link === null ? null : await findPendingAccount(deps.ctx, link);
  return link === null || user === null ? null : { link, user };
}

async function show(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const pending = await pendingOf(deps, exchange);
  if (pending === null) return seeOther(exchange.response, `${basePath(deps)}/sign-in`);
  const { kept, cookies } = readFlash<Kept>(deps, exchange, linkPath);
  const page: SignInPage = {
    kind: 'sign-in',
    step: {
      is: 'link',
      form: { action: `${basePath(deps)}${linkPath}` },
      email: pending.user.email,
      service: pending.link.service.name,
      hasPassword: pending.user.passwordHash !== null,
      isCodeSent: kept?.isCodeSent ?? false,
      startOverUrl: `${basePath(deps)}/sign-in`,
      problem: kept?.problem ?? null,
    },
  };
  sendPage(deps, exchange, page, { headers: { 'set-cookie': cookies } });
}

async function take(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const pending = await pendingOf(deps, exchange);
  if (pending === null) return seeOther(exchange.response, `${basePath(deps)}/sign-in`);
  const way = form.get('way') ?? '';
  const showAgain = (kept: Kept) => void redirectWith(deps, exchange.response, linkPath, { kept });
  try {
    const isLinked = await prove(deps, exchange, { ...pending, form });
    if (!isLinked) return showAgain({ isCodeSent: true, problem: null });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const sentence = refusalText(error, readerOf(deps, exchange.raw));
    const field = way === 'password' ? 'password' : 'code';
    return showAgain({ isCodeSent: way === 'code', problem: { field, sentence } });
  }
  const { start, to } = pending.link;
  // The service signs the person in again, with all its claims.
  const query = to === '/' ? '' : `?to=${encodeURIComponent(to)}`;
  seeOther(exchange.response, `${basePath(deps)}${start}${query}`, { 'set-cookie': clearPendingLink(deps) });
}

/** False if a code was mailed. */
async function prove(
  { ctx, ...deps }: HttpDeps,
  exchange: Exchange,
  { link, user, form }: { link: PendingLink; user: User; form: URLSearchParams },
): Promise<boolean> {
  const caller = anonymousCaller({ ctx, ...deps }, exchange);
  switch (form.get('way')) {
    case 'password': {
      const proof = { link, password: form.get('password') ?? '', code: form.get('app_code') ?? '' };
      await linkWithPassword(ctx, caller, proof);
      return true;
    }
    case 'code': {
      const verdict = await linkWithCode(ctx, caller, { link, code: form.get('code') ?? '' });
      if (verdict.is !== 'right') throw codeRefusal(verdict);
      return true;
    }
    default: {
      const asked = await requestLinkCode(ctx, caller, link, user);
      if (asked.is === 'wait') throw codeWait(asked.seconds);
      return false;
    }
  }
}
