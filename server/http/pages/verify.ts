// The answers never say whether an address may open anything. Opening the mail's button spends nothing, because
// programs follow links.
import type { AddressStep, CodeStep, ConfirmAddressPage } from '#web/pages/props.ts';
import type { CodeTarget } from '../../actions/codes/code-targets.ts';
import { type CodeInput, codeMinutes, requestCode } from '../../actions/codes/codes.ts';
import {
  type CodeFailure,
  findRequestedCode,
  type Proven,
  rememberDays,
  sharedComputerMs,
  tryCode,
  tryCodeLink,
  visitCodeLink,
} from '../../actions/codes/proving.ts';
import { findPersonalAddress } from '../../actions/messages/personal-links.ts';
import { parseAddress } from '../../lib/address.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { readGuardedForm, sendPage } from '../identity/pre-session.ts';
import { nonceCookie, proofCookie, readToken } from '../identity/visits.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { addressStep, confirmPage, maskAddress, otherAddressUrl, pathOf, readTarget } from './confirm-address.ts';
import { readFlash, redirectWith } from './flash.ts';
import { seeOther, setCookie, sharedMark } from './forms.ts';
import { notFoundPage } from './not-found.ts';

export interface ProvenSender {
  dropName: string;
  address: string;
  dropKeyId: string | null;
  /** By the button of the mail, in a browser without the files. */
  isElsewhere: boolean;
  cookies: string[];
}

/** Answers the request. */
export type DeliverWaiting = (exchange: Exchange, proven: ProvenSender) => Promise<void>;

interface CodeFlash {
  problem?: CodeFailure | { is: 'missing' };
  /** No code was sent; seconds until the next one may be requested. */
  waitSeconds?: number;
  /** Why a passkey was refused. */
  passkeyProblem?: string;
}

type AddressFlash = Pick<AddressStep, 'address' | 'problem'>;

export function serveVerify(deps: HttpDeps, router: Router, deliverWaiting: DeliverWaiting): void {
  router.page('GET', '/verify', (exchange) => showCode(deps, exchange));
  router.page('GET', '/verify/other', async (exchange) => {
    const target = readTarget(new URLSearchParams(exchange.queryText).get('target'));
    const { kept, cookies } = readFlash<AddressFlash>(deps, exchange, '/verify/other');
    await send(deps, exchange, target, { step: () => addressStep(deps, target!, kept ?? {}), cookies });
  });
  // Addresses of forms, opened directly.
  for (const form of ['/verify/address', '/verify/code', '/verify/link', '/verify/passkey'])
    router.page('GET', form, async ({ response, queryText }) =>
      seeOther(response, `${basePath(deps)}/verify${queryText === '' ? '' : `?${queryText}`}`),
    );
  router.page('GET', '/verify/:link', (exchange) => showLink(deps, exchange));
  router.page('POST', '/verify/address', (exchange) => takeAddress(deps, exchange));
  router.page('POST', '/verify/code', (exchange) => takeCode(deps, exchange, deliverWaiting));
  router.page('POST', '/verify/link', (exchange) => takeLink(deps, exchange, deliverWaiting));
}

async function send(
  deps: HttpDeps,
  exchange: Exchange,
  target: CodeTarget | null,
  { step, cookies = [], passkeyProblem }: { step: () => ConfirmAddressPage['step']; cookies?: string[] } & CodeFlash,
): Promise<void> {
  const page = target === null ? null : await confirmPage(deps, target, step(), passkeyProblem);
  sendPage(deps, exchange, page ?? notFoundPage, { headers: { 'set-cookie': cookies } });
}

function codePath(target: string): string {
  return `/verify?target=${encodeURIComponent(target)}`;
}

async function takeAddress(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const target = readTarget(form.get('target'));
  if (target === null) return seeOther(exchange.response, `${basePath(deps)}/verify`);
  await askForCode(deps, exchange, { target, ...(await codeInputOf(deps, exchange, target, form)) });
}

