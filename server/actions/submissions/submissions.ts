// Handing files in: answers to File Requests and deliveries to drop pages become messages to the person who asked. One
// transaction: the files, the message, the mails and the flip of a single-use request, or nothing (state machine SM6).
import { listUndelivered } from '../../db/attachments/attachments.ts';
import { answerFileRequest } from '../../db/file-requests/file-requests.ts';
import { consumeDropKey, countUsedDropKeys } from '../../db/filedrops/filedrops.ts';
import { countDropDeliveries } from '../../db/filedrops/system-drops.ts';
import { countHandedIn, insertMessage, type MessageDraft } from '../../db/messages/messages.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { chargeDelivered, isReserve } from '../../db/storage/stored-bytes.ts';
import { preferencesOf } from '../../db/users/preferences.ts';
import { findUser, holdUser } from '../../db/users/users.ts';
import { maxFilesTogether, type StoredFile } from '../../domain/attachments.ts';
import { audienceAt } from '../../domain/audience.ts';
import type { Caller, Uploader } from '../../domain/caller.ts';
import { resolveExpiry } from '../../domain/expiry.ts';
import type { FileRequest } from '../../domain/file-requests.ts';
import { readBody, readSubject } from '../../domain/messages.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import type { SubmissionPlace, UploaderReceipt } from '../../domain/submissions.ts';
import { readEmail, readName, type User } from '../../domain/users.ts';
import { eraseFile, eraseHeldFile } from '../attachments/attachments.ts';
import { holdHandedIn } from '../attachments/holding.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { requestClosedSentence } from '../file-requests/file-requests.ts';
import type { DropAccess, Filedrop } from '../filedrops/filedrops.ts';
import { queueMail } from '../outbox.ts';
import { nameTransfer, referencesOf } from '../transfers/references.ts';
import { handInLimits, tooLargeDelivery } from './limits.ts';
import { findEarlierReceipt, keepReceipt, queueUploaderReceipt } from './uploader-receipts.ts';

export interface Submission {
  attachmentIds: string[];
  sender: { address: string; name: string; isConfirmed: boolean };
  subject: string;
  note: string;
}

/** The answer to a request. Of racing answers to a single-use one, one wins; the others' files are erased. */
export async function answerRequest(
  ctx: Ctx,
  caller: Caller,
  request: FileRequest,
  submission: Submission,
): Promise<UploaderReceipt> {
  const source = `request:${request.id}`;
  try {
    return await ctx.db.write(async (tx) => {
      const owner = await findUser(tx, request.ownerId);
      const isOpen = await answerFileRequest(tx, request.id, ctx.clock.now());
      // Behind the row of the request, where the same delivery sent twice at once waits for itself.
      const earlier = await findEarlierReceipt(ctx, tx, source, submission.attachmentIds);
      if (earlier !== null) return earlier;
      if (!isOpen || owner === undefined || owner.state !== 'active') {
        throw new Problem(
          'invalid',
          'request.closed',
          requestClosedSentence(request.isReusable ? 'expired' : 'used'),
        ).withValues({ state: request.isReusable ? 'expired' : 'used' });
      }
      const receipt = await deliver(ctx, tx, caller, {
        owner,
        source,
        submission,
        origin: 'request',
        place: { is: 'request', id: request.id, isReusable: request.isReusable },
        requestId: request.id,
        title: request.subject,
        receiver: { name: owner.name, email: owner.email },
        receivers: [owner],
        mostMegabytes: owner.policy.message_max_size,
        systemDropId: null,
      });
      if (!request.isReusable) await discardUndelivered(ctx, tx, caller, { ownerId: owner.id, source });
      return receipt;
    });
  } catch (error) {
    // Files that were still coming in when somebody else won.
    if (error instanceof Problem && error.code === 'request.closed')
      await ctx.db.write((tx) => discardUndelivered(ctx, tx, caller, { ownerId: request.ownerId, source }));
    throw error;
  }
}

/** A delivery to the drop page of a person or a function, under a key that serves once. */
export async function deliverToDrop(
  ctx: Ctx,
  caller: Caller,
  { drop, keyId, uploader }: DropAccess,
  submission: Submission,
): Promise<UploaderReceipt> {
  return ctx.db.write(async (tx) => {
    const owner = await findUser(tx, uploader.ownerId);
    const isOpen = await consumeDropKey(tx, keyId, ctx.clock.now());
    const earlier = await findEarlierReceipt(ctx, tx, uploader.source, submission.attachmentIds);
    if (earlier !== null) return earlier;
    if (!isOpen || owner === undefined || owner.state !== 'active') {
      throw invalid('filedrop.key_used', 'This key was used already or has expired. Get a new one.');
    }
    const handover: Handover = {
      owner,
      source: uploader.source,
      submission,
      origin: 'filedrop',
      place: { is: 'filedrop', name: drop.name },
      requestId: null,
      title: drop.system?.title ?? submission.subject,
      receiver: receiverAt(drop, owner),
      receivers: drop.system?.receivers ?? [owner],
      mostMegabytes: drop.policy.filedrop_max_size,
      systemDropId: drop.system?.id ?? null,
    };
    return drop.isDecoy
      ? discard(ctx, tx, caller, { ...handover, dropName: drop.name })
      : deliver(ctx, tx, caller, handover);
  });
}

