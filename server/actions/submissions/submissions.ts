// Answers to file requests and deliveries to drop pages become messages to the owner, in one transaction.
import { listUndelivered } from '../../db/attachments/attachments.ts';
import { answerFileRequest } from '../../db/file-requests/file-requests.ts';
import { consumeDropKey, countUsedDropKeys } from '../../db/filedrops/filedrops.ts';
import { countDropDeliveries } from '../../db/filedrops/system-drops.ts';
import { countSubmissions, insertMessage, type MessageDraft } from '../../db/messages/messages.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { chargeDelivered, isReserve } from '../../db/storage/stored-bytes.ts';
import { preferencesOf } from '../../db/users/preferences.ts';
import { findUser, lockUser } from '../../db/users/users.ts';
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
import { holdSubmittedFiles } from '../attachments/holding.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { requestClosedSentence } from '../file-requests/file-requests.ts';
import type { DropAccess, Filedrop } from '../filedrops/filedrops.ts';
import { queueMail } from '../outbox.ts';
import { nameTransfer, referencesOf } from '../transfers/references.ts';
import { submissionLimitsFor, tooLargeDelivery } from './limits.ts';
import { findEarlierReceipt, queueUploaderReceipt, storeReceipt } from './uploader-receipts.ts';

export interface Submission {
  attachmentIds: string[];
  sender: { address: string; name: string; isConfirmed: boolean };
  subject: string;
  note: string;
}

/** Of all texts, before a code is requested. */
export function listTextFaults({ name, subject, note }: { name: string; subject: string; note: string }): Problem[] {
  const checks = [() => readName(name), () => readSubject(subject), () => readBody(note)];
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (error instanceof Problem) return [error];
      throw error;
    }
  });
}

/** Exactly one of several concurrent answers to a single-use request succeeds. */
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
      // Checked after locking the request row, so concurrent retries of one delivery serialize here.
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
        maxMegabytes: owner.policy.message_max_size,
        systemDropId: null,
      });
      if (!request.isReusable) await discardUndelivered(ctx, tx, caller, { ownerId: owner.id, source });
      return receipt;
    });
  } catch (error) {
    // Erases files that arrived after another answer won.
    if (error instanceof Problem && error.code === 'request.closed')
      await ctx.db.write((tx) => discardUndelivered(ctx, tx, caller, { ownerId: request.ownerId, source }));
    throw error;
  }
}

/** The key is used once. */
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
    const delivery: Delivery = {
      owner,
      source: uploader.source,
      submission,
      origin: 'filedrop',
      place: { is: 'filedrop', name: drop.name },
      requestId: null,
      title: drop.system?.title ?? submission.subject,
      receiver: receiverAt(drop, owner),
      receivers: drop.system?.receivers ?? [owner],
      maxMegabytes: drop.policy.filedrop_max_size,
      systemDropId: drop.system?.id ?? null,
    };
    return drop.isDecoy
      ? discard(ctx, tx, caller, { ...delivery, dropName: drop.name })
      : deliver(ctx, tx, caller, delivery);
  });
}

function receiverAt({ name, label, system }: Filedrop, owner: User): Delivery['receiver'] {
  if (system !== null) return { name: system.title, email: '' };
  return label === name ? { name: '', email: name } : { name: owner.name, email: owner.email };
}

/** Answers like a real delivery, so that a sender cannot tell that the address has no drop page. */
async function discard(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  delivery: Delivery & { dropName: string },
): Promise<UploaderReceipt> {
  const { owner, source, dropName } = delivery;
  await lockUser(tx, owner.id);
  const used = await countUsedDropKeys(tx, dropName, ctx.clock.now() - 3_600_000);
  if (used > deliveriesPerHour) throw tooManyDeliveries();
  const valid = await validate(ctx, tx, delivery, ctx.random.id());
  for (const file of valid.files) await eraseHeldFile(ctx, tx, caller, file.id);
  await discardUndelivered(ctx, tx, caller, { ownerId: owner.id, source });
  await record(ctx, tx, caller, {
    action: 'filedrop.discarded',
    object: { kind: 'filedrop', id: dropName },
    ownerId: owner.id,
    facts: { files: valid.files.length, size: valid.message.sizeBytes },
  });
  return confirm(ctx, tx, delivery, { ...valid, isStored: false });
}

interface Delivery {
  owner: User;
  source: string;
  submission: Submission;
  origin: 'request' | 'filedrop';
  place: SubmissionPlace;
  requestId: string | null;
  title: string;
  /** As senders see it. */
  receiver: { name: string; email: string };
  /** The owner comes first. */
  receivers: User[];
  maxMegabytes: number;
  /** Set for the drop page of a system drop. */
  systemDropId: string | null;
}

/** The future owner, and the key or request. */
type SubmittedBy = Pick<Uploader, 'ownerId' | 'source'>;

/** Not stored yet. */
interface ValidDelivery {
  message: MessageDraft;
  files: StoredFile[];
}

