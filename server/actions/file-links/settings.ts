// The settings of a link under its group's rules: last day, switches, password.
import type { UserCaller } from '../../domain/caller.ts';
import { settleExpiry } from '../../domain/expiry.ts';
import { invalid } from '../../domain/problem.ts';
import { settleSwitch } from '../../domain/switches.ts';
import type { Ctx } from '../context.ts';

/** How the switches of a link are told to people. */
export const linkSwitches = {
  requireSignIn: 'whether people confirm their address to open a link',
  sendReceipt: 'whether download receipts are sent',
};

export interface LinkWishes {
  expiresOn: string | undefined;
  password: string | undefined;
  sendReceipt: boolean | undefined;
  requireSignIn: boolean | undefined;
}

export interface LinkSettings {
  expiresOn: string;
  expiresAt: number;
  passwordHash: string | null;
  sendReceipt: boolean;
  requireSignIn: boolean;
}

/** What applies after the group's rules, or a refusal. */
export async function settleLink(ctx: Ctx, caller: UserCaller, wishes: LinkWishes): Promise<LinkSettings> {
  const { policy } = caller;
  const expiry = settleLinkExpiry(ctx, caller, wishes.expiresOn);
  const requireSignIn = settleSwitch({
    noun: 'link',
    requested: wishes.requireSignIn,
    byDefault: policy.filelink_default_require_authentication,
    mayChange: policy.filelink_can_change_require_authentication,
    field: 'require_authentication',
    what: linkSwitches.requireSignIn,
  });
  const sendReceipt = settleSwitch({
    noun: 'link',
    requested: wishes.sendReceipt,
    byDefault: policy.filelink_default_download_confirmation,
    mayChange: policy.filelink_can_change_download_confirmation,
    field: 'download_receipt',
    what: linkSwitches.sendReceipt,
  });
  const passwordHash = await hashLinkPassword(ctx, caller, wishes.password);
  return { expiresOn: expiry.on, expiresAt: expiry.at, requireSignIn, sendReceipt, passwordHash };
}

export function settleLinkExpiry(ctx: Ctx, caller: UserCaller, requested: string | undefined) {
  return settleExpiry({
    requested,
    defaultDays: caller.policy.filelink_default_expiration,
    maxDays: caller.policy.filelink_max_expiration,
    mayChange: caller.policy.filelink_can_change_expiration,
    now: ctx.clock.now(),
    timeZone: ctx.settings.surroundings.timeZone,
    noun: 'link',
  });
}

/** Null for no password. */
export async function hashLinkPassword(
  ctx: Ctx,
  caller: UserCaller,
  password: string | undefined,
): Promise<string | null> {
  if (password === undefined || password === '') return null;
  if (!caller.policy.filelink_can_set_password) {
    throw invalid(
      'link.setting_locked',
      'Your group can’t set passwords on links. Ask your administrator if you need to.',
      'password',
    );
  }
  return ctx.keys.passwords.hashPassword(password);
}
