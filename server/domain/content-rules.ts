// Rules of a group about what files contain.
import type { Content } from '../lib/archives/content.ts';
import type { Policy } from './policy.ts';
import { invalid, type Problem } from './problem.ts';

/** What was found in a file; independent of any policy. */
export interface Findings extends Content {
  isTypeMismatch: boolean;
}

/** The setting that decides about each. */
export const contentSettings = {
  type_mismatch: 'content_type_mismatch',
  encrypted_archive: 'content_encrypted_archives',
  macros: 'content_macros',
  archive_depth: 'content_archive_depth',
} as const;

export type ContentReason = keyof typeof contentSettings;
export const contentReasons = Object.keys(contentSettings) as ContentReason[];

export type ContentAction = 'allow' | 'hold' | 'refuse';

export function hasContentRules(policy: Policy): boolean {
  return contentReasons.some((reason) => isRuleSet(policy, reason));
}

function isRuleSet(policy: Policy, reason: ContentReason): boolean {
  if (reason === 'archive_depth') return policy.content_archive_depth > 0;
  return policy[contentSettings[reason]] !== 'allow';
}

/** What a rule does with a file. An archive that cannot be examined counts as too deep. */
export function contentAction(findings: Findings, policy: Policy, reason: ContentReason): ContentAction {
  if (reason !== 'archive_depth') return isFound(findings, reason) ? policy[contentSettings[reason]] : 'allow';
  const most = policy.content_archive_depth;
  const isTooDeep = findings.archiveDepth > most || findings.isBomb || findings.isPartial;
  return most > 0 && isTooDeep ? 'hold' : 'allow';
}

function isFound(findings: Findings, reason: Exclude<ContentReason, 'archive_depth'>): boolean {
  if (reason === 'type_mismatch') return findings.isTypeMismatch;
  return reason === 'macros' ? findings.hasMacros : findings.isEncrypted;
}

/** Null if no rule blocks it. */
export function blockedByContent(
  findings: Findings,
  policy: Policy,
): { verdict: 'blocked'; reason: ContentReason; signature: string } | null {
  const reason = contentReasons.find((one) => contentAction(findings, policy, one) !== 'allow');
  return reason === undefined ? null : { verdict: 'blocked', reason, signature: '' };
}

/** Throws if a file with these findings cannot be sent. */
export function assertPermittedContent(findings: Findings, policy: Policy, reason: ContentReason): void {
  if (contentAction(findings, policy, reason) === 'refuse') throw contentRefusal(reason);
}

const refusals: Record<ContentReason, string> = {
  type_mismatch: 'The content of this file is not of the type that its name says. Your group can’t send such files.',
  encrypted_archive: 'Your group can’t send encrypted archives. Send the files without a password.',
  macros: 'Your group can’t send documents with macros. Save the document without macros.',
  archive_depth: 'Your group can’t send archives that are nested this deeply.',
};

export function contentRefusal(reason: ContentReason): Problem {
  return invalid('attachment.content_blocked', refusals[reason], 'attachments')
    .withValues({ rule: reason })
    .decidedBy(contentSettings[reason]);
}

export function uncheckedRefusal(): Problem {
  return invalid(
    'attachment.content_blocked',
    'This file could not be checked for viruses. Your group can’t send such files.',
    'attachments',
  )
    .withValues({ rule: 'unscannable' })
    .decidedBy('virus_scan_unscannable');
}
