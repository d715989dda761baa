// Every rule on a new message that needs no transaction, each looked at once and in this order.
import type { Audience } from '#contract/audiences.ts';
import { findLocalAddresses } from '../../db/users/users.ts';
import {
  actingDefaultAlias,
  actingEmail,
  actingSenderAliases,
  unprovenAddress,
  unprovenAddresses,
} from '../../domain/addresses.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { type Expiry, resolveExpiry } from '../../domain/expiry.ts';
import {
  assertPermittedRecipients,
  type MessageTexts,
  type RecipientLists,
  readRecipients,
  readSubject,
  readText,
  resolveAudience,
  resolveDownloadLimit,
  type TextFormat,
} from '../../domain/messages.ts';
import type { Policy } from '../../domain/policy.ts';
import { invalid } from '../../domain/problem.ts';
import { resolveSwitch } from '../../domain/switches.ts';
import { readEmail } from '../../domain/users.ts';
import type { Ctx, RuleContext } from '../context.ts';
import { readLanguage } from '../languages.ts';
import type { Rules, Unresolved } from '../rules.ts';

/** What a sender asks for, files and names aside. */
export interface MessageInput extends RecipientLists {
  sender: string | undefined;
  subject: string;
  body: string;
  bodyFormat: TextFormat | undefined;
  expiresOn: string | undefined;
  downloadLimit: number | undefined;
  sendEmail: boolean;
  /** Of the mails, for people whose own language is not known. */
  language: string | undefined;
  copyToSender: boolean | undefined;
  isPrivate: boolean | undefined;
  authorization: number | undefined;
}

/** What applies after the group's rules. */
export interface MessageSettings extends ResolvedReaders {
  mailLanguage: string;
  sender: string;
  texts: MessageTexts;
  downloadLimit: number | null;
  copyToSender: boolean;
  expiry: Expiry;
}

interface ResolvedReaders {
  recipients: RecipientLists;
  /** Those of them who are colleagues. */
  localAddresses: string[];
  audience: Audience;
  isPrivate: boolean;
}

/** What the rules look up beside the policy: now, for somebody who sends; kept, for a send of the past. */
export interface MessageSurroundings {
  moment: RuleContext;
  localAddresses(addresses: string[]): Promise<ReadonlySet<string>>;
  /** The address it is sent from. */
  sender(): string | Promise<string>;
}

export function resolveMessage(
  ctx: Ctx,
  caller: UserCaller,
  wishes: MessageInput,
  rules: Rules,
): Promise<Unresolved<MessageSettings>> {
  const surroundings: MessageSurroundings = {
    moment: ctx,
    localAddresses: (addresses) => findLocalAddresses(ctx.db.read, addresses),
    sender: () => resolveSender(caller, wishes.sender),
  };
  return judgeMessage(surroundings, caller.policy, wishes, rules);
}

export async function judgeMessage(
  surroundings: MessageSurroundings,
  policy: Policy,
  wishes: MessageInput,
  rules: Rules,
): Promise<Unresolved<MessageSettings>> {
  await rules.check({ code: 'message.not_permitted', source: 'can_use_messages' }, () => assertMayUseMessages(policy));
  const readers = await resolveReaders(surroundings, policy, wishes, rules);
  const mailLanguage = await rules.check({ code: 'language.unknown', source: 'installation' }, () =>
    wishes.language === undefined || wishes.language === '' ? '' : readLanguage(wishes.language),
  );
  const sender = await rules.check({ code: 'message.sender_not_permitted', source: 'installation' }, () =>
    surroundings.sender(),
  );
  const subject = await rules.check({ code: 'message.bad_subject', source: 'installation' }, () =>
    readSubject(wishes.subject),
  );
  const text = await rules.check({ code: 'message.html_not_permitted', source: 'message_can_use_html' }, () =>
    readText(policy, wishes.body, wishes.bodyFormat),
  );
  const downloadLimit = await rules.check(
    { code: 'message.too_many_downloads', source: 'message_max_expires_after' },
    () => resolveDownloadLimit(policy, wishes.downloadLimit),
  );
  const copyToSender = await rules.check(
    { code: 'message.setting_locked', source: 'message_can_change_bcc_myself' },
    () =>
      resolveSwitch({
        noun: 'message',
        requested: wishes.copyToSender,
        byDefault: policy.message_default_bcc_myself,
        mayChange: policy.message_can_change_bcc_myself,
        setting: 'message_can_change_bcc_myself',
        field: 'bcc_myself',
        what: 'whether you get a copy',
      }),
  );
  const expiry = await rules.check({ code: 'message.expiry_too_late', source: 'message_max_expiration' }, () =>
    resolveMessageExpiry(surroundings.moment, policy, wishes.expiresOn),
  );
  const texts = subject === undefined || text === undefined ? undefined : { subject, ...text };
  return { ...readers, mailLanguage, sender, texts, downloadLimit, copyToSender, expiry };
}

