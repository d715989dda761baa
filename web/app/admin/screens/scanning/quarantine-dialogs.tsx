import { useState } from 'react';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { PasswordField } from '../../../ui/field.tsx';
import { Notice, problemAt } from '../../../ui/states.tsx';
import { ReasonField } from '../../parts/reason.tsx';
import type { Held } from '../../parts/scan-names.ts';

interface Props {
  files: readonly Held[];
  onClose: () => void;
}

export function ReleaseDialog({ files, onClose }: Props) {
  const text = useText('admin/scanning');
  const [reason, setReason] = useState('');
  const [password, setPassword] = useState('');
  const release = useApiChange('releaseQuarantined', ['admin']);
  const go = async () => {
    for (const { id } of files) await release.mutateAsync({ params: { id }, body: { release: { reason, password } } });
    announce(text('released', { n: files.length }));
    onClose();
  };
  return (
    <ConfirmDialog
      title={text('releaseTitle', { n: files.length, name: visibleText(files[0]!.filename) })}
      confirmLabel={text('release')}
      cancelLabel={text('keep')}
      hasInput
      change={release}
      fields={['reason', 'password']}
      onConfirm={() => void go().catch(() => {})}
      onClose={onClose}
    >
      <p>{text('releaseText')}</p>
      {files.some(({ verdict }) => verdict === 'infected') ? (
        <Notice tone="danger">{text('releaseInfected')}</Notice>
      ) : null}
      <ReasonField value={reason} onChange={setReason} problem={problemAt(release.error, 'reason')} isFocusedFirst />
      <PasswordField
        label={text('ownPassword')}
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        problem={problemAt(release.error, 'password')}
      />
    </ConfirmDialog>
  );
}

export function DeleteDialog({ files, onClose }: Props) {
  const text = useText('admin/scanning');
  const remove = useApiChange('deleteQuarantined', ['admin']);
  const go = async () => {
    for (const { id } of files) await remove.mutateAsync({ params: { id } });
    announce(text('deleted', { n: files.length }));
    onClose();
  };
  return (
    <ConfirmDialog
      title={text('deleteTitle', { n: files.length, name: visibleText(files[0]!.filename) })}
      confirmLabel={text('delete')}
      cancelLabel={text('keep')}
      isDanger
      change={remove}
      onConfirm={() => void go().catch(() => {})}
      onClose={onClose}
    >
      <p>{text('deleteText')}</p>
    </ConfirmDialog>
  );
}
