// Ranges and resumed requests under one ticket count once.
import { openTicket } from '../../actions/downloads/tickets.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { isId } from '../../lib/ids.ts';
import type { HttpDeps } from '../deps.ts';
import { requireDownloadPace } from '../downloads/pace.ts';
import { sendFile } from '../downloads/transfer.ts';
import { anonymousCaller, tooMany } from '../identity/credentials.ts';
import { ticketBearerOf } from '../identity/ticket-credentials.ts';
import { visitorOf } from '../identity/visitors.ts';
import { isNavigation } from '../transport/negotiation.ts';
import { refusalOf } from '../transport/problems.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { downloadDeadEnd } from './download-dead-ends.ts';

export function serveTickets(deps: HttpDeps, router: Router): void {
  const deliver = async (exchange: Exchange): Promise<void> => {
    const ticketId = exchange.params.ticket!;
    if (!isId(ticketId)) throw notFound('download', 'There’s nothing at this address.');
    const delivery = await openTicket(deps.ctx, ticketId, await ticketBearerOf(deps, exchange));
    const caller = anonymousCaller(deps, exchange);
    if (exchange.raw.method !== 'HEAD') requireDownloadPace(deps, exchange);
    const { linkId, messageId, attachmentId, isArchive } = delivery.ticket;
    const leave = enter(deps, linkId ?? (isArchive ? messageId! : attachmentId), caller.from.address);
    try {
      await sendFile({ ...exchange, deps, caller, visitor: visitorOf(deps, exchange.raw), delivery });
    } finally {
      leave();
    }
  };
  router.page('GET', '/dl/:ticket/:name', async (exchange) => {
    try {
      await deliver(exchange);
    } catch (error) {
      const canTell = error instanceof Problem && isNavigation(exchange.raw) && !exchange.response.headersSent;
      const end = canTell ? await downloadDeadEnd(deps, exchange.params.ticket!, error) : null;
      if (end === null) throw error;
      const status = end.page.reason.is === 'download-ended' ? { status: refusalOf(error).status } : {};
      const reference = end.reference === undefined ? {} : { reference: end.reference };
      deps.pages.send(exchange, end.page, { ...status, ...reference });
    }
  });
  router.page('HEAD', '/dl/:ticket/:name', deliver);
}

/** Returns the function that leaves. */
export function enter(deps: HttpDeps, target: string, address: string): () => void {
  const leaveTarget = deps.limits.downloadsByLink.enter(target);
  if (leaveTarget === null)
    throw tooMany('download.too_many', 'Too many people are downloading this file right now.', 10);
  const leaveAddress = deps.limits.downloadsByAddress.enter(address);
  if (leaveAddress === null) {
    leaveTarget();
    throw tooMany('download.too_many', 'Too many downloads are running from your address.', 10);
  }
  return () => {
    leaveTarget();
    leaveAddress();
  };
}