/** The typed address, else that of the mail's button, of a personal link, or of the previous request. */
async function codeInputOf(
  deps: HttpDeps,
  { raw }: Exchange,
  target: CodeTarget,
  form: URLSearchParams,
): Promise<Pick<CodeInput, 'address' | 'dropKeyId'>> {
  const [typed, link, personal] = [form.get('address'), form.get('link'), form.get('for')];
  if (typed === null && link !== null) {
    const visit = await visitCodeLink(deps.ctx, link, undefined);
    return visit?.target === target ? visit : { address: '' };
  }
  if (typed === null && personal !== null && target.startsWith('message:'))
    return { address: (await findPersonalAddress(deps.ctx, target.slice('message:'.length), personal)) ?? '' };
  const nonce = readToken(deps, raw, nonceCookie);
  const asked = nonce === undefined ? null : await findRequestedCode(deps.ctx, nonce, target);
  return { address: typed?.trim() ?? asked?.address ?? '', dropKeyId: asked?.dropKeyId ?? null };
}

export async function askForCode(
  deps: HttpDeps,
  exchange: Exchange,
  { target, address, dropKeyId = null }: Omit<CodeInput, 'nonce'>,
  cookies: string[] = [],
): Promise<void> {
  if (parseAddress(address, { allowSingleLabel: true }) === null) {
    const problem = { field: 'address', reason: address === '' ? 'missing' : 'invalid' } as const;
    const kept: AddressFlash = { address: address.slice(0, 320), problem };
    const path = `/verify/other?target=${encodeURIComponent(target)}`;
    redirectWith(deps, exchange.response, path, { kept, cookies });
    return;
  }
  const nonce = readToken(deps, exchange.raw, nonceCookie) ?? deps.ctx.random.id(44);
  const outcome = await requestCode(deps.ctx, anonymousCaller(deps, exchange), { target, address, dropKeyId, nonce });
  const all = [...cookies, setCookie(deps, nonceCookie, nonce)];
  if (outcome.is === 'asked')
    return seeOther(exchange.response, `${basePath(deps)}${codePath(target)}`, { 'set-cookie': all });
  const kept: CodeFlash = { waitSeconds: outcome.seconds };
  redirectWith(deps, exchange.response, codePath(target), { kept, cookies: all });
}

async function takeCode(deps: HttpDeps, exchange: Exchange, deliverWaiting: DeliverWaiting): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const target = readTarget(form.get('target'));
  if (target === null) return seeOther(exchange.response, `${basePath(deps)}/verify`);
  const code = form.get('code') ?? '';
  const complain = (problem: CodeFlash['problem']) =>
    void redirectWith(deps, exchange.response, codePath(target), { kept: { problem } satisfies CodeFlash });
  if (code.trim() === '') return complain({ is: 'missing' });
  const isSharedComputer = form.get('shared_computer') === '1';
  const verdict = await tryCode(deps.ctx, anonymousCaller(deps, exchange), {
    target,
    nonce: readToken(deps, exchange.raw, nonceCookie) ?? '',
    code,
    proofToken: readToken(deps, exchange.raw, proofCookie),
    isSharedComputer,
  });
  if (verdict.is !== 'right') {
    deps.meters.authFailed('code');
    return complain(verdict);
  }
  await enter(deps, exchange, { proven: verdict, isSharedComputer, isElsewhere: false }, deliverWaiting);
}

async function takeLink(deps: HttpDeps, exchange: Exchange, deliverWaiting: DeliverWaiting): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const link = form.get('link') ?? '';
  const isSharedComputer = form.get('shared_computer') === '1';
  const verdict = await tryCodeLink(deps.ctx, anonymousCaller(deps, exchange), {
    link,
    proofToken: readToken(deps, exchange.raw, proofCookie),
    isSharedComputer,
  });
  // The target's page says why the code no longer works.
  if (verdict.is !== 'right')
    return seeOther(exchange.response, `${basePath(deps)}/verify/${encodeURIComponent(link)}`);
  await enter(deps, exchange, { proven: verdict, isSharedComputer, isElsewhere: true }, deliverWaiting);
}

