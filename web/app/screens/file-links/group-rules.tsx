// Link settings fixed by the group.

import { useFormats } from '../../formats.ts';
import { useMe } from '../../me.ts';
import { useText } from '../../texts.ts';
import { Muted } from '../../ui/layout.tsx';

export function GroupRules() {
  const text = useText('file-links');
  const formats = useFormats();
  const { policy } = useMe();
  const rules = [
    ...(policy.filelink_can_change_expiration ? [] : [text('lockedUntil', { n: policy.filelink_default_expiration })]),
    ...(policy.filelink_can_change_require_authentication
      ? []
      : [text(policy.filelink_default_require_authentication ? 'lockedConfirmOn' : 'lockedConfirmOff')]),
    ...(policy.filelink_can_change_download_confirmation
      ? []
      : [text(policy.filelink_default_download_confirmation ? 'lockedTellOn' : 'lockedTellOff')]),
    ...(policy.filelink_can_set_password ? [] : [text('lockedPassword')]),
  ];
  if (rules.length === 0) return null;
  return <Muted>{text('locked', { rules: formats.list(rules) })}</Muted>;
}
