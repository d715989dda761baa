// Only the key for clients can be revealed, with a reason.
import { useState } from 'react';
import type { PersonDetailBody } from '#contract/admin/user-actions.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Muted } from '../../../ui/layout.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Notice } from '../../../ui/states.tsx';
import { ReasonDialog } from '../../parts/reason.tsx';

const states = { active: 'keyActive', replaced: 'keyReplaced', expired: 'keyExpired' } as const;

export function Keys({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  const formats = useFormats();
  const isReadable =
    person.may_read_key &&
    person.state !== 'disabled' &&
    person.api_keys.some(({ kind, state }) => kind === 'account' && state !== 'expired');
  if (person.api_keys.length === 0)
    return (
      <Card title={text('keys')}>
        <Muted>{text('noKeys')}</Muted>
      </Card>
    );
  return (
    <Card title={text('keys')} actions={isReadable ? <RevealKey person={person} /> : undefined}>
      <PlainTable
        caption={text('keyTable', { name: visibleText(person.name === '' ? person.email : person.name) })}
        isCaptionHidden
        headers={[text('key'), text('keyUsed'), text('keyUntil'), text('state')]}
        rows={person.api_keys.map((key) => ({
          id: key.id,
          cells: [
            key.kind === 'account' ? text('keyMain') : <bdi key="name">{visibleText(key.name)}</bdi>,
            key.last_used_at === null ? text('neverSeen') : formats.dateTime(key.last_used_at),
            key.expires_at === null ? text('keyForever') : formats.date(formats.lastDayBefore(key.expires_at)),
            <Pill key="state" tone={key.state === 'active' ? 'success' : 'ended'}>
              {text(states[key.state])}
            </Pill>,
          ],
        }))}
      />
    </Card>
  );
}

function RevealKey({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  const [isOpen, setOpen] = useState(false);
  const change = useApiChange('readPersonKey', ['admin']);
  const name = visibleText(person.name === '' ? person.email : person.name);
  const close = () => {
    setOpen(false);
    change.reset();
  };
  const key = change.data?.api_key.key;
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {text('lookUpKey')}
      </Button>
      {isOpen && key === undefined ? (
        <ReasonDialog
          isNotified
          title={text('lookUpTitle', { name })}
          confirmLabel={text('lookUpKey')}
          change={change}
          onConfirm={(reason) =>
            change.mutate(
              { params: { id: person.id }, body: { api_key: { reason } } },
              { onSuccess: () => announce(text('keyShownSaid')) },
            )
          }
          onClose={close}
        >
          {text('lookUpText')}
        </ReasonDialog>
      ) : null}
      {isOpen && key !== undefined ? (
        <Dialog title={text('keyOf', { name })} onClose={close}>
          <Notice tone="warning">{text('keyTold', { name })}</Notice>
          <CopyField label={text('key')} value={key} />
        </Dialog>
      ) : null}
    </>
  );
}
