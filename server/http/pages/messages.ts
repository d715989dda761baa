// The message page (experience R1): what a visitor sees, the press on Download, the press on Read message. Looking never
// spends anything.
import { humanSize } from '#contract/sizes.ts';
import type { MessagePage } from '#web/pages/message-props.ts';
import type { ConfirmAddressPage, NotAvailablePage, Page, Person, PostForm } from '#web/pages/props.ts';
import { listOwnDownloads } from '../../actions/downloads/log.ts';
import { findMessageAccess, type MessageAccess } from '../../actions/messages/access.ts';
import { createVisitLog, type PageVisit } from '../../actions/messages/page-visits.ts';
import { findPersonalAddress } from '../../actions/messages/personal-links.ts';
import { readPrivateMessage } from '../../actions/messages/reading.ts';
import { issueMessageTicket } from '../../actions/messages/tickets.ts';
import { archiveName, downloadableFiles, downloadsLeft, type FileState, fileState } from '../../domain/archives.ts';
import type { Message } from '../../domain/messages.ts';
import { notFound } from '../../domain/problem.ts';
import { looksLikeScanner } from '../../domain/tracking.ts';
import { dateOf, isoInstant } from '../../lib/dates.ts';
import { asciiFallback } from '../../lib/file-name.ts';
import { isId } from '../../lib/ids.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { sendJson } from '../answers.ts';
import { anonymousCaller } from '../credentials.ts';
import type { HttpDeps } from '../deps.ts';
import { readOwnForm, seeOther } from '../forms.ts';
import { sendPage } from '../pre-session.ts';
import type { Exchange, Router } from '../router.ts';
import { basePath, publicUrl } from '../urls.ts';
import { visitorOf } from '../visitors.ts';
import { demandCsrf, type PageVisitor, visitorOfPage } from '../visits.ts';
import { addressStep, maskAddress } from './confirm-address.ts';
import { daysLeft } from './file-links.ts';
import { unknownPage } from './unknown.ts';

export function serveMessagePages(deps: HttpDeps, router: Router): void {
  const visits = createVisitLog(deps.ctx);
  router.page('GET', '/message/:id', async (exchange) => {
    const { access, visitor } = await open(deps, exchange);
    if (access !== null && !access.isOwner) {
      const caller = anonymousCaller(deps, exchange);
      visits.add(caller, pageVisitOf(deps, exchange, access));
    }
    await show(deps, exchange, { access, visitor, personal: new URLSearchParams(exchange.queryText).get('for') });
  });

  router.page('POST', '/message/:id/download/:attachment', async (exchange) => {
    const form = await readOwnForm(deps, exchange.raw, exchange.response);
    const { access, visitor } = await open(deps, exchange);
    demandCsrf(deps, visitor, form.get('csrf'));
    const file = access?.message.files.find((candidate) => candidate.attachmentId === exchange.params.attachment);
    if (access === null || access.gate !== 'allow' || file === undefined)
      return show(deps, exchange, { access, visitor });
    const ticket = await issueMessageTicket(deps.ctx, access, file);
    seeOther(exchange.response, `${basePath(deps)}/dl/${ticket}/${asciiFallback(file.fileName)}`);
  });

  router.page('POST', '/message/:id/download', async (exchange) => {
    const form = await readOwnForm(deps, exchange.raw, exchange.response);
    const { access, visitor } = await open(deps, exchange);
    demandCsrf(deps, visitor, form.get('csrf'));
    if (access === null || access.gate !== 'allow') return show(deps, exchange, { access, visitor });
    const files = downloadableFiles(access.message, access);
    const [first] = files;
    if (first === undefined) return deps.pages.send(exchange, nothingLeftPage(deps, access), about(exchange));
    const archiveOf = files.map((file) => file.attachmentId);
    const ticket = await issueMessageTicket(deps.ctx, access, first, archiveOf);
    const name = asciiFallback(archiveName(access.message.subject));
    seeOther(exchange.response, `${basePath(deps)}/dl/${ticket}/${name}`);
  });

  router.page('GET', '/message/:id/state', async (exchange) => {
    const { access } = await open(deps, exchange);
    if (access === null || access.gate !== 'allow') throw notFound('message');
    const downloads = await listOwnDownloads(deps.ctx, access.message, identityOf(access));
    const files = access.message.files.map(({ attachmentId: id }) => ({ id, downloaded_at: momentOf(downloads, id) }));
    sendJson(exchange, 200, { files });
  });

  router.page('POST', '/message/:id/read', async (exchange) => {
    const form = await readOwnForm(deps, exchange.raw, exchange.response);
    const { access, visitor } = await open(deps, exchange);
    demandCsrf(deps, visitor, form.get('csrf'));
    if (access === null || access.gate !== 'allow') return show(deps, exchange, { access, visitor });
    const caller = anonymousCaller(deps, exchange);
    if (!access.isOwner) await readPrivateMessage(deps.ctx, caller, access);
    await show(deps, exchange, { access, visitor, isRead: true });
  });
}