/** As whoever hands in is told. */
function receiverAt({ name, label, system }: Filedrop, owner: User): Handover['receiver'] {
  if (system !== null) return { name: system.title, email: '' };
  return label === name ? { name: '', email: name } : { name: owner.name, email: owner.email };
}

/** Everything a delivery does and refuses, but for the message: whoever hands in for nobody learns nothing (security D11). */
async function discard(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  handover: Handover & { dropName: string },
): Promise<UploaderReceipt> {
  const { owner, source, dropName } = handover;
  await holdUser(tx, owner.id);
  const used = await countUsedDropKeys(tx, dropName, ctx.clock.now() - 3_600_000);
  if (used > deliveriesPerHour) throw tooManyDeliveries();
  const settled = await settle(ctx, tx, handover, ctx.random.id());
  for (const file of settled.files) await eraseHeldFile(ctx, tx, caller, file.id);
  await discardUndelivered(ctx, tx, caller, { ownerId: owner.id, source });
  await record(ctx, tx, caller, {
    action: 'filedrop.discarded',
    object: { kind: 'filedrop', id: dropName },
    ownerId: owner.id,
    facts: { files: settled.files.length, size: settled.message.sizeBytes },
  });
  return confirm(ctx, tx, handover, { ...settled, isStored: false });
}

interface Handover {
  owner: User;
  source: string;
  submission: Submission;
  origin: 'request' | 'filedrop';
  place: SubmissionPlace;
  requestId: string | null;
  title: string;
  /** As whoever hands in is told. */
  receiver: { name: string; email: string };
  /** Whom the message goes to, the owner first. */
  receivers: User[];
  mostMegabytes: number;
  /** The page of a function. */
  systemDropId: string | null;
}

/** Whose files they will be, and under which key or request they were handed in. */
type HandedInBy = Pick<Uploader, 'ownerId' | 'source'>;

/** A delivery that was found to be in order, not yet stored. */
interface Settled {
  message: MessageDraft;
  files: StoredFile[];
}

/** Takes the files and checks everything a delivery has to be. */
async function settle(ctx: Ctx, tx: Tx, handover: Handover, id: string): Promise<Settled> {
  const { owner, submission, source } = handover;
  const { policy } = owner;
  const now = ctx.clock.now();
  const files = await takeFiles(tx, { ownerId: owner.id, source }, submission.attachmentIds);
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  const limits = handInLimits(handover.mostMegabytes, false);
  if (sizeBytes > limits.fileBytes) throw tooLargeDelivery(limits);
  if (isReserve(source)) await chargeOwner(tx, owner, sizeBytes);
  const expiry = resolveExpiry({
    requested: undefined,
    defaultDays: policy.message_default_expiration,
    maxDays: policy.message_max_expiration,
    mayChange: true,
    now,
    timeZone: ctx.settings.surroundings.timeZone,
    noun: 'message',
  });
  const message: MessageDraft = {
    id,
    ownerId: owner.id,
    origin: handover.origin,
    requestId: handover.requestId,
    sender: readEmail(submission.sender.address, 'email'),
    senderName: readName(submission.sender.name),
    isSenderConfirmed: submission.sender.isConfirmed,
    subject: readSubject(submission.subject),
    body: readBody(submission.note),
    bodyHtml: null,
    // "3: response accessible only by the sender of the request. 2: response may be forwarded to other local users."
    audience: audienceAt(policy.file_request_permission),
    downloadLimit: null,
    isPrivate: false,
    sendsReceipts: false,
    mailLanguage: '',
    expiresOn: expiry.on,
    expiresAt: expiry.at,
    sizeBytes,
    now,
    ...(handover.systemDropId === null ? {} : { systemDropId: handover.systemDropId }),
    recipients: handover.receivers.map(({ email }) => ({ address: email, role: 'to' })),
    attachmentIds: files.map((file) => file.id),
  };
  return { message, files };
}

/** What waited in the reserve of the page becomes the owner's, if they have room for it. */
async function chargeOwner(tx: Tx, { id: ownerId, policy }: User, bytes: number): Promise<void> {
  const quotaBytes = policy.storage_quota === 0 ? null : policy.storage_quota * 1024 * 1024;
  if (await chargeDelivered(tx, { ownerId, bytes, quotaBytes })) return;
  throw invalid(
    'submission.no_room',
    'There is no room for these files at the moment. Tell the person who is waiting for them.',
    'attachments',
  );
}

