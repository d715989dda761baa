// The message page: view, download, "Read message". Viewing spends nothing.
import { findMessageAccess, type MessageAccess } from '../../actions/messages/access.ts';
import { createVisitLog, type PageVisit } from '../../actions/messages/page-visits.ts';
import { readPrivateMessage } from '../../actions/messages/reading.ts';
import { issueArchiveTicket, issueFileTicket } from '../../actions/messages/tickets.ts';
import { archiveName } from '../../domain/archives.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { looksLikeScanner } from '../../domain/tracking.ts';
import { asciiFallback } from '../../lib/file-name.ts';
import { isId } from '../../lib/ids.ts';
import { sameText } from '../../lib/keyring.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import type { HttpDeps } from '../deps.ts';
import { requireDownloadPace } from '../downloads/pace.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { sendPage } from '../identity/pre-session.ts';
import { ticketBrowser } from '../identity/ticket-credentials.ts';
import { visitorOf } from '../identity/visitors.ts';
import { type PageVisitor, readToken, requireCsrf, visitorCookie, visitorOfPage } from '../identity/visits.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { readFlash, redirectWith } from './flash.ts';
import { assertOwnPage, isProgramRequest, readCookie, readOwnForm, seeOther, setCookie } from './forms.ts';
import { identityOf, messagePage, type Opened, sender } from './message-page.ts';
import { openMessageForProgram, refusedFile, sendFileList } from './message-programs.ts';

export function serveMessagePages(deps: HttpDeps, router: Router): void {
  const visits = createVisitLog(deps.ctx);
  router.page('GET', '/message/:id', async (exchange) => {
    const { access, visitor } = await open(deps, exchange);
    if (access !== null && !access.isOwner) {
      const caller = anonymousCaller(deps, exchange);
      visits.add(caller, pageVisitOf(deps, exchange, access));
    }
    const { kept, cookies } = readFlash<Kept>(deps, exchange, pathOf(exchange));
    const opened: Opened = {
      access,
      visitor,
      browser: readToken(deps, exchange.raw, visitorCookie),
      isRead: access !== null && hasRead(deps, exchange, access),
      personal: new URLSearchParams(exchange.queryText).get('for'),
      notices:
        kept === null || access === null
          ? []
          : [{ is: 'limit-reached', what: kept.usedUp, sender: sender(access.message) }],
    };
    const page = await messagePage(deps, opened);
    sendPage(deps, exchange, page, { reference: exchange.params.id!, headers: { 'set-cookie': cookies } });
  });

  router.page('POST', '/message/:id/download/:attachment', (exchange) => downloadFile(deps, exchange));

  router.page('POST', '/message/:id/files', async (exchange) => {
    if (!isProgramRequest(exchange.raw)) assertOwnPage(deps, exchange.raw);
    const access = await openMessageForProgram(deps, exchange);
    if (access !== 'answered') sendFileList(exchange, access);
  });

  router.page('POST', '/message/:id/download', async (exchange) => {
    const access = await openForm(deps, exchange);
    if (access === null) return backToPage(deps, exchange);
    requireDownloadPace(deps, exchange);
    const { browser, cookies } = ticketBrowser(deps, exchange.raw);
    const ticket = await issueArchiveTicket(deps.ctx, access, browser);
    if (ticket === null) return refuseDownload(deps, exchange, access);
    const name = asciiFallback(archiveName(access.message.subject));
    seeOther(exchange.response, `${basePath(deps)}/dl/${ticket}/${name}`, { 'set-cookie': cookies });
  });

  // Polled by a script, so it is no visit.
  router.page('GET', '/message/:id/state', async (exchange) => {
    const { access, visitor } = await open(deps, exchange);
    if (access === null || access.gate !== 'allow') throw notFound('message');
    const page = await messagePage(deps, { access, visitor, browser: readToken(deps, exchange.raw, visitorCookie) });
    sendPage(deps, exchange, page);
  });

  router.page('POST', '/message/:id/read', (exchange) => read(deps, exchange));
}

async function downloadFile(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const isProgram = isProgramRequest(exchange.raw);
  const access = isProgram ? await openMessageForProgram(deps, exchange) : await openForm(deps, exchange);
  // The next step of the proof of an address was the answer.
  if (access === 'answered') return;
  if (access === null) return backToPage(deps, exchange);
  requireDownloadPace(deps, exchange);
  const { browser, cookies } = ticketBrowser(deps, exchange.raw);
  const issued = await issueFileTicket(deps.ctx, access, exchange.params.attachment!, browser);
  if (issued === null && isProgram) throw refusedFile(access, exchange.params.attachment!);
  if (issued === null) return refuseDownload(deps, exchange, access);
  const location = `${basePath(deps)}/dl/${issued.ticket}/${asciiFallback(issued.file.fileName)}`;
  seeOther(exchange.response, location, { 'set-cookie': cookies });
}

