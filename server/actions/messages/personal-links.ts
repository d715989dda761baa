// The link in a recipient's mail lets the page offer to mail them a code. Links are forwarded, so it proves nothing,
// and the page shows only a hint of the address.
import { listRecipients } from '../../db/messages/recipients.ts';
import { sameText } from '../../lib/keyring.ts';
import type { Ctx } from '../context.ts';

export function personalUrl(ctx: Ctx, messageId: string, address: string): string {
  return `${ctx.settings.surroundings.baseUrl}/message/${messageId}?for=${tokenFor(ctx, messageId, address)}`;
}

/** Null if the token is invalid or the recipient was removed. */
export async function findPersonalAddress(ctx: Ctx, messageId: string, token: string): Promise<string | null> {
  const recipients = await listRecipients(ctx.db.read, messageId);
  const owner = recipients.find(({ address }) => sameText(tokenFor(ctx, messageId, address), token));
  return owner === undefined || owner.state === 'revoked' ? null : owner.address;
}

function tokenFor(ctx: Ctx, messageId: string, address: string): string {
  return ctx.keys.hash('personal-link', `${messageId}\0${address}`).toString('base64url').slice(0, 16);
}
