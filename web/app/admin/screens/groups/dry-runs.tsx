import { CircleX } from 'lucide-react';
import { useState } from 'react';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Muted, Note, Stack } from '../../../ui/layout.tsx';
import { Loaded, Notice } from '../../../ui/states.tsx';
import { useFieldNames } from '../../parts/names.ts';
import type { Draft } from './draft.ts';
import { settingsOf } from './rules-preview.tsx';

const kinds = { message: 'kindMessage', link: 'kindLink', request: 'kindRequest' } as const;
const mostShown = 50;

export function ReplayDialog({ draft, onClose }: { draft: Draft; onClose: () => void }) {
  const text = useText('admin/group-editor');
  const formats = useFormats();
  const { nameOf, valueText } = useFieldNames();
  const body = { replay: { group: settingsOf(draft.changes), days: 30 } };
  const query = useApi('replayGroup', { params: { id: draft.base.id }, body });
  const headOf = (send: { kind: keyof typeof kinds; user: string; sent_at: string }) =>
    `${text(kinds[send.kind])}, ${visibleText(send.user)}, ${formats.shortDate(formats.dayOf(send.sent_at))}`;
  return (
    <Dialog title={text('replay')} onClose={onClose} actions={<Button onClick={onClose}>{text('close')}</Button>}>
      <Muted>{text('replayHelp')}</Muted>
      <Loaded query={query}>
        {({ replay: { sends, refused, changed, complete } }) => (
          <Stack gap={16}>
            <p>
              {refused.length + changed.length === 0
                ? text('replayNone', { n: sends })
                : text('replayFound', { n: sends, refused: refused.length, changed: changed.length })}
            </p>
            {refused.slice(0, mostShown).map((send) => (
              <section key={send.id}>
                <strong>{headOf(send)}</strong>
                {send.rules.map(({ code, sentence }) => (
                  <Note key={code} icon={CircleX} tone="danger">
                    {sentence}
                  </Note>
                ))}
              </section>
            ))}
            {changed.slice(0, mostShown).map((send) => (
              <section key={send.id}>
                <strong>{headOf(send)}</strong>
                {send.values.map(({ field, from, to }) => (
                  <Muted key={field}>
                    {text('change', { setting: nameOf(field), from: valueText(field, from), to: valueText(field, to) })}
                  </Muted>
                ))}
              </section>
            ))}
            {complete && refused.length <= mostShown && changed.length <= mostShown ? null : (
              <p>{text('replayMore')}</p>
            )}
          </Stack>
        )}
      </Loaded>
    </Dialog>
  );
}

export function ExplainDialog({ onClose }: { onClose: () => void }) {
  const text = useText('admin/group-editor');
  const [user, setUser] = useState('');
  const [to, setTo] = useState('');
  const explain = useApiChange('explainPolicy', []);
  const verdict = explain.data?.dry_run;
  return (
    <ConfirmDialog
      title={text('explain')}
      confirmLabel={text('explain')}
      cancelLabel={text('close')}
      change={explain}
      isDisabled={user.trim() === ''}
      onConfirm={() =>
        explain.mutate({
          body: { explain: { user: user.trim(), message: { recipients: to.trim() === '' ? [] : [to.trim()] } } },
        })
      }
      onClose={onClose}
    >
      <p>{text('explainHelp')}</p>
      <TextField label={text('explainUser')} value={user} onChange={setUser} isFocusedFirst />
      <TextField label={text('explainTo')} value={to} onChange={setTo} />
      {verdict === undefined ? null : (
        <Notice tone={verdict.allowed ? 'success' : 'warning'}>
          {text(verdict.allowed ? 'explainAllowed' : 'explainRefused')}
          <Stack as="ul" gap={4}>
            {verdict.rules
              .filter(({ allowed }) => !allowed)
              .map(({ code, sentence }) => (
                <li key={code}>{sentence}</li>
              ))}
          </Stack>
        </Notice>
      )}
    </ConfirmDialog>
  );
}
