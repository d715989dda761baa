import { humanSize } from '#contract/sizes.ts';
import type { MessagePage } from '#web/pages/message-props.ts';
import type { Page } from '#web/pages/page.ts';
import type {
  CheckProgress,
  ConfirmAddressPage,
  NotAvailablePage,
  PageNotice,
  Person,
  PostForm,
} from '#web/pages/props.ts';
import { listOwnDownloads } from '../../actions/downloads/log.ts';
import type { Interrupted } from '../../actions/downloads/ticket-requests.ts';
import type { MessageAccess } from '../../actions/messages/access.ts';
import { findPersonalAddress } from '../../actions/messages/personal-links.ts';
import { archiveFiles, findInterruptedOf } from '../../actions/messages/tickets.ts';
import { findFileChecks } from '../../actions/scanning/file-checks.ts';
import { downloadsLeft, fileState } from '../../domain/archives.ts';
import type { Message, MessageFile } from '../../domain/messages.ts';
import { dateOf, isoInstant } from '../../lib/dates.ts';
import type { HttpDeps } from '../deps.ts';
import type { PageVisitor } from '../identity/visits.ts';
import { basePath, publicUrl } from '../transport/urls.ts';
import { checkProgress } from './check-progress.ts';
import { addressStep, maskAddress, passkeyOffer } from './confirm-address.ts';
import { daysLeft } from './file-links.ts';
import { notFoundPage } from './not-found.ts';
import { passkeyHint } from './recipient-passkeys.ts';

export interface Opened {
  access: MessageAccess | null;
  visitor: PageVisitor;
  /** The visitor cookie; undefined before the first download. */
  browser: string | undefined;
  /** "Read message" was clicked in this browser. */
  isRead?: boolean;
  /** From a personal link in a mail. */
  personal?: string | null;
  notices?: PageNotice[];
}

export async function messagePage(deps: HttpDeps, opened: Opened): Promise<Page> {
  const { access, visitor, isRead = false, personal = null, notices = [] } = opened;
  if (access === null) return notFoundPage;
  if (access.gate === 'needs_proof') return confirmPage(deps, access.message, personal);
  if (access.gate !== 'allow') return endedPage(deps, access);
  const { message } = access;
  const action = `${basePath(deps)}/message/${message.id}`;
  const form = (path: string) => ({
    action: action + path,
    ...(visitor.csrf === undefined ? {} : { csrf: visitor.csrf }),
  });
  const downloads = await listOwnDownloads(deps.ctx, message, {
    identity: identityOf(access),
    browser: opened.browser,
  });
  // The sender sees the same counts as recipients.
  const leftOf = (file: MessageFile) => downloadsLeft(file, { ...access, isOwner: false });
  const lefts = new Set(message.files.map(leftOf));
  const interrupted = await findInterruptedOf(deps.ctx, access, opened.browser);
  const checks = await findFileChecks(deps.ctx.db.read, message.files);
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
      state: statePage(file, access, {
        interrupted,
        form: form(`/download/${file.attachmentId}`),
        left: lefts.size === 1 ? null : leftOf(file),
        progress: checkProgress(deps, checks.get(file.attachmentId)),
      }),
      downloadedAt: momentOf(downloads, file.attachmentId),
    })),
    totalSizeText: message.files.length === 0 ? '' : humanSize(message.sizeBytes),
    downloadAll: archiveOf(archiveFiles(access, interrupted), form('/download')),
    until: { date: message.expiresOn, daysLeft: daysLeft(deps, message.expiresOn) },
    audience: message.effectiveAudience,
    isOnlyRecipient: (access.isRecipient || access.isOwner) && message.recipientCount === 1,
    downloadsLeft: lefts.size === 1 ? [...lefts][0]! : null,
    hasDownloadLimit: message.downloadLimit !== null,
    otherRecipients: others(access),
    checkAgainUrl: action,
    stateUrl: `${action}/state`,
    notices,
    senderView: access.isOwner ? { appUrl: null } : null,
    passkeys: await passkeyHint(deps, `message:${message.id}`, visitor, addressOf(access)),
  } satisfies MessagePage;
}

function archiveOf(files: readonly MessageFile[], form: PostForm): MessagePage['downloadAll'] {
  if (files.length < 2) return null;
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  return { form, fileCount: files.length, sizeText: humanSize(sizeBytes) };
}

