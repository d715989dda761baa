// Viewing spends nothing; only the download button does.

import { humanSize } from '#contract/sizes.ts';
import type { Page } from '#web/pages/page.ts';
import type { LinkPasswordPage, NotAvailablePage, Person } from '#web/pages/props.ts';
import { browserFieldsOf, requestLinkTicket } from '../../actions/downloads/ticket-requests.ts';
import type { LinkVisit } from '../../actions/file-links/file-links.ts';
import { pauseMinutes, tryLinkPassword } from '../../actions/file-links/passwords.ts';
import { findFileChecks } from '../../actions/scanning/file-checks.ts';
import { Problem } from '../../domain/problem.ts';
import { addDays, dateOf } from '../../lib/dates.ts';
import { asciiFallback } from '../../lib/file-name.ts';
import type { HttpDeps } from '../deps.ts';
import { requireDownloadPace } from '../downloads/pace.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { readGuardedForm, sendPage } from '../identity/pre-session.ts';
import { ticketBrowser } from '../identity/ticket-credentials.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { checkProgress } from './check-progress.ts';
import { addressStep, passkeyOffer } from './confirm-address.ts';
import { readFlash, redirectWith } from './flash.ts';
import { assertOwnPage, isProgramRequest, seeOther, setCookie } from './forms.ts';
import { openForProgram } from './link-programs.ts';
import { type PageVisit, passCookie, visitOf } from './link-visits.ts';
import { notFoundPage } from './not-found.ts';
import { passkeyHint } from './recipient-passkeys.ts';

export function serveLinkPages(deps: HttpDeps, router: Router): void {
  router.page('GET', '/link/:id', async (exchange) => {
    const visit = await visitOf(deps, exchange);
    const { kept, cookies } = readFlash<Kept>(deps, exchange, pathOf(exchange));
    const isAsked = visit?.gate === 'needs_password' && kept !== null;
    const page = isAsked ? passwordPage(deps, visit, kept.state) : await pageOf(deps, visit);
    const wait: Record<string, string> =
      isAsked && kept.state.is === 'paused' ? { 'retry-after': String(kept.state.seconds) } : {};
    sendPage(deps, exchange, page, { reference: exchange.params.id!, headers: { 'set-cookie': cookies, ...wait } });
  });

  router.page('POST', '/link/:id/password', async (exchange) => {
    const form = await readGuardedForm(deps, exchange);
    await openWithPassword(deps, exchange, form.get('password') ?? '');
  });

  router.page('POST', '/link/:id/download', async (exchange) => {
    const isProgram = isProgramRequest(exchange.raw);
    if (!isProgram) assertOwnPage(deps, exchange.raw);
    const visit = isProgram ? await openForProgram(deps, exchange) : await visitOfBrowser(deps, exchange);
    // The next step of the proof of an address was the answer.
    if (visit === 'answered') return;
    if (visit === null || visit.gate !== 'allow')
      return seeOther(exchange.response, `${basePath(deps)}${pathOf(exchange)}`);
    requireDownloadPace(deps, exchange);
    const kind = visit.isOwner ? 'owner' : 'visitor';
    const recipient = visit.address ?? '';
    const { browser, cookies } = ticketBrowser(deps, exchange.raw);
    const { accountId, passwordVersion } = visit;
    const holder = { recipient, accountId, kind, passwordVersion, ...browserFieldsOf(deps.ctx, browser) } as const;
    const ticket = await requestLinkTicket(deps.ctx, visit.link, holder);
    // Old command-line tools save under the last path segment.
    const location = `${basePath(deps)}/dl/${ticket}/${asciiFallback(visit.link.fileName)}`;
    seeOther(exchange.response, location, { 'set-cookie': cookies });
  });
}

function visitOfBrowser(deps: HttpDeps, exchange: Exchange): Promise<PageVisit | null> {
  exchange.raw.resume();
  return visitOf(deps, exchange);
}

/** Null if a program cannot pass the password or the address check. */
function programUrl(deps: HttpDeps, { gate, link }: LinkVisit): string | null {
  const isOpen = gate === 'allow' && !link.hasPassword && !link.requireSignIn;
  return isOpen ? `${deps.ctx.settings.surroundings.baseUrl}/link/${link.id}/download` : null;
}

/** What the page shows after its form; never the password. */
interface Kept {
  state: LinkPasswordPage['state'];
}

function pathOf({ params }: Exchange): string {
  return `/link/${encodeURIComponent(params.id!)}`;
}

