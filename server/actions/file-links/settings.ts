// Settings of a link under its group's rules.
import type { UserCaller } from '../../domain/caller.ts';
import { resolveExpiry } from '../../domain/expiry.ts';
import type { Policy } from '../../domain/policy.ts';
import { invalid } from '../../domain/problem.ts';
import { resolveSwitch, type SwitchRule } from '../../domain/switches.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import type { Ctx, RuleContext } from '../context.ts';
import type { Rules, Unresolved } from '../rules.ts';

/** Labels for refusals. */
export const linkSwitches = {
  requireSignIn: {
    noun: 'link',
    what: 'whether people confirm their address to open a link',
    setting: 'filelink_can_change_require_authentication',
  },
  sendReceipt: {
    noun: 'link',
    what: 'whether download receipts are sent',
    setting: 'filelink_can_change_download_confirmation',
  },
} as const;

export interface LinkInput {
  expiresOn: string | undefined;
  password: string | undefined;
  sendReceipt: boolean | undefined;
  requireSignIn: boolean | undefined;
}

export interface LinkSettings {
  expiresOn: string;
  expiresAt: number;
  sendReceipt: boolean;
  requireSignIn: boolean;
}

/** Values after the group's rules. Also checks that a password is permitted. */
export async function resolveLink(
  ctx: RuleContext,
  caller: Pick<UserCaller, 'policy'>,
  input: LinkInput,
  rules: Rules,
): Promise<Unresolved<LinkSettings>> {
  const { policy } = caller;
  const expiry = await rules.check({ code: 'link.expiry_too_late', source: 'filelink_max_expiration' }, () =>
    resolveLinkExpiry(ctx, caller, input.expiresOn),
  );
  const requireSignIn = await resolveLinkSwitch(rules, {
    ...linkSwitches.requireSignIn,
    input: input.requireSignIn,
    byDefault: policy.filelink_default_require_authentication,
    mayChange: policy.filelink_can_change_require_authentication,
    field: 'require_authentication',
  });
  const sendReceipt = await resolveLinkSwitch(rules, {
    ...linkSwitches.sendReceipt,
    input: input.sendReceipt,
    byDefault: policy.filelink_default_download_confirmation,
    mayChange: policy.filelink_can_change_download_confirmation,
    field: 'download_receipt',
  });
  await rules.check({ code: 'link.setting_locked', source: 'filelink_can_set_password' }, () =>
    assertMaySetPassword(policy, input.password),
  );
  return { expiresOn: expiry?.on, expiresAt: expiry?.at, requireSignIn, sendReceipt };
}

function resolveLinkSwitch(rules: Rules, rule: SwitchRule): Promise<boolean | undefined> {
  return rules.check({ code: 'link.setting_locked', source: rule.setting }, () => resolveSwitch(rule));
}

export function resolveLinkExpiry(ctx: RuleContext, caller: Pick<UserCaller, 'policy'>, input: string | undefined) {
  return resolveExpiry({
    input,
    defaultDays: caller.policy.filelink_default_expiration,
    maxDays: caller.policy.filelink_max_expiration,
    mayChange: caller.policy.filelink_can_change_expiration,
    settings: { mayChange: 'filelink_can_change_expiration', maxDays: 'filelink_max_expiration' },
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
  assertMaySetPassword(caller.policy, password);
  if (password === undefined || password === '') return null;
  return ctx.keys.passwords.hashPassword(password, networkOf(caller.from.address));
}

function assertMaySetPassword(policy: Policy, password: string | undefined): void {
  if (password === undefined || password === '' || policy.filelink_can_set_password) return;
  throw invalid(
    'link.setting_locked',
    'Your group can’t set passwords on links. Ask your administrator if you need to.',
    'password',
  ).decidedBy('filelink_can_set_password');
}
