// Confirming an address (experience R2): two plain forms. The answer never tells whether the address may open anything.

import type { AddressStep, CodeStep, ConfirmAddressPage } from '#web/pages/props.ts';
import { type CodeTarget, codeMinutes, rememberDays, requestCode, tryCode } from '../../actions/codes/codes.ts';
import { visitFileLink } from '../../actions/file-links/file-links.ts';
import { findFiledrop } from '../../actions/filedrops/filedrops.ts';
import { findMessageAccess } from '../../actions/messages/access.ts';
import { parseAddress } from '../../lib/address.ts';
import { anonymousCaller } from '../credentials.ts';
import type { HttpDeps } from '../deps.ts';
import { seeOther, setCookie } from '../forms.ts';
import { readGuardedForm, sendPage } from '../pre-session.ts';
import type { Exchange, Router } from '../router.ts';
import { basePath } from '../urls.ts';
import { nonceCookie, proofCookie, readToken } from '../visits.ts';
import { unknownPage } from './unknown.ts';

/** Somebody typed the right code on their way to a drop page. */
export interface ProvenAddress {
  dropName: string;
  address: string;
  proofCookie: string;
}

/** What happens at a drop page once the address is proven; answers the exchange. */
export type DeliverWaiting = (exchange: Exchange, proven: ProvenAddress) => Promise<void>;

/** What is to be opened, as forms carry it, and the address that is to be confirmed for it. */
interface Asked {
  target: string;
  address: string;
}

export function serveVerify(deps: HttpDeps, router: Router, deliverWaiting: DeliverWaiting): void {
  // From the mail: the code is filled in and nothing is submitted, so a scanner that follows links gains nothing.
  router.page('GET', '/verify', async (exchange) => {
    const query = new URLSearchParams(exchange.queryText);
    await showCode(deps, exchange, { target: query.get('target') ?? '', address: '' }, { problem: null });
  });

  router.page('GET', '/verify/other', async (exchange) => {
    const target = new URLSearchParams(exchange.queryText).get('target') ?? '';
    const page = await pageFor(deps, target, addressStep(deps, target, '', null));
    sendPage(deps, exchange, page ?? unknownPage);
  });

  router.page('POST', '/verify/address', async (exchange) => {
    const form = await readGuardedForm(deps, exchange);
    await askForCode(deps, exchange, {
      target: form.get('target') ?? '',
      address: (form.get('address') ?? '').trim(),
    });
  });

  router.page('POST', '/verify/code', async (exchange) => {
    const form = await readGuardedForm(deps, exchange);
    await checkCode(deps, exchange, form, deliverWaiting);
  });
}

export function addressStep(
  deps: HttpDeps,
  target: string,
  address: string,
  problem: AddressStep['problem'],
): AddressStep {
  return {
    is: 'address',
    form: { action: `${basePath(deps)}/verify/address`, hidden: { target } },
    knownAddress: null,
    otherAddressUrl: null,
    address,
    problem,
  };
}

/** Mails a code and shows where to type it. */
export async function askForCode(
  deps: HttpDeps,
  exchange: Exchange,
  { target, address }: Asked,
  cookies: string[] = [],
): Promise<void> {
  const isAddress = parseAddress(address, { allowSingleLabel: true }) !== null;
  if (!isAddress) {
    const problem = { field: 'address', reason: address === '' ? 'missing' : 'invalid' } as const;
    const page = await pageFor(deps, target, addressStep(deps, target, address, problem));
    sendPage(deps, exchange, page ?? unknownPage, { headers: { 'set-cookie': cookies } });
    return;
  }
  const nonce = readToken(deps, exchange.raw, nonceCookie) ?? deps.ctx.random.id(44);
  const parsed = readTarget(target);
  const caller = anonymousCaller(deps, exchange);
  if (parsed !== null) await requestCode(deps.ctx, caller, { target: parsed, address, nonce });
  await showCode(
    deps,
    exchange,
    { target, address },
    {
      problem: null,
      cookies: [...cookies, setCookie(deps, nonceCookie, nonce)],
    },
  );
}

