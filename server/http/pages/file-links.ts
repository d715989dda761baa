// The link page: what a visitor sees, the password, and the press on Download (experience R4, R5, R9). Looking never
// spends anything; only the press does.

import { humanSize } from '#contract/sizes.ts';
import type { LinkPasswordPage, NotAvailablePage, Page, Person } from '#web/pages/props.ts';
import { issueLinkTicket } from '../../actions/downloads/tickets.ts';
import { type LinkVisit, visitFileLink } from '../../actions/file-links/file-links.ts';
import { isLinkPassValid, pauseMinutes, tryLinkPassword } from '../../actions/file-links/passwords.ts';
import { Problem } from '../../domain/problem.ts';
import { addDays, dateOf } from '../../lib/dates.ts';
import { asciiFallback } from '../../lib/file-name.ts';
import { isId } from '../../lib/ids.ts';
import { anonymousCaller } from '../credentials.ts';
import type { HttpDeps } from '../deps.ts';
import { demandOwnPage, readCookie, seeOther, setCookie } from '../forms.ts';
import { readGuardedForm, sendPage } from '../pre-session.ts';
import type { Exchange, Router } from '../router.ts';
import { basePath } from '../urls.ts';
import { visitorOfPage } from '../visits.ts';
import { addressStep } from './confirm-address.ts';
import { unknownPage } from './unknown.ts';

export function serveLinkPages(deps: HttpDeps, router: Router): void {
  router.page('GET', '/link/:id', async (exchange) => {
    const visit = await visitOf(deps, exchange);
    sendPage(deps, exchange, pageOf(deps, visit), { reference: exchange.params.id! });
  });

  router.page('POST', '/link/:id/password', async (exchange) => {
    const form = await readGuardedForm(deps, exchange);
    await openWithPassword(deps, exchange, form.get('password') ?? '');
  });

  router.page('POST', '/link/:id/download', async (exchange) => {
    demandOwnPage(deps, exchange.raw);
    exchange.raw.resume();
    const visit = await visitOf(deps, exchange);
    if (visit === null || visit.gate !== 'allow') {
      sendPage(deps, exchange, pageOf(deps, visit), { reference: exchange.params.id! });
      return;
    }
    const kind = visit.isOwner ? 'owner' : 'visitor';
    const recipient = visit.address ?? '';
    const ticket = await issueLinkTicket(deps.ctx, visit.link, { recipient, accountId: visit.accountId, kind });
    // Old command-line tools put the last part of the address on disk, so it ends with the plain name (security D8).
    seeOther(exchange.response, `${basePath(deps)}/dl/${ticket}/${asciiFallback(visit.link.fileName)}`);
  });
}

/** A visit, with the address the visitor has proven. */
type PageVisit = LinkVisit & { address: string | null; accountId: string | null; isOwner: boolean };

async function visitOf(deps: HttpDeps, { raw, params }: Exchange): Promise<PageVisit | null> {
  const id = params.id!;
  if (!isId(id)) return null;
  const pass = readCookie(deps, raw, passCookie(id));
  const passwordPassed = await isLinkPassValid(deps.ctx, id, pass);
  const visitor = await visitorOfPage(deps, raw);
  const address = visitor.user?.email ?? visitor.identity.provenAddresses[0] ?? null;
  const visit = await visitFileLink(deps.ctx, id, { passwordPassed, address, isOwner: false });
  const accountId = visitor.user?.id ?? null;
  return visit === null ? null : { ...visit, address, accountId, isOwner: accountId === visit.link.ownerId };
}

/** One cookie a link, so that two open links do not throw each other out. */
function passCookie(linkId: string): string {
  return `link-${linkId.slice(0, 12)}`;
}

async function openWithPassword(deps: HttpDeps, exchange: Exchange, password: string): Promise<void> {
  const id = exchange.params.id!;
  const visit = await visitOf(deps, exchange);
  if (visit === null || visit.gate !== 'needs_password') {
    if (visit?.gate === 'allow') seeOther(exchange.response, `${basePath(deps)}/link/${id}`);
    else sendPage(deps, exchange, pageOf(deps, visit), { reference: id });
    return;
  }
  if (password === '') {
    sendPage(deps, exchange, passwordPage(deps, visit, { is: 'empty' }), { reference: id });
    return;
  }
  const caller = anonymousCaller(deps, exchange);
  try {
    const check = await tryLinkPassword(deps.ctx, caller, id, password);
    if (check.isRight) {
      seeOther(exchange.response, `${basePath(deps)}/link/${id}`, {
        'set-cookie': setCookie(deps, passCookie(id), check.pass),
      });
      return;
    }
    const { triesLeft } = check;
    if (triesLeft === 0) sendPaused(deps, exchange, visit, pauseMinutes * 60);
    else
      sendPage(deps, exchange, passwordPage(deps, visit, { is: 'wrong', triesLeft, pauseMinutes }), { reference: id });
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'rate_limited') throw error;
    sendPaused(deps, exchange, visit, error.retryAfterSeconds ?? 60);
  }
}

function sendPaused(deps: HttpDeps, exchange: Exchange, visit: LinkVisit, seconds: number): void {
  const page = passwordPage(deps, visit, { is: 'paused', seconds });
  sendPage(deps, exchange, page, { reference: visit.link.id, headers: { 'retry-after': String(seconds) } });
}

function pageOf(deps: HttpDeps, visit: LinkVisit | null): Page {
  if (visit === null) return unknownPage;
  const { gate, link } = visit;
  if (gate === 'needs_password') return passwordPage(deps, visit, { is: 'ask' });
  if (gate === 'needs_sign_in') {
    const signInUrl = `${basePath(deps)}/sign-in?to=${encodeURIComponent(`/link/${link.id}`)}`;
    const step = addressStep(deps, `link:${link.id}`);
    return {
      kind: 'confirm-address',
      purpose: 'open',
      sharedBy: sharer(visit),
      fileCount: 1,
      subject: null,
      signInUrl,
      step,
    };
  }
  if (gate === 'allow' || gate === 'not_ready') {
    const action = `${basePath(deps)}/link/${link.id}`;
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
          : { is: 'being-checked', checkAgainUrl: action },
      notices: [],
      owner: null,
    };
  }
  return endedPage(deps, visit);
}

/** What an ended link may tell: sender and date only at its complete, once valid address, and only if switched on. */
function endedPage(deps: HttpDeps, visit: LinkVisit): NotAvailablePage {
  const tells = deps.ctx.settings.current().showExpiredDetails;
  const sender = tells ? sharer(visit) : null;
  if (visit.gate === 'expired') {
    return {
      kind: 'not-available',
      reason: { is: 'expired', until: tells ? visit.link.expiresOn : null, fileCount: 1, sender },
      about: null,
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

function sharer({ owner }: LinkVisit): Person | null {
  if (owner.email === '') return null;
  return { name: owner.name === '' ? owner.email : owner.name, address: owner.email };
}

export function daysLeft(deps: HttpDeps, expiresOn: string): number {
  let date = dateOf(deps.ctx.clock.now(), deps.ctx.settings.surroundings.timeZone);
  let days = 0;
  while (date < expiresOn && days < 4000) [date, days] = [addDays(date, 1), days + 1];
  return days;
}