async function openWithPassword(deps: HttpDeps, exchange: Exchange, password: string): Promise<void> {
  const id = exchange.params.id!;
  const visit = await visitOf(deps, exchange);
  const show = (state: Kept['state']) =>
    void redirectWith(deps, exchange.response, pathOf(exchange), { kept: { state } satisfies Kept });
  if (visit === null || visit.gate !== 'needs_password')
    return seeOther(exchange.response, `${basePath(deps)}${pathOf(exchange)}`);
  if (password === '') return show({ is: 'empty' });
  try {
    const check = await tryLinkPassword(deps.ctx, anonymousCaller(deps, exchange), id, password);
    if (check.isRight) {
      const pass = setCookie(deps, passCookie(id), check.pass);
      return seeOther(exchange.response, `${basePath(deps)}${pathOf(exchange)}`, { 'set-cookie': pass });
    }
    deps.meters.authFailed('link_password');
    const { attemptsLeft } = check;
    show(
      attemptsLeft === 0 ? { is: 'paused', seconds: pauseMinutes * 60 } : { is: 'wrong', attemptsLeft, pauseMinutes },
    );
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'rate_limited') throw error;
    show({ is: 'paused', seconds: error.retryAfterSeconds ?? 60 });
  }
}

async function pageOf(deps: HttpDeps, visit: PageVisit | null): Promise<Page> {
  if (visit === null) return notFoundPage;
  const { gate, link } = visit;
  if (gate === 'needs_password') return passwordPage(deps, visit, { is: 'ask' });
  if (gate === 'needs_sign_in') {
    const signInUrl = `${basePath(deps)}/sign-in?to=${encodeURIComponent(`/link/${link.id}`)}`;
    const step = addressStep(deps, `link:${link.id}`);
    return {
      kind: 'confirm-address',
      purpose: 'open',
      audience: 'anyoneSignedIn',
      sharedBy: sharer(visit),
      fileCount: 1,
      subject: null,
      signInUrl,
      step,
      passkey: await passkeyOffer(deps, `link:${link.id}`),
    };
  }
  if (gate === 'allow' || gate === 'not_ready') {
    const action = `${basePath(deps)}/link/${link.id}`;
    const checks = await findFileChecks(deps.ctx.db.read, [link]);
    return {
      kind: 'link',
      file: {
        name: link.fileName,
        sizeText: humanSize(link.sizeBytes),
        sha256: link.sha256 === '' ? null : link.sha256,
      },
      sharedBy: sharer(visit),
      until: { date: link.expiresOn, daysLeft: daysLeft(deps, link.expiresOn) },
      download:
        gate === 'allow'
          ? { is: 'ready', form: { action: `${action}/download` } }
          : { is: 'being-checked', checkAgainUrl: action, ...checkProgress(deps, checks.get(link.attachmentId)) },
      programUrl: programUrl(deps, visit),
      notices: [],
      owner: null,
      passkeys: await passkeyHint(deps, `link:${link.id}`, visit, link.requireSignIn ? visit.address : null),
    };
  }
  return endedPage(deps, visit);
}

/** Names sender and date only at the complete address, and only if switched on. */
export function endedPage(deps: HttpDeps, visit: LinkVisit): NotAvailablePage {
  const tells = deps.ctx.settings.current().showExpiredDetails;
  const sender = tells ? sharer(visit) : null;
  // Anyone with the address could read the name while the link was open.
  const isOpenToAll = !visit.link.hasPassword && !visit.link.requireSignIn;
  if (visit.gate === 'expired') {
    return {
      kind: 'not-available',
      reason: { is: 'expired', until: tells ? visit.link.expiresOn : null, fileCount: 1, sender },
      about: tells && isOpenToAll ? visit.link.fileName : null,
    };
  }
  if (visit.gate === 'stopped') {
    const on = tells ? dateOf(visit.link.updatedAt, deps.ctx.settings.surroundings.timeZone) : null;
    return { kind: 'not-available', reason: { is: 'stopped', on, fileCount: 1, sender }, about: null };
  }
  return { kind: 'not-available', reason: { is: 'removed', fileCount: 1 }, about: null };
}

function passwordPage(deps: HttpDeps, visit: LinkVisit, state: LinkPasswordPage['state']): LinkPasswordPage {
  return {
    kind: 'link-password',
    form: { action: `${basePath(deps)}/link/${visit.link.id}/password` },
    sharedBy: sharer(visit),
    state,
  };
}

export function sharer({ owner }: LinkVisit): Person | null {
  if (owner.email === '') return null;
  return { name: owner.name === '' ? owner.email : owner.name, address: owner.email };
}

export function daysLeft(deps: HttpDeps, expiresOn: string): number {
  let date = dateOf(deps.ctx.clock.now(), deps.ctx.settings.surroundings.timeZone);
  let days = 0;
  while (date < expiresOn && days < 4000) [date, days] = [addDays(date, 1), days + 1];
  return days;
}
