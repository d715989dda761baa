// The link in a person's own mail names them, so that the page can offer to send the code where the mail went. It proves
// nothing: links are passed on (security D10). The address itself is never shown to whoever opens it, only a hint of it.
import { listRecipients } from '../../db/messages/recipients.ts';
import { sameText } from '../../lib/keyring.ts';
import type { Ctx } from '../context.ts';

export function personalUrl(ctx: Ctx, messageId: string, address: string): string {
  return `${ctx.settings.surroundings.baseUrl}/message/${messageId}?for=${tokenFor(ctx, messageId, address)}`;
}

/** Whose link it is; null when it is nobody's. */
export async function findPersonalAddress(ctx: Ctx, messageId: string, token: string): Promise<string | null> {
  const recipients = await listRecipients(ctx.db.read, messageId);
  const owner = recipients.find(({ address }) => sameText(tokenFor(ctx, messageId, address), token));
  return owner === undefined || owner.state === 'revoked' ? null : owner.address;
}

function tokenFor(ctx: Ctx, messageId: string, address: string): string {
  return ctx.keys.hash('personal-link', `${messageId}\0${address}`).toString('base64url').slice(0, 16);
}
