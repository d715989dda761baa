// Decides from current data who may open a message.
import { findUsedDownloads } from '../../db/downloads/download-counters.ts';
import { listMessageFiles } from '../../db/messages/message-files.ts';
import { findWholeMessage } from '../../db/messages/messages.ts';
import type { Reader } from '../../db/messages/readers.ts';
import { listRecipients } from '../../db/messages/recipients.ts';
import type { Query } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import { type Admission, accessListOf, addressesOf, admit, type Identity } from '../../domain/audience.ts';
import type { UserCaller } from '../../domain/caller.ts';
import {
  isInReview,
  limitFor,
  type Message,
  type MessageHead,
  messageStateAt,
  type Recipient,
} from '../../domain/messages.ts';
import type { Ctx } from '../context.ts';
import { acceptedBy } from '../passkeys/requirement.ts';
import { accountOf } from '../sessions/identities.ts';
import { messageOf } from './describe.ts';

export type MessageGate = 'allow' | 'needs_proof' | 'not_allowed' | 'expired' | 'revoked' | 'gone';

export async function gateOfMessage(
  db: Query,
  message: MessageHead,
  identity: Identity,
  now: number,
): Promise<{ gate: MessageGate; admission: Admission; recipients: Recipient[] }> {
  const recipients = await listRecipients(db, message.id);
  const accepted = await acceptedBy(db, message.ownerId, identity);
  const admission = admit(accessListOf(message.audience, recipients), accepted);
  const state = messageStateAt(message, now);
  if (state !== 'active') return { gate: state, admission, recipients };
  const owner = await findUser(db, message.ownerId);
  if (owner === undefined || owner.state !== 'active') return { gate: 'gone', admission, recipients };
  return { gate: isInReview(message) ? 'gone' : admission.verdict, admission, recipients };
}

export interface MessageAccess {
  gate: MessageGate;
  admission: Admission;
  message: Message;
  isOwner: boolean;
  /** In To, Cc or Bcc. */
  isRecipient: boolean;
  /** Account only if the address is one of its own. */
  holder: { address: string; accountId: string | null };
  /** Downloads this visitor has used, per file. */
  used: Map<string, number>;
  /** Per file; null for no limit. */
  downloadLimit: number | null;
}

/** Null for an unknown id. `userId` is the signed-in account. */
export async function findMessageAccess(
  ctx: Ctx,
  id: string,
  identity: Identity,
  userId: string | null,
): Promise<MessageAccess | null> {
  const db = ctx.db.read;
  const found = await findWholeMessage(db, id);
  if (found === undefined) return null;
  const now = ctx.clock.now();
  const { gate, admission, recipients } = await gateOfMessage(db, found, identity, now);
  const counter = admission.verdict === 'allow' ? admission.identity : '';
  const reader = recipients.find((recipient) => recipient.address === counter);
  const isOwner = userId === found.ownerId;
  const files = await listMessageFiles(db, id);
  return {
    gate: isOwner && isOpenToOwner(found, gate) ? 'allow' : gate,
    admission,
    message: messageOf({ message: found, recipients, files }, { showsBcc: isOwner, now }),
    isOwner,
    isRecipient:
      admission.verdict === 'allow' &&
      recipients.some(({ address, state }) => address === admission.address && state === 'active'),
    holder: holderOf(admission, identity, userId),
    used: await findUsedDownloads(db, id, counter),
    downloadLimit: limitFor(found.downloadLimit, reader?.downloadLimit ?? null),
  };
}

function isOpenToOwner(message: MessageHead, gate: MessageGate): boolean {
  return gate === 'needs_proof' || gate === 'not_allowed' || (gate === 'gone' && isInReview(message));
}

function holderOf(admission: Admission, { account }: Identity, userId: string | null): MessageAccess['holder'] {
  // Owners have access even where others with their address do not.
  const address = admission.verdict === 'allow' ? admission.address : (account?.address ?? '');
  const isOwn = account !== null && addressesOf(account).includes(address);
  return { address, accountId: isOwn ? userId : null };
}

export async function identityOf(ctx: Ctx, caller: UserCaller): Promise<Identity> {
  const user = await findUser(ctx.db.read, caller.userId);
  return { provenAddresses: [], account: user === undefined ? null : accountOf(user) };
}

export async function readerOf(ctx: Ctx, caller: UserCaller): Promise<Reader> {
  const { account } = await identityOf(ctx, caller);
  if (account === null) return { userId: caller.userId, addresses: [], ownAddress: null };
  return { userId: caller.userId, addresses: addressesOf(account), ownAddress: account.address };
}
