// Sign-in with a passkey: alone, or as the second step after a password.
import { listPasskeys } from '../../db/passkeys/passkeys.ts';
import { findSession } from '../../db/sessions/sessions.ts';
import { findUser } from '../../db/users/users.ts';
import type { Caller } from '../../domain/caller.ts';
import { type Passkey, passkeyProblem } from '../../domain/passkeys.ts';
import type { Ctx } from '../context.ts';
import { type NewSession, openSessionFor } from '../sessions/open-session.ts';
import { type RequestOptions, requestOptions, withPasskey } from './assertions.ts';
import { arePasskeysUsable } from './challenges.ts';

const purpose = 'sign-in';

/** Null if passkeys do not work at the public address. */
export function signInOptions(ctx: Ctx): RequestOptions | null {
  return arePasskeysUsable(ctx) ? requestOptions(ctx, purpose) : null;
}

export async function secondStepOptions(ctx: Ctx, userId: string): Promise<RequestOptions | null> {
  const passkeys = await listPasskeys(ctx.db.read, { userId });
  return passkeys.length === 0 || !arePasskeysUsable(ctx) ? null : requestOptions(ctx, purpose, passkeys);
}

/** With `pendingToken` only a passkey of the account that gave its password. */
export async function signInWithPasskey(
  ctx: Ctx,
  caller: Caller,
  input: { credential: string; keep: boolean; pendingToken: string | null },
): Promise<NewSession> {
  const { credential, keep, pendingToken } = input;
  const pendingHash = pendingToken === null ? null : ctx.keys.hash('session', pendingToken);
  const pending = pendingHash === null ? undefined : await findSession(ctx.db.read, pendingHash, ctx.clock.now());
  const pendingUser = pending?.state === 'pending' ? pending.userId : null;
  const accepts = ({ holder }: Passkey) =>
    'userId' in holder && (pendingHash === null || pendingUser === holder.userId);
  return withPasskey(ctx, caller, { credential, purpose, accepts }, async (tx, { holder }) => {
    const user = 'userId' in holder ? await findUser(tx, holder.userId) : undefined;
    const proof = { kind: 'passkey', pendingHash } as const;
    const session = user === undefined ? null : await openSessionFor(ctx, tx, caller, { user, proof, keep });
    if (session === null) throw passkeyProblem('not_allowed');
    return session;
  });
}
