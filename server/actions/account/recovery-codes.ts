// Recovery codes: each replaces a code of the authenticator app once. Only keyed hashes are stored.
import { countRecoveryCodes, saveRecoveryCodes, spendRecoveryCode } from '../../db/passkeys/second-steps.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import type { User } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { queueSecurityNotice } from './security-notices.ts';

const codeCount = 10;
/** 32 characters that are not taken for each other. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
const codeLength = 10;

function newCode(ctx: Ctx): string {
  const letters = [...ctx.random.bytes(codeLength)].map((byte) => alphabet[byte % alphabet.length]).join('');
  return `${letters.slice(0, codeLength / 2)}-${letters.slice(codeLength / 2)}`;
}

function hashOf(ctx: Ctx, userId: string, code: string): Buffer {
  return ctx.keys.hash('recovery-code', `${userId}\0${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`);
}

/** Returned once; earlier codes end. */
export async function issueRecoveryCodes(ctx: Ctx, tx: Tx, caller: UserCaller): Promise<string[]> {
  const { userId } = caller;
  const codes = Array.from({ length: codeCount }, () => newCode(ctx));
  const hashes = codes.map((code) => hashOf(ctx, userId, code));
  await saveRecoveryCodes(tx, userId, hashes, ctx.clock.now());
  const about = { object: { kind: 'user', id: userId }, ownerId: userId } as const;
  await record(ctx, tx, caller, { action: 'totp.recovery_codes_created', ...about });
  return codes;
}

/** The caller has given the password. */
export async function renewRecoveryCodes(ctx: Ctx, caller: UserCaller): Promise<string[]> {
  return ctx.db.write(async (tx) => {
    if ((await findUser(tx, caller.userId))?.totpState !== 'on')
      throw invalid('totp.not_set_up', 'Set up your authenticator app first.');
    const codes = await issueRecoveryCodes(ctx, tx, caller);
    const notice = { event: 'recovery-codes-created', userId: caller.userId, to: caller.email } as const;
    await queueSecurityNotice(ctx, tx, caller, notice);
    return codes;
  });
}

/** Each code once. The owner is notified, because a thief may have found it. */
export async function isRightRecoveryCode(ctx: Ctx, caller: Caller, user: User, code: string): Promise<boolean> {
  if (user.totpState !== 'on') return false;
  return ctx.db.write(async (tx) => {
    if (!(await spendRecoveryCode(tx, user.id, hashOf(ctx, user.id, code)))) return false;
    const left = await countRecoveryCodes(tx, user.id);
    await record(ctx, tx, caller, {
      action: 'totp.recovery_code_used',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
      facts: { left },
    });
    await queueSecurityNotice(ctx, tx, caller, { event: 'recovery-code-used', userId: user.id, to: user.email });
    return true;
  });
}

export function countOwnRecoveryCodes(ctx: Ctx, caller: UserCaller): Promise<number> {
  return countRecoveryCodes(ctx.db.read, caller.userId);
}
