// The rules of a group, which the server computes, as sentences.
import type { RulesBody } from '#contract/app/account.ts';
import { regional } from '#language/locale.ts';
import { sizeIn } from '#language/sizes.ts';
import { anyOf, days, hours } from '../formats.ts';
import type { Text } from './texts.ts';

export interface RuleSentence {
  sentence: string;
  isOff: boolean;
}

export interface RuleGroup {
  title: string;
  sentences: RuleSentence[];
}

type Say = Text<'account'>;
const on = (sentence: string): RuleSentence => ({ sentence, isOff: false });
const off = (sentence: string): RuleSentence => ({ sentence, isOff: true });
const bytesOfMb = 1024 * 1024;

export function ruleGroups(rules: RulesBody, say: Say, locale: string): RuleGroup[] {
  return [
    { title: say('ruleMessages'), sentences: messageSentences(rules, say, locale) },
    { title: say('ruleLinks'), sentences: linkSentences(rules, say, locale) },
    { title: say('ruleRequests'), sentences: requestSentences(rules, say) },
    { title: say('ruleDrop'), sentences: dropSentences(rules, say, locale) },
    { title: say('ruleFiles'), sentences: fileSentences(rules, say, locale) },
    { title: say('ruleAccount'), sentences: accountSentences(rules, say, locale) },
  ];
}

function messageSentences({ messages }: RulesBody, say: Say, locale: string): RuleSentence[] {
  if (!messages.can_use) return [off(say('messagesOff'))];
  const { reminders } = messages;
  return [
    on(say('messageSize', { size: sizeIn(locale, messages.max_size_mb * bytesOfMb) })),
    messages.can_change_days
      ? on(say('messageDaysChoose', { max: messages.max_days, days: days(locale, messages.default_days) }))
      : on(say('messageDaysFixed', { n: messages.default_days })),
    ...downloadSentences(messages, say),
    levelSentence(messages, say, locale),
    messages.can_change_private
      ? on(say('privateChoose'))
      : on(say(messages.default_private ? 'privateFixedOn' : 'privateFixedOff')),
    ...recipientSentences(messages.recipients, say, locale),
    reminders === 0 ? off(say('remindersOff')) : on(say('reminders', { n: reminders })),
  ];
}

function downloadSentences(messages: RulesBody['messages'], say: Say): RuleSentence[] {
  const { default_downloads: byDefault, max_downloads: most, can_change_downloads: mayChange } = messages;
  if (!mayChange) return [on(byDefault === null ? say('downloadsFreeFixed') : say('downloadsFixed', { n: byDefault }))];
  const usual = byDefault === null ? say('downloadsChooseFree') : say('downloadsChoose', { n: byDefault });
  return [on(usual), ...(most === null ? [] : [on(say('downloadsMost', { n: most }))])];
}

function levelSentence(messages: RulesBody['messages'], say: Say, locale: string): RuleSentence {
  const name = (level: number) => say(`level${level as 0 | 1 | 2 | 3 | 4}`);
  const level = name(messages.default_authorization);
  if (messages.authorizations.length <= 1) return on(say('levelsOne', { level }));
  return on(say('levelsMany', { levels: anyOf(locale, messages.authorizations.map(name)), level }));
}

function recipientSentences(recipients: RulesBody['messages']['recipients'], say: Say, locale: string): RuleSentence[] {
  if (recipients.local_users_only) return [off(say('toLocalOnly'))];
  if (!recipients.is_limited) return [on(say('toAnyone'))];
  const domains = recipients.domains.map((domain) => `@${domain}`);
  return [
    ...(domains.length === 0 ? [] : [on(say('toDomains', { domains: anyOf(locale, domains) }))]),
    ...(recipients.pattern === '' ? [] : [on(say('toPattern', { pattern: recipients.pattern }))]),
    ...(domains.length === 0 && recipients.pattern === '' ? [off(say('toNobody'))] : []),
    ...(recipients.can_send_to_local_users ? [on(say('toLocalToo'))] : []),
  ];
}

function linkSentences({ links }: RulesBody, say: Say, locale: string): RuleSentence[] {
  if (!links.can_use) return [off(say('linksOff'))];
  const fixed = links.default_require_authentication ? 'linkAuthOn' : 'linkAuthOff';
  return [
    on(say('linksOn')),
    links.can_change_days
      ? on(say('linkDaysChoose', { max: links.max_days, days: days(locale, links.default_days) }))
      : on(say('linkDaysFixed', { n: links.default_days })),
    on(say(links.can_change_require_authentication ? 'linkAuthChoose' : fixed)),
    ...(links.can_set_password ? [on(say('linkPassword'))] : []),
  ];
}

function requestSentences({ requests }: RulesBody, say: Say): RuleSentence[] {
  if (!requests.can_use) return [off(say('requestsOff'))];
  const fixed = requests.default_multiuse ? 'requestMultiOn' : 'requestMultiOff';
  return [
    on(say('requestsOn')),
    on(say('requestDays', { n: requests.default_days })),
    on(say(requests.can_change_multiuse ? 'requestMultiChoose' : fixed)),
  ];
}

function dropSentences({ drop }: RulesBody, say: Say, locale: string): RuleSentence[] {
  if (!drop.has_random && !drop.has_email) return [off(say('dropOff'))];
  return [
    ...(drop.has_random ? [on(say('dropRandom'))] : []),
    ...(drop.has_email ? [on(say('dropEmail'))] : []),
    ...(drop.confirm_sender ? [on(say('dropConfirm'))] : []),
    on(say('dropSize', { size: sizeIn(locale, drop.max_size_mb * bytesOfMb) })),
  ];
}

function fileSentences({ files }: RulesBody, say: Say, locale: string): RuleSentence[] {
  const list = (extensions: string[]) => extensions.map((one) => `.${one.trim().replace(/^\./, '')}`);
  const lists = new Intl.ListFormat(regional(locale));
  if (files.permitted_extensions.length > 0)
    return [on(say('filesOnly', { types: anyOf(locale, list(files.permitted_extensions)) }))];
  if (files.blocked_extensions.length === 0) return [on(say('filesAny'))];
  return [on(say('filesBlocked', { types: lists.format(list(files.blocked_extensions)) }))];
}

function accountSentences({ account }: RulesBody, say: Say, locale: string): RuleSentence[] {
  const used = sizeIn(locale, account.stored_bytes);
  const { storage_quota_mb: quota, api_key_lifetime_days: keyDays, deleted_after_inactive_days: idle } = account;
  return [
    quota === null
      ? on(say('quotaNone', { used }))
      : on(say('quota', { used, limit: sizeIn(locale, quota * bytesOfMb) })),
    on(say('sessionHours', { length: hours(locale, account.session_hours) })),
    ...(account.second_factor === 'required' ? [on(say('secondFactorRequired'))] : []),
    ...(account.second_factor === 'offered' ? [on(say('secondFactorOffered'))] : []),
    ...(keyDays === null ? [] : [on(say('keyDays', { n: keyDays }))]),
    ...(idle === null ? [] : [on(say('inactive', { n: idle }))]),
    ...(account.can_invite_users ? [on(say('invite'))] : []),
  ];
}