async function enter(
  deps: HttpDeps,
  exchange: Exchange,
  { proven, isSharedComputer, isElsewhere }: { proven: Proven; isSharedComputer: boolean; isElsewhere: boolean },
  deliverWaiting: DeliverWaiting,
): Promise<void> {
  const { target, address, dropKeyId } = proven;
  const proof = setCookie(deps, proofCookie, proven.proofToken, isSharedComputer ? null : rememberDays * 86_400);
  const cookies = isSharedComputer ? [proof, sharedMark(deps, deps.ctx.clock.now() + sharedComputerMs)] : [proof];
  if (target.startsWith('drop:')) {
    const dropName = target.slice('drop:'.length);
    return deliverWaiting(exchange, { dropName, address, dropKeyId, isElsewhere, cookies });
  }
  seeOther(exchange.response, `${basePath(deps)}${pathOf(target)}`, { 'set-cookie': cookies });
}

/** In other browsers than the requesting one it asks for the address. */
async function showCode(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const target = readTarget(new URLSearchParams(exchange.queryText).get('target'));
  const { kept, cookies } = readFlash<CodeFlash>(deps, exchange, '/verify');
  const nonce = readToken(deps, exchange.raw, nonceCookie);
  const asked = target === null || nonce === undefined ? null : await findRequestedCode(deps.ctx, nonce, target);
  const step = () => {
    if (asked !== null) return codeStep(deps, target!, asked, kept ?? {});
    const waitSeconds = kept?.waitSeconds;
    const notice: AddressStep['notice'] =
      waitSeconds !== undefined
        ? { is: 'wait', seconds: waitSeconds }
        : kept?.problem?.is === 'elsewhere'
          ? { is: 'elsewhere' }
          : null;
    return addressStep(deps, target!, { notice });
  };
  await send(deps, exchange, target, { step, cookies, ...kept });
}

function codeStep(
  deps: HttpDeps,
  target: CodeTarget,
  asked: { address: string; resendSeconds: number; code?: string },
  { problem, waitSeconds }: CodeFlash,
): CodeStep {
  const base = basePath(deps);
  return {
    is: 'code',
    form: { action: `${base}/verify/code`, hidden: { target } },
    sentTo: maskAddress(asked.address),
    code: asked.code ?? '',
    validMinutes: codeMinutes,
    rememberDays,
    resend: {
      form: { action: `${base}/verify/address`, hidden: { target } },
      waitSeconds: waitSeconds ?? asked.resendSeconds,
      isRefused: waitSeconds !== undefined,
    },
    otherAddressUrl: otherAddressUrl(deps, target),
    problem: problem === undefined || problem.is === 'elsewhere' ? null : problem,
  };
}

async function showLink(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const link = exchange.params.link!;
  const visit = await visitCodeLink(deps.ctx, link, readToken(deps, exchange.raw, nonceCookie));
  if (visit === null) return sendPage(deps, exchange, notFoundPage);
  const { target, address } = visit;
  const step = (): ConfirmAddressPage['step'] => {
    if (visit.is === 'here') return codeStep(deps, target, { address, resendSeconds: 0, code: visit.code }, {});
    if (visit.is === 'elsewhere')
      return {
        is: 'continue',
        form: { action: `${basePath(deps)}/verify/link`, hidden: { link } },
        address: maskAddress(address),
        rememberDays,
        otherAddressUrl: otherAddressUrl(deps, target),
      };
    const notice = { is: visit.is === 'old' ? 'link-old' : 'link-used' } as const;
    return addressStep(deps, target, { known: { address, hidden: { link } }, notice });
  };
  await send(deps, exchange, target, { step });
}
