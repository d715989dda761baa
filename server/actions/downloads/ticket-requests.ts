// Tickets for clicks on Download. A new ticket replaces an interrupted one of the same visitor without counting again;
// together they serve no more than one may.
import { listTicketFiles } from '../../db/downloads/ticket-files.ts';
import {
  type Begun,
  type InterruptedTicket,
  insertTicket,
  listInterrupted,
  retireTicket,
  type TicketHolder,
} from '../../db/downloads/tickets.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import { type Ticket, ticketLifetimeMs } from '../../domain/downloads.ts';
import type { FileLink } from '../../domain/file-links.ts';
import type { Ctx } from '../context.ts';
import { untilLogged } from './running-requests.ts';
import { type NewTicket, newTicket, visitorHash } from './tickets.ts';

/** A concurrent click may replace the same ticket first. */
const maxAttempts = 3;

export async function requestTicket(ctx: Ctx, input: NewTicket, sizeBytes: number): Promise<string> {
  const id = ctx.random.id();
  const ticket = newTicket(ctx, id, input);
  const files = input.archiveOf ?? [];
  const request: TicketRequest = { ticket, files, sizeBytes };
  const unsettled = await ctx.db.write((tx) => insertRequested(ctx, tx, request, { waits: true }));
  if (unsettled === null) return id;
  await untilLogged(ctx, unsettled, sizeBytes);
  await ctx.db.write((tx) => insertRequested(ctx, tx, request, { waits: false }));
  return id;
}

/** With `waits`, a ticket whose requests should be logged first; null after inserting. */
async function insertRequested(
  ctx: Ctx,
  tx: Tx,
  request: TicketRequest,
  { waits }: { waits: boolean },
): Promise<Ticket | null> {
  const { ticket, files, sizeBytes } = request;
  const earlier = await replaceEarlier(ctx, tx, request, (found) => waits && isUnlogged(found, sizeBytes));
  if (earlier !== null && 'unsettled' in earlier) return earlier.unsettled;
  await insertTicket(tx, ticket, files, earlier);
  return null;
}

/** Fully granted, but not logged yet. */
function isUnlogged({ ticket }: InterruptedTicket, sizeBytes: number): boolean {
  return ticket.unsettled > 0 && ticket.servedBytes >= sizeBytes;
}

export interface RequestingBrowser {
  /** Identifies the browser between clicks. */
  token: string;
  network: string;
}

export function browserFieldsOf(ctx: Ctx, { token, network }: RequestingBrowser) {
  return { browserHash: visitorHash(ctx, token), network };
}

export function requestLinkTicket(
  ctx: Ctx,
  link: FileLink,
  holder: Pick<NewTicket, 'recipient' | 'accountId' | 'kind' | 'browserHash' | 'network' | 'passwordVersion'>,
): Promise<string> {
  const input: NewTicket = {
    ...holder,
    attachmentId: link.attachmentId,
    ownerId: link.ownerId,
    linkId: link.id,
    messageId: null,
    identity: '',
    expiresAt: link.expiresAt,
  };
  return requestTicket(ctx, input, link.sizeBytes);
}

/** Unfinished downloads of one visitor of a message. */
export interface Interrupted {
  files: Set<string>;
  /** Files in flight, alone or in an archive. */
  running: Set<string>;
  /** Files of the latest interrupted archive; null if there is none. */
  archive: string[] | null;
}

/** Downloads that a click would start again without counting. */
export async function findInterrupted(
  ctx: Ctx,
  holder: Omit<TicketHolder, 'issuedAfter' | 'linkId' | 'visitorHash'> & { visitor: string | undefined },
  sizes: ReadonlyMap<string, number>,
): Promise<Interrupted> {
  const { visitor, ...person } = holder;
  const found: Interrupted = { files: new Set(), running: new Set(), archive: null };
  const db = ctx.db.read;
  const hash = visitor === undefined ? null : visitorHash(ctx, visitor);
  if (hash === null && person.recipient === '') return found;
  const issuedAfter = ctx.clock.now() - ticketLifetimeMs;
  for (const earlier of await listInterrupted(db, { ...person, linkId: null, visitorHash: hash, issuedAfter })) {
    const { ticket } = earlier;
    const ids = ticket.isArchive ? await fileIds(db, ticket) : [ticket.attachmentId];
    if (earlier.isRunning) for (const id of ids) found.running.add(id);
    // The sender has removed a file since.
    if (!ids.every((id) => sizes.has(id))) continue;
    const sizeBytes = ids.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
    if (!canStartAgain(earlier, sizeBytes)) continue;
    if (ticket.isArchive) found.archive ??= ids;
    else found.files.add(ticket.attachmentId);
  }
  return found;
}

/** A whole file must still fit into what one ticket may serve. */
function canStartAgain({ servedBytes }: Begun, sizeBytes: number): boolean {
  return servedBytes <= sizeBytes;
}

async function fileIds(db: Query, ticket: Ticket): Promise<string[]> {
  return (await listTicketFiles(db, ticket)).map(({ attachmentId }) => attachmentId);
}

interface TicketRequest {
  ticket: Ticket;
  files: string[];
  sizeBytes: number;
}

async function replaceEarlier(
  ctx: Ctx,
  tx: Tx,
  request: TicketRequest,
  isAwaited: (earlier: InterruptedTicket) => boolean,
): Promise<Begun | { unsettled: Ticket } | null> {
  const { ticket } = request;
  if (ticket.visitorHash === null && ticket.recipient === '') return null;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const earlier = await findSame(ctx, tx, request);
    if (earlier === null) return null;
    if (isAwaited(earlier)) return { unsettled: earlier.ticket };
    if (!(await retireTicket(tx, earlier))) continue;
    return { downloadNumber: earlier.downloadNumber, servedBytes: earlier.servedBytes };
  }
  return null;
}

/** The newest of the same file, or of an archive of the same files. */
async function findSame(
  ctx: Ctx,
  tx: Tx,
  { ticket, files, sizeBytes }: TicketRequest,
): Promise<InterruptedTicket | null> {
  const issuedAfter = ctx.clock.now() - ticketLifetimeMs;
  for (const earlier of await listInterrupted(tx, { ...ticket, issuedAfter })) {
    const isSame = earlier.ticket.isArchive === ticket.isArchive && earlier.ticket.attachmentId === ticket.attachmentId;
    if (!isSame || !canStartAgain(earlier, sizeBytes)) continue;
    if (!ticket.isArchive) return earlier;
    const ids = await fileIds(tx, earlier.ticket);
    if (ids.length === files.length && ids.every((id, index) => id === files[index])) return earlier;
  }
  return null;
}