/** To whom it goes and who may open it. */
async function resolveReaders(
  surroundings: MessageSurroundings,
  policy: Policy,
  wishes: MessageInput,
  rules: Rules,
): Promise<Unresolved<ResolvedReaders>> {
  const recipients = await rules.check({ code: 'message.bad_recipient', source: 'installation' }, () =>
    readRecipients(wishes),
  );
  const addresses = recipients && [...recipients.to, ...recipients.cc, ...recipients.bcc];
  const localAddresses = addresses === undefined ? new Set<string>() : await surroundings.localAddresses(addresses);
  if (addresses !== undefined)
    await rules.check({ code: 'message.recipient_not_allowed', source: 'message_limit_recipients' }, () =>
      assertPermittedRecipients(policy, addresses, localAddresses),
    );
  const audience = await rules.check(
    { code: 'message.audience_not_permitted', source: 'message_can_change_authorization' },
    () => resolveAudience(policy, wishes.authorization),
  );
  const isPrivate = await rules.check(
    { code: 'message.setting_locked', source: 'message_can_change_private_message' },
    () =>
      resolveSwitch({
        noun: 'message',
        requested: wishes.isPrivate,
        byDefault: policy.message_default_private_message,
        mayChange: policy.message_can_change_private_message,
        setting: 'message_can_change_private_message',
        field: 'private_message',
        what: 'whether the text is kept out of the e-mail',
      }),
  );
  if (isPrivate !== undefined && audience !== undefined)
    await rules.check({ code: 'message.private_for_anyone', source: 'installation' }, () =>
      assertRestrictedIfPrivate(isPrivate, audience),
    );
  if (addresses !== undefined && audience !== undefined)
    await rules.check({ code: 'message.no_recipients', source: 'installation' }, () =>
      requireRecipient(addresses.length, audience, wishes.sendEmail),
    );
  return { recipients, localAddresses: [...localAddresses], audience, isPrivate };
}

function assertMayUseMessages(policy: Policy): void {
  if (!policy.can_use_messages)
    throw invalid(
      'message.not_permitted',
      'Your group can’t send messages. Ask your administrator if you need to.',
    ).decidedBy('can_use_messages');
}

function assertRestrictedIfPrivate(isPrivate: boolean, audience: Audience): void {
  if (isPrivate && audience === 'anyone') {
    throw invalid(
      'message.private_for_anyone',
      'A private message cannot be open to anyone with the link. Choose who may open it.',
      'authorization',
    );
  }
}

function requireRecipient(count: number, audience: Audience, sendEmail: boolean): void {
  if (count > 0) return;
  if (audience === 'recipientsOnly' || audience === 'recipientsAndDomains') {
    throw invalid(
      'message.no_recipients',
      'Add at least one recipient, or choose another authorization.',
      'recipients',
    );
  }
  if (sendEmail)
    throw invalid('message.no_recipients', 'Add at least one recipient to send the message to.', 'recipients');
}

function resolveMessageExpiry(moment: RuleContext, policy: Policy, requested: string | undefined): Expiry {
  return resolveExpiry({
    requested,
    defaultDays: policy.message_default_expiration,
    maxDays: policy.message_max_expiration,
    mayChange: policy.message_can_change_expiration,
    settings: { mayChange: 'message_can_change_expiration', maxDays: 'message_max_expiration' },
    now: moment.clock.now(),
    timeZone: moment.settings.surroundings.timeZone,
    noun: 'message',
  });
}

/** The caller's own address, or one of the aliases an administrator gave them, if it is proven (security D10). */
function resolveSender(caller: UserCaller, requested: string | undefined): string {
  if (requested === undefined || requested === '')
    return actingDefaultAlias(caller) || (actingEmail(caller) ?? refuseUnproven(caller.email));
  const sender = readEmail(requested, 'sender');
  if (unprovenAddresses(caller).includes(sender)) refuseUnproven(sender);
  if (sender !== caller.email && !actingSenderAliases(caller).includes(sender))
    throw invalid('message.sender_not_permitted', `You can’t send as ${sender}.`, 'sender').withValues({
      address: sender,
    });
  return sender;
}

function refuseUnproven(address: string): never {
  throw unprovenAddress(address, 'sender');
}
