// Rules for a new message that need no transaction, in the order of their checks.
import type { Audience } from '#contract/audiences.ts';
import { findLocalAddresses } from '../../db/users/users.ts';
import {
  confirmedDefaultAlias,
  confirmedEmail,
  confirmedSenderAliases,
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

export interface MessageInput extends RecipientLists {
  sender: string | undefined;
  subject: string;
  body: string;
  bodyFormat: TextFormat | undefined;
  expiresOn: string | undefined;
  downloadLimit: number | undefined;
  sendEmail: boolean;
  /** For recipients whose own language is unknown. */
  language: string | undefined;
  copyToSender: boolean | undefined;
  isPrivate: boolean | undefined;
  authorization: number | undefined;
}

/** Values after the group's rules. */
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
  /** Recipients who are local users. */
  localAddresses: string[];
  audience: Audience;
  isPrivate: boolean;
}

/** Current data for a send, stored data for a replay. */
export interface MessageRuleData {
  ctx: RuleContext;
  localAddresses(addresses: string[]): Promise<ReadonlySet<string>>;
  sender(): string | Promise<string>;
}

export function resolveMessage(
  ctx: Ctx,
  caller: UserCaller,
  input: MessageInput,
  rules: Rules,
): Promise<Unresolved<MessageSettings>> {
  const data: MessageRuleData = {
    ctx,
    localAddresses: (addresses) => findLocalAddresses(ctx.db.read, addresses),
    sender: () => resolveSender(caller, input.sender),
  };
  return applyMessageRules(data, caller.policy, input, rules);
}

export async function applyMessageRules(
  data: MessageRuleData,
  policy: Policy,
  input: MessageInput,
  rules: Rules,
): Promise<Unresolved<MessageSettings>> {
  await rules.check({ code: 'message.not_permitted', source: 'can_use_messages' }, () => assertMayUseMessages(policy));
  const readers = await resolveReaders(data, policy, input, rules);
  const mailLanguage = await rules.check({ code: 'language.unknown', source: 'installation' }, () =>
    input.language === undefined || input.language === '' ? '' : readLanguage(input.language),
  );
  const sender = await rules.check({ code: 'message.sender_not_permitted', source: 'installation' }, () =>
    data.sender(),
  );
  const subject = await rules.check({ code: 'message.bad_subject', source: 'installation' }, () =>
    readSubject(input.subject),
  );
  const text = await rules.check({ code: 'message.html_not_permitted', source: 'message_can_use_html' }, () =>
    readText(policy, input.body, input.bodyFormat),
  );
  const downloadLimit = await rules.check(
    { code: 'message.too_many_downloads', source: 'message_max_expires_after' },
    () => resolveDownloadLimit(policy, input.downloadLimit),
  );
  const copyToSender = await rules.check(
    { code: 'message.setting_locked', source: 'message_can_change_bcc_myself' },
    () =>
      resolveSwitch({
        noun: 'message',
        input: input.copyToSender,
        byDefault: policy.message_default_bcc_myself,
        mayChange: policy.message_can_change_bcc_myself,
        setting: 'message_can_change_bcc_myself',
        field: 'bcc_myself',
        what: 'whether you get a copy',
      }),
  );
  const expiry = await rules.check({ code: 'message.expiry_too_late', source: 'message_max_expiration' }, () =>
    resolveMessageExpiry(data.ctx, policy, input.expiresOn),
  );
  const texts = subject === undefined || text === undefined ? undefined : { subject, ...text };
  return { ...readers, mailLanguage, sender, texts, downloadLimit, copyToSender, expiry };
}

async function resolveReaders(
  data: MessageRuleData,
  policy: Policy,
  input: MessageInput,
  rules: Rules,
): Promise<Unresolved<ResolvedReaders>> {
  const recipients = await rules.check({ code: 'message.bad_recipient', source: 'installation' }, () =>
    readRecipients(input),
  );
  const addresses = recipients && [...recipients.to, ...recipients.cc, ...recipients.bcc];
  const localAddresses = addresses === undefined ? new Set<string>() : await data.localAddresses(addresses);
  if (addresses !== undefined)
    await rules.check({ code: 'message.recipient_not_allowed', source: 'message_limit_recipients' }, () =>
      assertPermittedRecipients(policy, addresses, localAddresses),
    );
  const audience = await rules.check(
    { code: 'message.audience_not_permitted', source: 'message_can_change_authorization' },
    () => resolveAudience(policy, input.authorization),
  );
  const isPrivate = await rules.check(
    { code: 'message.setting_locked', source: 'message_can_change_private_message' },
    () =>
      resolveSwitch({
        noun: 'message',
        input: input.isPrivate,
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
      requireRecipient(addresses.length, audience, input.sendEmail),
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

function resolveMessageExpiry(ctx: RuleContext, policy: Policy, input: string | undefined): Expiry {
  return resolveExpiry({
    input,
    defaultDays: policy.message_default_expiration,
    maxDays: policy.message_max_expiration,
    mayChange: policy.message_can_change_expiration,
    settings: { mayChange: 'message_can_change_expiration', maxDays: 'message_max_expiration' },
    now: ctx.clock.now(),
    timeZone: ctx.settings.surroundings.timeZone,
    noun: 'message',
  });
}

/** The caller's default address, or a confirmed alias. */
function resolveSender(caller: UserCaller, input: string | undefined): string {
  if (input === undefined || input === '')
    return confirmedDefaultAlias(caller) || (confirmedEmail(caller) ?? refuseUnproven(caller.email));
  const sender = readEmail(input, 'sender');
  if (unprovenAddresses(caller).includes(sender)) refuseUnproven(sender);
  if (sender !== caller.email && !confirmedSenderAliases(caller).includes(sender))
    throw invalid('message.sender_not_permitted', `You can’t send as ${sender}.`, 'sender').withValues({
      address: sender,
    });
  return sender;
}

function refuseUnproven(address: string): never {
  throw unprovenAddress(address, 'sender');
}
