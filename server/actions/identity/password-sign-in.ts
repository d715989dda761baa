// Whether passwords of Waybill are accepted. No setting locks every System Administrator out.
import { countAdministratorsSignedIn } from '../../db/identity/identities.ts';
import { systemCaller, type UserCaller } from '../../domain/caller.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { changeSettings } from '../settings.ts';
import { listServices } from './service-list.ts';

export interface PasswordSignIn {
  isEnabled: boolean;
  source: 'environment' | 'console';
}

export function passwordSignInOf(ctx: Ctx): PasswordSignIn {
  const fixed = ctx.settings.surroundings.passwordSignIn;
  if (fixed !== null) return { isEnabled: fixed === 'on', source: 'environment' };
  return { isEnabled: ctx.settings.current().passwordSignIn !== 'off', source: 'console' };
}

/** Off has no effect until a System Administrator has signed in through a service that is still enabled. */
export async function acceptsPasswordOf(ctx: Ctx, userId: string): Promise<boolean> {
  if (passwordSignInOf(ctx).isEnabled) return true;
  const until = ctx.settings.current().rescuedUsers[userId];
  if (until !== undefined && until > ctx.clock.now()) return true;
  return !(await hasOtherWay(ctx));
}

async function hasOtherWay(ctx: Ctx): Promise<boolean> {
  const services = (await listServices(ctx)).map(({ id }) => id);
  return (await countAdministratorsSignedIn(ctx.db.read, services)) > 0;
}

export async function changePasswordSignIn(ctx: Ctx, caller: UserCaller, isEnabled: boolean): Promise<PasswordSignIn> {
  requireRight(caller, 'system.change');
  const before = passwordSignInOf(ctx);
  if (before.source === 'environment')
    throw new Problem(
      'conflict',
      'password_sign_in.from_environment',
      'This setting comes from the environment (WAYBILL_PASSWORD_SIGN_IN). Change it there.',
    );
  if (!isEnabled && !(await hasOtherWay(ctx)))
    throw invalid(
      'password_sign_in.no_other_way',
      'First a System Administrator must sign in through a sign-in service, so that no one is locked out.',
      'enabled',
    );
  await changeSettings(ctx, async (tx, current) => {
    await record(ctx, tx, caller, {
      action: 'password_sign_in.changed',
      object: { kind: 'system', id: 'installation' },
      ownerId: '',
      facts: { from: before.isEnabled, to: isEnabled },
    });
    return { ...current, passwordSignIn: isEnabled ? 'on' : 'off' };
  });
  return passwordSignInOf(ctx);
}

const rescueHours = 24;

/** For the operator's command: the account can sign in with its password for a day. */
export async function rescueUser(ctx: Ctx, userId: string): Promise<void> {
  const now = ctx.clock.now();
  await changeSettings(ctx, async (tx, current) => {
    const about = { object: { kind: 'user', id: userId }, ownerId: userId } as const;
    await record(ctx, tx, systemCaller, { action: 'user.rescued', ...about, facts: { hours: rescueHours } });
    const others = Object.entries(current.rescuedUsers).filter(([, until]) => until > now);
    return { ...current, rescuedUsers: { ...Object.fromEntries(others), [userId]: now + rescueHours * 3_600_000 } };
  });
}
