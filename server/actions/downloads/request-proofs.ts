// What proves the recipient's address at one request, so that the log can tell a second key or browser from the first.
import { listProvenAddresses } from '../../db/sessions/codes.ts';
import { findSession } from '../../db/sessions/sessions.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { proofIdOf, type RequestProof, type Ticket, type TicketBearer } from '../../domain/downloads.ts';
import type { Ctx } from '../context.ts';

/** For a caller who is signed in or has shown an API key. */
export function proofOfCaller({ apiKeyId, sessionHash }: UserCaller): RequestProof {
  if (apiKeyId !== null) return { kind: 'api_key', id: apiKeyId, apiKeyId };
  if (sessionHash !== null) return { kind: 'session', id: proofIdOf(sessionHash), apiKeyId: '' };
  return { kind: 'account', id: '', apiKeyId: '' };
}

/** For a request with a ticket: the credentials that it carries, as far as they belong to the ticket's holder. */
export async function findRequestProof(ctx: Ctx, ticket: Ticket, bearer: TicketBearer): Promise<RequestProof> {
  const apiKeyId = bearer.apiKeyId ?? '';
  const { accountId, recipient } = ticket;
  if (accountId === null && recipient === '') return { kind: '', id: '', apiKeyId };
  if (accountId === null) {
    const hash = bearer.proofHash;
    const isProven =
      hash !== null && (await listProvenAddresses(ctx.db.read, hash, ctx.clock.now())).includes(recipient);
    return { kind: 'code', id: isProven ? proofIdOf(hash) : '', apiKeyId };
  }
  if (apiKeyId !== '' && bearer.accountId === accountId) return { kind: 'api_key', id: apiKeyId, apiKeyId };
  const hash = bearer.sessionHash;
  if (hash !== null && (await isSessionOf(ctx, hash, accountId)))
    return { kind: 'session', id: proofIdOf(hash), apiKeyId };
  return { kind: 'account', id: '', apiKeyId };
}

async function isSessionOf(ctx: Ctx, hash: Buffer, accountId: string): Promise<boolean> {
  const session = await findSession(ctx.db.read, hash, ctx.clock.now());
  return session?.userId === accountId && session.state === 'active';
}
