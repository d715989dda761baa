// Changes to one recipient of a sent message by its sender.

import type { NamedAddress } from '../../db/contacts/contact-names.ts';
import { cancelMailsTo, listCarryingMails } from '../../db/messages/message-tracking.ts';
import { findRecipient, listRecipients, markRecipientRevoked, putRecipient } from '../../db/messages/recipients.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findLocalAddresses } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import {
  assertPermittedRecipients,
  maxRecipients,
  type Recipient,
  readRecipient,
  readRecipients,
} from '../../domain/messages.ts';
import { invalid } from '../../domain/problem.ts';
import { mailStateOf } from '../../domain/tracking.ts';
import { kindsWith } from '../../mail/kinds/all.ts';
import { rememberNames } from '../contacts/names.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { requireMailAllowance } from '../outbox.ts';
import { lockSent, requireOpen, unknownRecipient } from './changes.ts';
import { describeSent } from './describe.ts';
import { type Exposure, exposureFacts, exposureOf, wrongRecipientAction } from './exposure.ts';
import { queueMessageMail } from './mails.ts';
import { trackMessage } from './tracker.ts';

export interface NewRecipients {
  to: string[];
  cc: string[];
  bcc: string[];
  names: NamedAddress[];
  sendEmail: boolean;
}

/** The rules of a new message apply. */
export async function addRecipients(ctx: Ctx, caller: UserCaller, id: string, input: NewRecipients): Promise<void> {
  const lists = readRecipients(input);
  const added = (['to', 'cc', 'bcc'] as const).flatMap((role) => lists[role].map((address) => ({ role, address })));
  if (added.length === 0) throw invalid('message.no_recipients', 'Add at least one recipient.', 'recipients');
  const addresses = added.map((person) => person.address);
  await assertPermitted(ctx, caller, addresses);
  await ctx.db.write(async (tx) => {
    const { createdAt: sentAt } = requireOpen(ctx, await lockSent(tx, caller, id));
    const present = await listRecipients(tx, id);
    assertBelowRecipientLimit(present, addresses);
    if (input.sendEmail) await requireMailAllowance(ctx, tx, caller, addresses);
    const message = await describeSent(tx, id, ctx.clock.now());
    await rememberNames(ctx, tx, caller, { names: input.names, addresses });
    for (const [index, { role, address }] of added.entries()) {
      await putRecipient(tx, { id, sentAt }, { address, role, position: present.length + index });
      if (input.sendEmail) await queueMessageMail(ctx, tx, message, address);
      await record(ctx, tx, caller, {
        action: 'message.recipient_added',
        object: { kind: 'message', id },
        ownerId: caller.userId,
        facts: { recipient: address, role, mailed: input.sendEmail },
      });
    }
  });
}

async function assertPermitted(ctx: Ctx, caller: UserCaller, addresses: string[]): Promise<void> {
  if (!caller.policy.can_use_messages)
    throw invalid('message.not_permitted', 'Your group can’t send messages. Ask your administrator if you need to.');
  const local = await findLocalAddresses(ctx.db.read, addresses);
  assertPermittedRecipients(caller.policy, addresses, local);
}

function assertBelowRecipientLimit(present: Recipient[], addresses: string[]): void {
  const active = new Set(present.filter((person) => person.state === 'active').map((person) => person.address));
  const duplicate = addresses.find((address) => active.has(address));
  if (duplicate !== undefined)
    throw invalid('message.already_recipient', `This message goes to ${duplicate} already.`, 'recipients').withValues({
      address: duplicate,
    });
  if (active.size + addresses.length > maxRecipients)
    throw invalid(
      'message.too_many_recipients',
      `A message can go to ${maxRecipients} people at most.`,
      'recipients',
    ).withValues({ n: maxRecipients });
}

/** Replaces a mistyped address, which loses access. */
export async function correctRecipient(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  change: { from: string; to: string },
): Promise<void> {
  const wrong = readRecipient(change.from, 'address');
  const right = readRecipient(change.to, 'address');
  await assertPermitted(ctx, caller, [right]);
  await ctx.db.write(async (tx) => {
    const { createdAt: sentAt } = requireOpen(ctx, await lockSent(tx, caller, id));
    const person = await getActive(tx, id, wrong);
    const tracked = (await trackMessage(ctx, caller, id, tx)).people.find((candidate) => candidate.address === wrong);
    if (tracked?.openedAt !== null)
      throw invalid(
        'message.already_opened',
        `${wrong} has opened this message. Take their access away, then add the right person.`,
        'address',
      ).withValues({ address: wrong });
    assertBelowRecipientLimit(await listRecipients(tx, id), [right]);
    const wasMailed = tracked.mail.state !== 'none';
    if (wasMailed) await requireMailAllowance(ctx, tx, caller, [right]);
    await revokeAccess(ctx, tx, { messageId: id, address: wrong }, right);
    await putRecipient(tx, { id, sentAt }, { address: right, role: person.role, position: person.position });
    const message = await describeSent(tx, id, ctx.clock.now());
    if (wasMailed) await queueMessageMail(ctx, tx, message, right);
    await record(ctx, tx, caller, {
      action: 'message.recipient_corrected',
      object: { kind: 'message', id },
      ownerId: caller.userId,
      facts: { recipient: wrong, to: right, mailed: wasMailed },
    });
  });
}

