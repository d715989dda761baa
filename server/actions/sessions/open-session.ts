// Opens access after a proof of identity. Rules on account state, networks, second step, password changes and session
// lengths apply here to every kind of proof (docs/adr/0111).
import type { Tx } from '../../db/schema/schema.ts';
import { deleteSession, insertSession } from '../../db/sessions/sessions.ts';
import { findUser, lockUser, noteSeen } from '../../db/users/users.ts';
import type { Caller } from '../../domain/caller.ts';
import { assertGroupNetwork } from '../../domain/networks.ts';
import { Problem } from '../../domain/problem.ts';
import { isPrivileged } from '../../domain/roles.ts';
import { includesSecondStep, type Proof, type RequiredStep, requiredAfter } from '../../domain/sessions.ts';
import type { User } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { rememberNetwork } from './sign-in-networks.ts';

const pendingMs = 10 * 60_000;
const absoluteMs = { user: 12 * 3_600_000, administrator: 8 * 3_600_000 };

export interface NewSession {
  token: string;
  user: User;
  /** With `second_step` the session gives no access yet. */
  requires: RequiredStep | null;
  /** Lifetime of the cookie; null for a browser session. */
  keptSeconds: number | null;
}

export interface Proven {
  /** When the proof was checked. */
  user: User;
  proof: Proof;
}

/** Null if the account is inactive, or has changed since the proof was checked. */
export async function openSessionFor(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { user: proven, proof, keep }: Proven & { keep: boolean },
): Promise<NewSession | null> {
  const user = await admit(tx, caller, { user: proven, proof });
  if (user === null) return null;
  const pendingHash = 'pendingHash' in proof ? proof.pendingHash : null;
  const isStillPending = pendingHash === null || (await deleteSession(tx, pendingHash));
  if (!isStillPending) return null;
  const requires = requiredAfter(proof, user);
  const isPending = requires === 'second_step';
  const token = ctx.random.id(44);
  const now = ctx.clock.now();
  const keptMs = keep ? user.policy.session_hours * 3_600_000 : null;
  const activeMs = keptMs ?? (isPrivileged(user) ? absoluteMs.administrator : absoluteMs.user);
  await insertSession(tx, {
    idHash: ctx.keys.hash('session', token),
    userId: user.id,
    state: isPending ? 'pending' : 'active',
    isKept: keep,
    createdAt: now,
    activeAt: now,
    expiresAt: now + (isPending ? pendingMs : activeMs),
    address: caller.from.address,
    agent: caller.from.agent,
    hasSecondStep: proof.kind === 'service' && includesSecondStep(proof, user),
  });
  const event = { action: 'user.signed_in', facts: serviceOf(proof) } as const;
  if (!isPending) await noteSignIn(ctx, tx, caller, { userId: user.id, event });
  return { token, user, requires, keptSeconds: keptMs === null ? null : keptMs / 1000 };
}

/** For a program that receives an API key. Refused if a step is required. */
export async function openApiAccessFor(ctx: Ctx, tx: Tx, caller: Caller, proven: Proven): Promise<User | null> {
  const user = await admit(tx, caller, proven);
  if (user === null) return null;
  const requires = requiredAfter(proven.proof, user);
  if (requires === 'new_password')
    throw new Problem(
      'unauthenticated',
      'login.password_change',
      'An administrator has set your password. Sign in with a browser and choose another one first.',
    );
  if (requires !== null)
    throw new Problem(
      'unauthenticated',
      'login.second_factor',
      'Your account needs a second step at sign-in. Get your API key from your account page.',
    );
  // A pairing is recorded with its key, and from the network of the program.
  const event = { action: 'user.logged_in', facts: { way: 'api', ...serviceOf(proven.proof) } } as const;
  if (proven.proof.kind !== 'pairing') await noteSignIn(ctx, tx, caller, { userId: user.id, event });
  return user;
}

/** Locks the account, so that a concurrent end of all sessions covers the new one. */
async function admit(tx: Tx, caller: Caller, { user: proven }: Proven): Promise<User | null> {
  await lockUser(tx, proven.id);
  const user = await findUser(tx, proven.id);
  const isSame = user?.passwordHash === proven.passwordHash && user?.totpState === proven.totpState;
  if (user?.state !== 'active' || !isSame) return null;
  assertGroupNetwork(user, caller.from.address);
  return user;
}

type SignInEvent =
  | { action: 'user.signed_in'; facts: { service?: string } }
  | { action: 'user.logged_in'; facts: { way: 'api'; service?: string } };

function serviceOf(proof: Proof): { service?: string } {
  return proof.kind === 'service' ? { service: proof.service } : {};
}

async function noteSignIn(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { userId, event }: { userId: string; event: SignInEvent },
): Promise<void> {
  await noteSeen(tx, userId, ctx.clock.now());
  await rememberNetwork(ctx, tx, userId, caller.from.address);
  await record(ctx, tx, caller, { ...event, object: { kind: 'user', id: userId }, ownerId: userId });
}