async function deliver(ctx: Ctx, tx: Tx, caller: Caller, handover: Handover): Promise<UploaderReceipt> {
  const { owner, submission } = handover;
  const id = ctx.random.id();
  await requirePace(ctx, tx, handover);
  const settled = await settle(ctx, tx, handover, id);
  const { message, files } = settled;
  await insertMessage(tx, message);
  await nameTransfer(ctx, tx, id);
  await record(ctx, tx, caller, {
    action: handover.origin === 'request' ? 'request.answered' : 'filedrop.delivered',
    object: { kind: 'message', id },
    ownerId: owner.id,
    facts: {
      files: files.length,
      size: message.sizeBytes,
      request: await nameOfRequest(ctx, tx, handover.requestId),
      confirmed: submission.sender.isConfirmed,
      ...(handover.systemDropId === null ? {} : { filedrop: handover.systemDropId }),
    },
  });
  for (const receiver of handover.receivers) await tellReceiver(ctx, tx, receiver, { handover, settled });
  return confirm(ctx, tx, handover, { ...settled, isStored: true });
}

/** What the event of a delivery names its File Request by: the id would open it. */
async function nameOfRequest(ctx: Ctx, tx: Tx, id: string | null): Promise<string> {
  return id === null ? '' : ((await referencesOf(ctx, [id], tx)).get(id) ?? '');
}

/** Stores the receipt, and queues it by e-mail where the address is known to be the uploader's. */
async function confirm(
  ctx: Ctx,
  tx: Tx,
  handover: Handover,
  { message, files, isStored }: Settled & { isStored: boolean },
): Promise<UploaderReceipt> {
  const { owner, source, submission, receiver, place } = handover;
  // The request itself was mailed to this address, so its receipt may go there; a typed address gets one only if proven.
  const isMailed = handover.origin === 'request' || submission.sender.isConfirmed;
  const receipt: UploaderReceipt = {
    id: ctx.random.id(),
    reference: message.id,
    deliveredAt: message.now,
    files: files.map(({ fileName, sizeBytes, sha256 }) => ({ name: fileName, sizeBytes, sha256 })),
    receiver,
    place,
    mailedTo: isMailed ? message.sender : null,
  };
  await keepReceipt(ctx, tx, receipt, { ownerId: owner.id, source, attachmentIds: submission.attachmentIds });
  if (isMailed) await queueUploaderReceipt(ctx, tx, receipt, { ownerId: owner.id, sender: message.sender, isStored });
  return receipt;
}

async function tellReceiver(
  ctx: Ctx,
  tx: Tx,
  { id, email }: User,
  { handover, settled }: { handover: Handover; settled: Settled },
): Promise<void> {
  if (!(await preferencesOf(tx, id)).hasRequestNotices) return;
  const { submission, origin, title } = handover;
  const { message, files } = settled;
  await queueMail(ctx, tx, {
    kind: 'files-received',
    to: email,
    ownerId: id,
    messageId: message.id,
    payload: {
      reference: message.id,
      uploader: { name: message.senderName, address: message.sender },
      isAddressConfirmed: submission.sender.isConfirmed,
      via: origin === 'request' ? 'request' : 'drop',
      title,
      note: submission.note,
      files: files.map((file) => ({ name: file.fileName, sizeBytes: file.sizeBytes, sha256: file.sha256 })),
      url: `${ctx.settings.surroundings.baseUrl}/app/received/${message.id}`,
    },
  });
}

const deliveriesPerHour = 30;

/** Limit of deliveries per hour at a page that anyone can reach, exact even when they race (security D12). */
async function requirePace(ctx: Ctx, tx: Tx, handover: Handover): Promise<void> {
  const { owner, origin, requestId, systemDropId } = handover;
  await holdUser(tx, owner.id);
  const now = ctx.clock.now();
  const lately = { since: now - 3_600_000, now };
  const count =
    systemDropId === null
      ? await countHandedIn(tx, { ownerId: owner.id, origin, requestId, ...lately })
      : await countDropDeliveries(tx, systemDropId, lately);
  if (count >= deliveriesPerHour) throw tooManyDeliveries();
}

function tooManyDeliveries(): Problem {
  return invalid(
    'submission.too_many',
    `${deliveriesPerHour} deliveries came here within an hour. Wait a while, then send yours again.`,
    'attachments',
  ).withValues({ n: deliveriesPerHour });
}

async function takeFiles(tx: Tx, from: HandedInBy, ids: string[]): Promise<StoredFile[]> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) throw invalid('submission.no_files', 'Add at least one file.', 'attachments');
  if (unique.length > maxFilesTogether)
    throw invalid('submission.too_many_files', 'One delivery can have 1,000 files at most.', 'attachments');
  return holdHandedIn(tx, from, unique);
}

const mostDiscarded = 1000;

/** What nobody will ever fetch: the losers' files of a race, and what was uploaded and left out. */
async function discardUndelivered(ctx: Ctx, tx: Tx, caller: Caller, from: HandedInBy): Promise<void> {
  const ids = await listUndelivered(tx, from.ownerId, from.source, mostDiscarded);
  for (const id of ids) await eraseFile(ctx, tx, caller, id);
}
