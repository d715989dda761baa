import { ShieldAlert, ShieldBan, ShieldQuestionMark } from 'lucide-react';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../visible.ts';
import { useText } from '../../texts.ts';

export type Held = CallAnswer<'listQuarantine'>['quarantine'][number];

export const verdicts = {
  infected: { label: 'verdict_infected', tone: 'danger', icon: ShieldAlert },
  unscannable: { label: 'verdict_unscannable', tone: 'warning', icon: ShieldQuestionMark },
  blocked: { label: 'verdict_blocked', tone: 'warning', icon: ShieldBan },
} as const;

const reasons = {
  '': 'reason_unknown',
  too_large: 'reason_too_large',
  encrypted: 'reason_encrypted',
  damaged: 'reason_damaged',
  nested_too_deep: 'reason_nested_too_deep',
  skipped: 'reason_skipped',
  type_mismatch: 'reason_type_mismatch',
  encrypted_archive: 'reason_encrypted_archive',
  macros: 'reason_macros',
  archive_depth: 'reason_archive_depth',
} as const;

/** The name of the malware, or why the file was not checked. */
export function useReason(): (file: Pick<Held, 'reason' | 'signature'>) => string {
  const text = useText('admin/scanning');
  return ({ reason, signature }) => (signature === '' ? text(reasons[reason]) : visibleText(signature));
}