async function validate(ctx: Ctx, tx: Tx, delivery: Delivery, id: string): Promise<ValidDelivery> {
  const { owner, submission, source } = delivery;
  const { policy } = owner;
  const now = ctx.clock.now();
  const files = await lockFiles(tx, { ownerId: owner.id, source }, submission.attachmentIds);
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  const limits = submissionLimitsFor(delivery.maxMegabytes, false);
  if (sizeBytes > limits.fileBytes) throw tooLargeDelivery(limits);
  if (isReserve(source)) await chargeOwner(tx, owner, sizeBytes);
  const expiry = resolveExpiry({
    input: undefined,
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
    origin: delivery.origin,
    requestId: delivery.requestId,
    sender: readEmail(submission.sender.address, 'email'),
    senderName: readName(submission.sender.name),
    isSenderConfirmed: submission.sender.isConfirmed,
    subject: readSubject(submission.subject),
    body: readBody(submission.note),
    bodyHtml: null,
    // Level 3: only the person who asked may open the answer. Level 2: other local users too.
    audience: audienceAt(policy.file_request_permission),
    downloadLimit: null,
    isPrivate: false,
    sendsReceipts: false,
    mailLanguage: '',
    expiresOn: expiry.on,
    expiresAt: expiry.at,
    sizeBytes,
    now,
    ...(delivery.systemDropId === null ? {} : { systemDropId: delivery.systemDropId }),
    recipients: delivery.receivers.map(({ email }) => ({ address: email, role: 'to' })),
    attachmentIds: files.map((file) => file.id),
  };
  return { message, files };
}

async function chargeOwner(tx: Tx, { id: ownerId, policy }: User, bytes: number): Promise<void> {
  const quotaBytes = policy.storage_quota === 0 ? null : policy.storage_quota * 1024 * 1024;
  if (await chargeDelivered(tx, { ownerId, bytes, quotaBytes })) return;
  throw invalid(
    'submission.no_room',
    'There is no room for these files at the moment. Tell the person who is waiting for them.',
    'attachments',
  );
}

async function deliver(ctx: Ctx, tx: Tx, caller: Caller, delivery: Delivery): Promise<UploaderReceipt> {
  const { owner, submission } = delivery;
  const id = ctx.random.id();
  await requirePace(ctx, tx, delivery);
  const valid = await validate(ctx, tx, delivery, id);
  const { message, files } = valid;
  await insertMessage(tx, message);
  await nameTransfer(ctx, tx, id);
  await record(ctx, tx, caller, {
    action: delivery.origin === 'request' ? 'request.answered' : 'filedrop.delivered',
    object: { kind: 'message', id },
    ownerId: owner.id,
    facts: {
      files: files.length,
      size: message.sizeBytes,
      request: await referenceOfRequest(ctx, tx, delivery.requestId),
      confirmed: submission.sender.isConfirmed,
      ...(delivery.systemDropId === null ? {} : { filedrop: delivery.systemDropId }),
    },
  });
  for (const receiver of delivery.receivers) await notifyReceiver(ctx, tx, receiver, { delivery, valid });
  return confirm(ctx, tx, delivery, { ...valid, isStored: true });
}

/** The id would open the request. */
async function referenceOfRequest(ctx: Ctx, tx: Tx, id: string | null): Promise<string> {
  return id === null ? '' : ((await referencesOf(ctx, [id], tx)).get(id) ?? '');
}

async function confirm(
  ctx: Ctx,
  tx: Tx,
  delivery: Delivery,
  { message, files, isStored }: ValidDelivery & { isStored: boolean },
): Promise<UploaderReceipt> {
  const { owner, source, submission, receiver, place } = delivery;
  // The request was mailed to this address, so its receipt may go there too.
  const isMailed = delivery.origin === 'request' || submission.sender.isConfirmed;
  const receipt: UploaderReceipt = {
    id: ctx.random.id(),
    reference: message.id,
    deliveredAt: message.now,
    files: files.map(({ fileName, sizeBytes, sha256 }) => ({ name: fileName, sizeBytes, sha256 })),
    receiver,
    place,
    mailedTo: isMailed ? message.sender : null,
  };
  await storeReceipt(ctx, tx, receipt, { ownerId: owner.id, source, attachmentIds: submission.attachmentIds });
  if (isMailed) await queueUploaderReceipt(ctx, tx, receipt, { ownerId: owner.id, sender: message.sender, isStored });
  return receipt;
}

async function notifyReceiver(
  ctx: Ctx,
  tx: Tx,
  { id, email }: User,
  { delivery, valid }: { delivery: Delivery; valid: ValidDelivery },
): Promise<void> {
  if (!(await preferencesOf(tx, id)).hasRequestNotices) return;
  const { submission, origin, title } = delivery;
  const { message, files } = valid;
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

/** Limits deliveries per hour at a public page, exact under concurrency. */
async function requirePace(ctx: Ctx, tx: Tx, delivery: Delivery): Promise<void> {
  const { owner, origin, requestId, systemDropId } = delivery;
  await lockUser(tx, owner.id);
  const now = ctx.clock.now();
  const lately = { since: now - 3_600_000, now };
  const count =
    systemDropId === null
      ? await countSubmissions(tx, { ownerId: owner.id, origin, requestId, ...lately })
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

async function lockFiles(tx: Tx, from: SubmittedBy, ids: string[]): Promise<StoredFile[]> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) throw invalid('submission.no_files', 'Add at least one file.', 'attachments');
  if (unique.length > maxFilesTogether)
    throw invalid('submission.too_many_files', 'One delivery can have 1,000 files at most.', 'attachments');
  return holdSubmittedFiles(tx, from, unique);
}

const mostDiscarded = 1000;

/** Files of refused answers, and uploads that were left out. */
async function discardUndelivered(ctx: Ctx, tx: Tx, caller: Caller, from: SubmittedBy): Promise<void> {
  const ids = await listUndelivered(tx, from.ownerId, from.source, mostDiscarded);
  for (const id of ids) await eraseFile(ctx, tx, caller, id);
}
