// The press on Download: a ticket of its own, or one that takes the place of a download of the same visitor that broke
// off. That one was counted when it began, so starting it again counts nothing; over all presses together it serves no
// more than one ticket may (invariant I11).

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
import { untilSettled } from './settling.ts';
import { type NewTicket, newTicket, visitorHash } from './tickets.ts';

/** Two presses at once try to take over the same download; the slower one looks again. */
const mostAttempts = 3;

/** `sizeBytes` is that of the file, or of all files of an archive. */
export async function pressDownload(ctx: Ctx, wanted: NewTicket, sizeBytes: number): Promise<string> {
  const id = ctx.random.id();
  const ticket = newTicket(ctx, id, wanted);
  const files = wanted.archiveOf ?? [];
  const press: Press = { ticket, files, sizeBytes };
  const unsettled = await ctx.db.write((tx) => insertPressed(ctx, tx, press, { waits: true }));
  if (unsettled === null) return id;
  await untilSettled(ctx, unsettled, sizeBytes);
  await ctx.db.write((tx) => insertPressed(ctx, tx, press, { waits: false }));
  return id;
}

/** A ticket whose requests should be in the log first, when it `waits`; null when the press has got its own. */
async function insertPressed(ctx: Ctx, tx: Tx, press: Press, { waits }: { waits: boolean }): Promise<Ticket | null> {
  const { ticket, files, sizeBytes } = press;
  const earlier = await takeOver(ctx, tx, press, (found) => waits && mayBeTaken(found, sizeBytes));
  if (earlier !== null && 'unsettled' in earlier) return earlier.unsettled;
  await insertTicket(tx, ticket, files, earlier);
  return null;
}

/** All of it was granted, and the log does not tell yet what became of it. */
function mayBeTaken({ ticket }: InterruptedTicket, sizeBytes: number): boolean {
  return ticket.unsettled > 0 && ticket.servedBytes >= sizeBytes;
}

/** A browser in which Download is pressed. */
export interface PressingBrowser {
  /** What it is known by between two presses. */
  token: string;
  network: string;
}

/** What a ticket keeps of it. */
export function holdingBrowser(ctx: Ctx, { token, network }: PressingBrowser) {
  return { browserHash: visitorHash(ctx, token), network };
}

/** The press on the page of a link. */
export function pressLinkDownload(
  ctx: Ctx,
  link: FileLink,
  holder: Pick<NewTicket, 'recipient' | 'accountId' | 'kind' | 'browserHash' | 'network' | 'passwordVersion'>,
): Promise<string> {
  const wanted: NewTicket = {
    ...holder,
    attachmentId: link.attachmentId,
    ownerId: link.ownerId,
    linkId: link.id,
    messageId: null,
    identity: '',
    expiresAt: link.expiresAt,
  };
  return pressDownload(ctx, wanted, link.sizeBytes);
}

/** What one visitor of a message began and has not got whole. */
export interface Interrupted {
  /** Files that were fetched one by one. */
  files: Set<string>;
  /** Files whose bytes are on their way, alone or in an archive. */
  running: Set<string>;
  /** The files of the latest archive; null when none broke off. */
  archive: string[] | null;
}

/** Downloads that a press would start again without counting; `sizes` are those of the files of the message. */
export async function findInterrupted(
  ctx: Ctx,
  holder: Omit<TicketHolder, 'issuedAfter' | 'linkId' | 'visitorHash'> & { visitor: string | undefined },
  sizes: ReadonlyMap<string, number>,
): Promise<Interrupted> {
  const { visitor, ...who } = holder;
  const found: Interrupted = { files: new Set(), running: new Set(), archive: null };
  const db = ctx.db.read;
  const hash = visitor === undefined ? null : visitorHash(ctx, visitor);
  if (hash === null && who.recipient === '') return found;
  const issuedAfter = ctx.clock.now() - ticketLifetimeMs;
  for (const earlier of await listInterrupted(db, { ...who, linkId: null, visitorHash: hash, issuedAfter })) {
    const { ticket } = earlier;
    const ids = ticket.isArchive ? await fileIds(db, ticket) : [ticket.attachmentId];
    if (earlier.isRunning) for (const id of ids) found.running.add(id);
    // An archive whose sender took a file out of the message since can't be made again.
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

interface Press {
  ticket: Ticket;
  files: string[];
  sizeBytes: number;
}

async function takeOver(
  ctx: Ctx,
  tx: Tx,
  press: Press,
  isAwaited: (earlier: InterruptedTicket) => boolean,
): Promise<Begun | { unsettled: Ticket } | null> {
  const { ticket } = press;
  if (ticket.visitorHash === null && ticket.recipient === '') return null;
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const earlier = await findSame(ctx, tx, press);
    if (earlier === null) return null;
    if (isAwaited(earlier)) return { unsettled: earlier.ticket };
    if (!(await retireTicket(tx, earlier))) continue;
    return { downloadNumber: earlier.downloadNumber, servedBytes: earlier.servedBytes };
  }
  return null;
}

/** The newest one of the same file, or of an archive of the very same files. */
async function findSame(ctx: Ctx, tx: Tx, { ticket, files, sizeBytes }: Press): Promise<InterruptedTicket | null> {
  const issuedAfter = ctx.clock.now() - ticketLifetimeMs;
  for (const earlier of await listInterrupted(tx, { ...ticket, issuedAfter })) {
    const isAlike =
      earlier.ticket.isArchive === ticket.isArchive && earlier.ticket.attachmentId === ticket.attachmentId;
    if (!isAlike || !canStartAgain(earlier, sizeBytes)) continue;
    if (!ticket.isArchive) return earlier;
    const ids = await fileIds(tx, earlier.ticket);
    if (ids.length === files.length && ids.every((id, index) => id === files[index])) return earlier;
  }
  return null;
}