function identityOf(access: MessageAccess): string {
  return access.admission.verdict === 'allow' ? access.admission.identity : '';
}

function momentOf(downloads: Map<string, number>, attachmentId: string): string | null {
  const at = downloads.get(attachmentId);
  return at === undefined ? null : isoInstant(at);
}

/** For the head of the page: which message it is about. */
function about(exchange: Exchange): { reference: string } {
  return { reference: exchange.params.id! };
}

/** Who looked, as far as the request tells. */
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

/** A message and whoever looks at it. */
interface Opened {
  access: MessageAccess | null;
  visitor: PageVisitor;
  /** They have just pressed "Read message". */
  isRead?: boolean;
  /** From the link in somebody's own mail. */
  personal?: string | null;
}

async function open(deps: HttpDeps, exchange: Exchange): Promise<Opened> {
  const visitor = await visitorOfPage(deps, exchange.raw);
  const id = exchange.params.id!;
  const access = isId(id) ? await findMessageAccess(deps.ctx, id, visitor.identity, visitor.user?.id ?? null) : null;
  return { access, visitor };
}

async function show(deps: HttpDeps, exchange: Exchange, opened: Opened): Promise<void> {
  sendPage(deps, exchange, await pageOf(deps, opened), about(exchange));
}

async function pageOf(deps: HttpDeps, { access, visitor, isRead = false, personal = null }: Opened): Promise<Page> {
  if (access === null) return unknownPage;
  if (access.gate === 'needs_proof') return confirmPage(deps, access.message, personal);
  if (access.gate !== 'allow') return endedPage(deps, access);
  const { message } = access;
  const action = `${basePath(deps)}/message/${message.id}`;
  const form = (path: string) => ({
    action: action + path,
    ...(visitor.csrf === undefined ? {} : { csrf: visitor.csrf }),
  });
  const downloads = await listOwnDownloads(deps.ctx, message, identityOf(access));
  // The sender sees the facts as recipients do.
  const lefts = new Set(message.files.map((file) => downloadsLeft(file, { ...access, isOwner: false })));
  const archived = downloadableFiles(message, access);
  return {
    kind: 'message',
    sender: sender(message),
    subject: message.subject,
    isPrivate: message.isPrivate,
    body: message.isPrivate && !isRead && !access.isOwner ? { is: 'unread', form: form('/read') } : textOf(message),
    files: message.files.map((file) => ({
      id: file.attachmentId,
      name: file.fileName,
      sizeText: humanSize(file.sizeBytes),
      sha256: file.sha256 === '' ? null : file.sha256,
      state: statePage(fileState(file, access), form(`/download/${file.attachmentId}`)),
      downloadedAt: momentOf(downloads, file.attachmentId),
    })),
    totalSizeText: message.files.length === 0 ? '' : humanSize(message.sizeBytes),
    downloadAll:
      archived.length < 2
        ? null
        : {
            form: form('/download'),
            fileCount: archived.length,
            sizeText: humanSize(archived.reduce((sum, file) => sum + file.sizeBytes, 0)),
          },
    until: { date: message.expiresOn, daysLeft: daysLeft(deps, message.expiresOn) },
    audience: message.audience,
    downloadsLeft: lefts.size === 1 ? [...lefts][0]! : null,
    hasDownloadLimit: message.downloadLimit !== null,
    otherRecipients: others(message),
    checkAgainUrl: action,
    // Of somebody unknown we know no downloads either.
    stateUrl: identityOf(access) === '' ? null : `${action}/state`,
    notices: [],
    senderView: access.isOwner ? { appUrl: null } : null,
  } satisfies MessagePage;
}