/** Null if the message is not open to the visitor. */
async function openForm(deps: HttpDeps, exchange: Exchange): Promise<MessageAccess | null> {
  const form = await readOwnForm(deps, exchange.raw, exchange.response);
  const { access, visitor } = await open(deps, exchange);
  requireCsrf(deps, visitor, form.get('csrf'));
  return access?.gate === 'allow' ? access : null;
}

async function read(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const access = await openForm(deps, exchange);
  if (access === null || access.isOwner) return backToPage(deps, exchange);
  // A reload of an opened message counts no second reading.
  if (hasRead(deps, exchange, access)) return backToPage(deps, exchange);
  try {
    await readPrivateMessage(deps.ctx, anonymousCaller(deps, exchange), access);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'message.used_up') throw error;
    return tellUsedUp(deps, exchange, 'readings');
  }
  backToPage(deps, exchange, [readCookieOf(deps, access)]);
}

interface Kept {
  usedUp: 'downloads' | 'readings';
}

function pathOf({ params }: Exchange): string {
  return `/message/${encodeURIComponent(params.id!)}`;
}

function backToPage(deps: HttpDeps, exchange: Exchange, cookies: string[] = []): void {
  seeOther(exchange.response, `${basePath(deps)}${pathOf(exchange)}`, { 'set-cookie': cookies });
}

function tellUsedUp(deps: HttpDeps, exchange: Exchange, usedUp: Kept['usedUp']): void {
  redirectWith(deps, exchange.response, pathOf(exchange), { kept: { usedUp } satisfies Kept });
}

/** The page itself says why. */
function refuseDownload(deps: HttpDeps, exchange: Exchange, { message }: MessageAccess): void {
  if (message.files.some((file) => file.isAvailable)) tellUsedUp(deps, exchange, 'downloads');
  else backToPage(deps, exchange);
}

/** In the browser that clicked "Read message". */
const readSeconds = 3_600;

function readCookieName(access: MessageAccess): string {
  return `read-${access.message.id.slice(0, 12)}`;
}

/** Bound to the message and its reader. */
function readCookieOf(deps: HttpDeps, access: MessageAccess): string {
  return setCookie(deps, readCookieName(access), readProof(deps, access, readUntil(deps)), readSeconds);
}

function readUntil(deps: HttpDeps): number {
  return deps.ctx.clock.now() + readSeconds * 1_000;
}

function readProof(deps: HttpDeps, access: MessageAccess, until: number): string {
  const mac = deps.ctx.keys.hash('reading', `${access.message.id}\0${identityOf(access)}\0${until}`);
  return `${until}.${mac.toString('base64url')}`;
}

function hasRead(deps: HttpDeps, { raw }: Exchange, access: MessageAccess): boolean {
  const proof = readCookie(deps, raw, readCookieName(access));
  const until = Number(proof?.split('.', 1)[0]);
  if (proof === undefined || !(until > deps.ctx.clock.now())) return false;
  return access.gate === 'allow' && sameText(proof, readProof(deps, access, until));
}

function pageVisitOf(deps: HttpDeps, exchange: Exchange, access: MessageAccess): PageVisit {
  const { method, headers } = exchange.raw;
  const seen = visitorOf(deps, exchange.raw);
  const { admission } = access;
  const address = admission.verdict === 'allow' ? admission.address : '';
  return {
    messageId: access.message.id,
    ownerId: access.message.ownerId,
    address,
    isScanner:
      address === '' &&
      looksLikeScanner({
        method: method ?? 'GET',
        agent: seen.agent,
        platform: seen.platform,
        hasLanguage: headers['accept-language'] !== undefined,
        fetchMode: headers['sec-fetch-mode'] as string | undefined,
      }),
    browser: seen.browser === '' ? seen.agent.slice(0, 80) : seen.browser,
    device: seen.os === '' ? seen.platform : seen.os,
    network: networkOf(seen.address),
    country: seen.countryName,
  };
}

async function open(
  deps: HttpDeps,
  exchange: Exchange,
): Promise<{ access: MessageAccess | null; visitor: PageVisitor }> {
  const visitor = await visitorOfPage(deps, exchange.raw);
  const id = exchange.params.id!;
  const access = isId(id) ? await findMessageAccess(deps.ctx, id, visitor.identity, visitor.user?.id ?? null) : null;
  return { access, visitor };
}