async function checkCode(
  deps: HttpDeps,
  exchange: Exchange,
  form: URLSearchParams,
  deliverWaiting: DeliverWaiting,
): Promise<void> {
  const target = form.get('target') ?? '';
  const address = form.get('sent_to') ?? '';
  const parsed = readTarget(target);
  const code = form.get('code') ?? '';
  if (parsed === null) return sendPage(deps, exchange, unknownPage);
  if (code.trim() === '') return showCode(deps, exchange, { target, address }, { problem: { is: 'missing' } });
  const verdict = await tryCode(deps.ctx, anonymousCaller(deps, exchange), {
    target: parsed,
    nonce: readToken(deps, exchange.raw, nonceCookie) ?? '',
    code,
    proofToken: readToken(deps, exchange.raw, proofCookie),
    isSharedComputer: form.get('shared_computer') === '1',
  });
  if (verdict.is !== 'right') return showCode(deps, exchange, { target, address }, { problem: verdict });
  const lifetimeSeconds = form.get('shared_computer') === '1' ? null : rememberDays * 86_400;
  const cookie = setCookie(deps, proofCookie, verdict.proofToken, lifetimeSeconds);
  if (parsed.startsWith('drop:'))
    return deliverWaiting(exchange, {
      dropName: parsed.slice('drop:'.length),
      address: verdict.address,
      proofCookie: cookie,
    });
  seeOther(exchange.response, `${basePath(deps)}${pathOf(parsed)}`, { 'set-cookie': cookie });
}

async function showCode(
  deps: HttpDeps,
  exchange: Exchange,
  { target, address }: Asked,
  { problem, cookies = [] }: { problem: CodeStep['problem']; cookies?: string[] },
): Promise<void> {
  const action = basePath(deps);
  const step: CodeStep = {
    is: 'code',
    form: { action: `${action}/verify/code`, hidden: { target, sent_to: address } },
    sentTo: address === '' ? '' : maskAddress(address),
    code: new URLSearchParams(exchange.queryText).get('code') ?? '',
    validMinutes: codeMinutes,
    rememberDays,
    resend: { form: { action: `${action}/verify/address`, hidden: { target, address } }, waitSeconds: 30 },
    otherAddressUrl: `${action}/verify/other?target=${encodeURIComponent(target)}`,
    problem,
  };
  const page = await pageFor(deps, target, step);
  sendPage(deps, exchange, page ?? unknownPage, { headers: { 'set-cookie': cookies } });
}

/** The page around a step: who shared it, if there is such a thing at all. */
async function pageFor(
  deps: HttpDeps,
  target: string,
  step: ConfirmAddressPage['step'],
): Promise<ConfirmAddressPage | null> {
  const parsed = readTarget(target);
  if (parsed === null) return null;
  const facts = await factsOf(deps, parsed);
  if (facts === null) return null;
  return { kind: 'confirm-address', ...facts, signInUrl: null, step };
}

async function factsOf(
  deps: HttpDeps,
  target: CodeTarget,
): Promise<Pick<ConfirmAddressPage, 'purpose' | 'sharedBy' | 'fileCount' | 'subject'> | null> {
  const id = target.slice(target.indexOf(':') + 1);
  if (target.startsWith('message:')) {
    const access = await findMessageAccess(deps.ctx, id, { provenAddresses: [], account: null }, null);
    if (access === null || access.gate !== 'needs_proof') return null;
    const { message } = access;
    const name = message.senderName === '' ? message.sender : message.senderName;
    return {
      purpose: 'open',
      sharedBy: { name, address: message.sender },
      fileCount: message.files.length,
      subject: message.isPrivate ? null : message.subject,
    };
  }
  if (target.startsWith('link:')) {
    const visit = await visitFileLink(deps.ctx, id, { passwordPassed: false, address: null, isOwner: false });
    if (visit === null || visit.gate !== 'needs_sign_in') return null;
    const name = visit.owner.name === '' ? visit.owner.email : visit.owner.name;
    return { purpose: 'open', sharedBy: { name, address: visit.owner.email }, fileCount: 1, subject: null };
  }
  const drop = await findFiledrop(deps.ctx, id);
  return drop === null
    ? null
    : { purpose: 'deliver', sharedBy: { name: drop.label, address: null }, fileCount: 0, subject: null };
}

function readTarget(text: string): CodeTarget | null {
  return /^(message|link):[A-Za-z0-9]{22}$/.test(text) || /^drop:[^\s\0]{1,320}$/.test(text)
    ? (text as CodeTarget)
    : null;
}

function pathOf(target: CodeTarget): string {
  return `/${target.replace(':', '/')}`;
}

/** `b•••@harbour.example`: enough to recognise one's own. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return at < 1 ? '' : `${address.slice(0, 1)}•••${address.slice(at)}`;
}