function textOf(message: Message): MessagePage['body'] {
  if (message.body === '') return { is: 'none' };
  return message.bodyHtml === null ? { is: 'text', text: message.body } : { is: 'html', bodyHtml: message.bodyHtml };
}

function statePage(state: FileState, form: PostForm): MessagePage['files'][number]['state'] {
  if (state === 'ready') return { is: 'ready', form };
  return state === 'removed' ? { is: 'removed', sentence: null } : { is: state };
}

/** Sender and subject are shown, text and file names are not; of a private message not even the subject. */
async function confirmPage(deps: HttpDeps, message: Message, personal: string | null): Promise<ConfirmAddressPage> {
  const address = personal === null ? null : await findPersonalAddress(deps.ctx, message.id, personal);
  const known = address === null ? null : { address, hidden: { for: personal! } };
  return {
    kind: 'confirm-address',
    purpose: 'open',
    sharedBy: sender(message),
    fileCount: message.files.length,
    subject: message.isPrivate ? null : message.subject,
    signInUrl: `${publicUrl(deps, '/sign-in')}?to=${encodeURIComponent(`/message/${message.id}`)}`,
    step: addressStep(deps, `message:${message.id}`, { known }),
  };
}

function endedPage(deps: HttpDeps, access: MessageAccess): NotAvailablePage {
  const { message, gate } = access;
  const tells = deps.ctx.settings.current().showExpiredDetails;
  const who = tells ? sender(message) : null;
  const fileCount = message.files.length;
  const { timeZone } = deps.ctx.settings.surroundings;
  if (gate === 'not_allowed' && access.admission.verdict === 'not_allowed') {
    const otherAddressUrl = `${basePath(deps)}/verify/other?target=message:${message.id}`;
    return {
      kind: 'not-available',
      about: null,
      reason: {
        is: 'not-allowed',
        address: maskAddress(access.admission.address),
        fileCount,
        otherAddressUrl,
        sender: sender(message),
      },
    };
  }
  if (gate === 'expired')
    return {
      kind: 'not-available',
      about: null,
      reason: { is: 'expired', until: tells ? message.expiresOn : null, fileCount, sender: who },
    };
  if (gate === 'revoked')
    return {
      kind: 'not-available',
      about: null,
      reason: { is: 'stopped', on: tells ? dateOf(message.updatedAt, timeZone) : null, fileCount, sender: who },
    };
  return { kind: 'not-available', about: null, reason: { is: 'removed', fileCount } };
}

/** "Download all" was pressed on an old page: nothing this visitor could still download. */
function nothingLeftPage(deps: HttpDeps, { message, downloadLimit }: MessageAccess): NotAvailablePage {
  const tells = deps.ctx.settings.current().showExpiredDetails;
  const fileCount = message.files.length;
  if (!message.files.some((file) => file.isAvailable))
    return { kind: 'not-available', about: null, reason: { is: 'removed', fileCount } };
  const limit = tells ? downloadLimit : null;
  const who = tells ? sender(message) : null;
  return { kind: 'not-available', about: null, reason: { is: 'download-limit', limit, fileCount, sender: who } };
}

function sender(message: Message): Person {
  return { name: message.senderName === '' ? message.sender : message.senderName, address: message.sender };
}

/** To and Cc, never Bcc; alone there is nobody else to name. */
function others(message: Message): { to: Person[]; cc: Person[] } | null {
  if (message.recipients.length + message.ccs.length < 2) return null;
  const person = (address: string): Person => ({ name: address, address });
  return { to: message.recipients.map(person), cc: message.ccs.map(person) };
}