async function getActive(tx: Tx, id: string, address: string): Promise<Recipient> {
  const person = await findRecipient(tx, id, address);
  if (person === undefined) throw unknownRecipient();
  if (person.state !== 'active')
    throw invalid(
      'message.already_revoked',
      `${address} has no access to this message any more.`,
      'address',
    ).withValues({ address });
  return person;
}

const dayMs = 86_400_000;
const maxMailsPerDay = 5;

export async function resendToRecipient(ctx: Ctx, caller: UserCaller, id: string, input: string): Promise<void> {
  const address = readRecipient(input, 'address');
  await assertPermitted(ctx, caller, [address]);
  await ctx.db.write(async (tx) => {
    requireOpen(ctx, await lockSent(tx, caller, id));
    await getActive(tx, id, address);
    const carrying = await listCarryingMails(tx, [id], kindsWith('carriesAccess'));
    const mails = carrying.filter((mail) => mail.recipient === address);
    const state = mailStateOf(mails.at(-1));
    if (state === 'queued' || state === 'deferred')
      throw invalid('message.mail_waiting', `The e-mail to ${address} hasn’t been sent yet.`, 'address').withValues({
        address,
      });
    if (mails.filter((mail) => mail.createdAt > ctx.clock.now() - dayMs).length >= maxMailsPerDay)
      throw invalid(
        'message.resend_limit',
        `${address} got ${maxMailsPerDay} e-mails today. Try again tomorrow.`,
        'address',
      ).withValues({ address, n: maxMailsPerDay });
    await requireMailAllowance(ctx, tx, caller, [address]);
    await queueMessageMail(ctx, tx, await describeSent(tx, id, ctx.clock.now()), address);
    await record(ctx, tx, caller, {
      action: 'message.resent',
      object: { kind: 'message', id },
      ownerId: caller.userId,
      facts: { recipient: address },
    });
  });
}

/** Effective immediately, also for running downloads. */
export async function revokeRecipient(ctx: Ctx, caller: UserCaller, id: string, input: string): Promise<void> {
  const address = readRecipient(input, 'address');
  await ctx.db.write(async (tx) => {
    await lockSent(tx, caller, id);
    await getActive(tx, id, address);
    await revokeAndRecord(ctx, tx, caller, { messageId: id, address });
  });
}

interface Person {
  messageId: string;
  address: string;
}

async function revokeAccess(ctx: Ctx, tx: Tx, person: Person, replacedBy = ''): Promise<void> {
  const now = ctx.clock.now();
  await markRecipientRevoked(tx, person, replacedBy, now);
  await cancelMailsTo(tx, person, kindsWith('carriesAccess'), now);
}

async function revokeAndRecord(ctx: Ctx, tx: Tx, caller: UserCaller, person: Person): Promise<void> {
  await revokeAccess(ctx, tx, person);
  await record(ctx, tx, caller, {
    action: 'message.recipient_revoked',
    object: { kind: 'message', id: person.messageId },
    ownerId: caller.userId,
    facts: { recipient: person.address },
  });
}

/** Records in the same transaction what the recipient received. */
export async function reportWrongRecipient(ctx: Ctx, caller: UserCaller, id: string, input: string): Promise<Exposure> {
  const address = readRecipient(input, 'address');
  return ctx.db.write(async (tx) => {
    await lockSent(tx, caller, id);
    const person = await findRecipient(tx, id, address);
    if (person === undefined) throw unknownRecipient();
    const exposure = exposureOf(await trackMessage(ctx, caller, id, tx), address, ctx.clock.now());
    if (person.state === 'active') await revokeAndRecord(ctx, tx, caller, { messageId: id, address });
    await record(ctx, tx, caller, {
      action: wrongRecipientAction,
      object: { kind: 'message', id },
      ownerId: caller.userId,
      facts: { recipient: address, ...exposureFacts(exposure) },
    });
    return exposure;
  });
}