/** Null for visitors who did not open it with a proven address. */
function addressOf({ admission, isOwner }: MessageAccess): string | null {
  return admission.verdict === 'allow' && !isOwner && admission.address !== '' ? admission.address : null;
}

function textOf(message: Message): MessagePage['body'] {
  if (message.body === '') return { is: 'none' };
  return message.bodyHtml === null ? { is: 'text', text: message.body } : { is: 'html', bodyHtml: message.bodyHtml };
}

interface StateParts {
  interrupted: Interrupted;
  form: PostForm;
  left: number | null;
  progress: CheckProgress;
}

function statePage(
  file: MessageFile,
  access: MessageAccess,
  { interrupted, form, left, progress: check }: StateParts,
): MessagePage['files'][number]['state'] {
  const isInterrupted = interrupted.files.has(file.attachmentId);
  const progress = interrupted.running.has(file.attachmentId) ? 'running' : isInterrupted ? 'interrupted' : null;
  const state = fileState(file, access, isInterrupted);
  if (state === 'ready') return { is: 'ready', form, progress, downloadsLeft: left };
  if (state === 'being-checked') return { is: state, ...check };
  return state === 'used-up' ? { is: state } : { is: 'removed', sentence: null };
}

/** Without text and file names; of a private message also without subject. */
async function confirmPage(deps: HttpDeps, message: Message, personal: string | null): Promise<ConfirmAddressPage> {
  const address = personal === null ? null : await findPersonalAddress(deps.ctx, message.id, personal);
  const known = address === null ? null : { address, hidden: { for: personal! } };
  return {
    kind: 'confirm-address',
    purpose: 'open',
    audience: message.effectiveAudience,
    sharedBy: sender(message),
    fileCount: message.files.length,
    subject: message.isPrivate ? null : message.subject,
    signInUrl: `${publicUrl(deps, '/sign-in')}?to=${encodeURIComponent(`/message/${message.id}`)}`,
    step: addressStep(deps, `message:${message.id}`, { known }),
    passkey: await passkeyOffer(deps, `message:${message.id}`),
  };
}

/** Subject and sender are named only where permitted. */
export function endedPage(deps: HttpDeps, access: MessageAccess): NotAvailablePage {
  const { message, gate } = access;
  const tells = deps.ctx.settings.current().showExpiredDetails;
  const who = tells ? sender(message) : null;
  const fileCount = message.files.length;
  const { timeZone } = deps.ctx.settings.surroundings;
  const about = tells && !message.isPrivate ? message.subject || null : null;
  if (gate === 'not_allowed' && access.admission.verdict === 'not_allowed') {
    const otherAddressUrl = `${basePath(deps)}/verify/other?target=message:${message.id}`;
    return {
      kind: 'not-available',
      about: message.isPrivate ? null : message.subject || null,
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
      about,
      reason: { is: 'expired', until: tells ? message.expiresOn : null, fileCount, sender: who },
    };
  if (gate === 'revoked')
    return {
      kind: 'not-available',
      about,
      reason: { is: 'stopped', on: tells ? dateOf(message.updatedAt, timeZone) : null, fileCount, sender: who },
    };
  return { kind: 'not-available', about, reason: { is: 'removed', fileCount } };
}

export function sender(message: Message): Person {
  return { name: message.senderName === '' ? message.sender : message.senderName, address: message.sender };
}

/** Never Bcc, and only for recipients; visitors are not listed to themselves. */
function others({ message, admission, isRecipient, isOwner }: MessageAccess): MessagePage['otherRecipients'] {
  if (!isRecipient && !isOwner) return null;
  const reader = admission.verdict === 'allow' && !isOwner ? admission.address : '';
  const people = (addresses: string[]): Person[] =>
    addresses.filter((address) => address !== reader).map((address) => ({ name: address, address }));
  const [to, cc] = [people(message.recipients), people(message.ccs)];
  return to.length + cc.length === 0 ? null : { to, cc };
}

export function identityOf(access: MessageAccess): string {
  return access.admission.verdict === 'allow' ? access.admission.identity : '';
}

function momentOf(downloads: Map<string, number>, attachmentId: string): string | null {
  const at = downloads.get(attachmentId);
  return at === undefined ? null : isoInstant(at);
}
