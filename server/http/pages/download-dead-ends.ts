// Shows nothing that the page of the ticket did not show.
import type { NotAvailablePage } from '#web/pages/props.ts';
import { findTicketTarget } from '../../actions/downloads/tickets.ts';
import { visitFileLink } from '../../actions/file-links/file-links.ts';
import { findMessageAccess } from '../../actions/messages/access.ts';
import type { Problem } from '../../domain/problem.ts';
import { isId } from '../../lib/ids.ts';
import type { HttpDeps } from '../deps.ts';
import { basePath } from '../transport/urls.ts';
import { endedPage as endedLinkPage, sharer } from './file-links.ts';
import { endedPage as endedMessagePage, sender } from './message-page.ts';

/** Refusals with a page of their own. */
const explainedCodes = new Set([
  'download.limit_reached',
  'download.used_up',
  'download.gone',
  'download.not_ready',
  'link.ended',
  'link.not_ready',
  'message.expired',
  'download.not_permitted',
  'download.elsewhere',
  'download.not_found',
]);

export interface DeadEnd {
  page: NotAvailablePage;
  reference?: string;
}

/** Null if the refusal's sentence is enough. */
export async function downloadDeadEnd(deps: HttpDeps, ticketId: string, problem: Problem): Promise<DeadEnd | null> {
  if (!explainedCodes.has(problem.code)) return null;
  const target = isId(ticketId) ? await findTicketTarget(deps.ctx, ticketId) : null;
  const isLimit = problem.code === 'download.limit_reached';
  if (target?.messageId != null) return ofMessage(deps, target.messageId, { isLimit, isArchive: target.isArchive });
  if (target?.linkId != null) return ofLink(deps, target.linkId);
  if (problem.code !== 'download.not_found') return null;
  const reason = { is: 'download-ended', pageUrl: null, isLimit: false, sender: null } as const;
  return { page: { kind: 'not-available', about: null, reason } };
}

async function ofMessage(
  deps: HttpDeps,
  id: string,
  { isLimit, isArchive }: { isLimit: boolean; isArchive: boolean },
): Promise<DeadEnd | null> {
  const access = await findMessageAccess(deps.ctx, id, { provenAddresses: [], account: null }, null);
  if (access === null) return null;
  const { message, gate } = access;
  if (gate === 'expired' || gate === 'revoked' || gate === 'gone')
    return { page: endedMessagePage(deps, access), reference: id };
  const about = message.isPrivate ? null : message.subject || null;
  const who = sender(message);
  // Other files of an archive may still be available.
  const reason: NotAvailablePage['reason'] =
    isLimit && !isArchive
      ? { is: 'download-limit', limit: access.downloadLimit, fileCount: message.files.length, sender: who }
      : { is: 'download-ended', pageUrl: `${basePath(deps)}/message/${id}`, isLimit, sender: who };
  return { page: { kind: 'not-available', about, reason }, reference: id };
}

async function ofLink(deps: HttpDeps, id: string): Promise<DeadEnd | null> {
  const visit = await visitFileLink(deps.ctx, id, { passwordPassed: false, address: null, isOwner: false });
  if (visit === null) return null;
  if (visit.gate === 'expired' || visit.gate === 'stopped' || visit.gate === 'gone')
    return { page: endedLinkPage(deps, visit), reference: id };
  const pageUrl = `${basePath(deps)}/link/${id}`;
  const reason = { is: 'download-ended', pageUrl, isLimit: false, sender: sharer(visit) } as const;
  return { page: { kind: 'not-available', about: null, reason }, reference: id };
}
