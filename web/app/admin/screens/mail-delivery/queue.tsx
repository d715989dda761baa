import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Segments } from '../../../ui/choice.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import type { MenuGroup } from '../../../ui/menu.tsx';
import { CardTable } from '../../../ui/plain-table.tsx';
import { Loaded, ProblemNotice } from '../../../ui/states.tsx';
import { useMailKindName } from '../../parts/names.ts';

type Mail = CallAnswer<'listMails'>['mails'][number];
const states = ['waiting', 'held', 'refused', 'sent'] as const;
const stateNames = { waiting: 'stateWaiting', held: 'stateHeld', refused: 'stateRefused', sent: 'stateSent' } as const;

export function MailQueue({ mayChange }: { mayChange: boolean }) {
  const text = useText('admin/mail-delivery');
  const [state, setState] = useState<(typeof states)[number]>('waiting');
  const [after, setAfter] = useState<string | null>(null);
  const [selected, setSelected] = useState<Mail | null>(null);
  const mails = useApi('listMails', { query: { state, ...(after === null ? {} : { after }) } }, { keepsLast: true });
  const retry = useApiChange('retryMail', ['admin']);
  const choices = states.map((value) => ({ value, label: text(stateNames[value]) }));
  const show = (next: (typeof states)[number]) => {
    setState(next);
    setAfter(null);
  };
  const tryAgain = ({ id, to }: Mail) =>
    retry.mutate({ params: { id } }, { onSuccess: () => announce(text('retried', { to })) });
  return (
    <Card title={text('queue')}>
      <Stack gap={16}>
        <Segments label={text('queueState')} choices={choices} value={state} onChange={show} />
        <ProblemNotice error={retry.error} />
        <Loaded query={mails}>
          {({ mails: found, next }) => (
            <>
              {found.length === 0 ? (
                <Muted>{text('queueEmpty')}</Muted>
              ) : (
                <Mails mails={found} mayChange={mayChange} onRetry={tryAgain} onDrop={setSelected} />
              )}
              <Row>
                {after === null ? null : <Button onClick={() => setAfter(null)}>{text('firstPage')}</Button>}
                {next === null ? null : <Button onClick={() => setAfter(next)}>{text('nextPage')}</Button>}
              </Row>
            </>
          )}
        </Loaded>
      </Stack>
      {selected === null ? null : <Drop mail={selected} onClose={() => setSelected(null)} />}
    </Card>
  );
}

interface MailsProps {
  mails: readonly Mail[];
  mayChange: boolean;
  onRetry(mail: Mail): void;
  onDrop(mail: Mail): void;
}

function Mails({ mails, mayChange, onRetry, onDrop }: MailsProps) {
  const text = useText('admin/mail-delivery');
  const formats = useFormats();
  const mailKindName = useMailKindName();
  const actions = (mail: Mail): MenuGroup[] => {
    const isOpen = mail.state === 'waiting' || mail.state === 'held';
    return [
      {
        items: [
          ...(isOpen || mail.state === 'refused' ? [{ label: text('retry'), onClick: () => onRetry(mail) }] : []),
          ...(isOpen ? [{ label: text('drop'), isDanger: true, onClick: () => onDrop(mail) }] : []),
        ],
      },
    ];
  };
  const hasActions = mayChange && mails.some(({ state }) => state !== 'sent');
  return (
    <CardTable
      caption={text('queueCaption')}
      isFlowing
      columns={[
        {
          id: 'to',
          header: text('to'),
          cell: ({ to }) => <bdi>{visibleText(to)}</bdi>,
          under: ({ kind }) => mailKindName(kind),
        },
        { id: 'queued', header: text('queuedOn'), small: 'mark', cell: (mail) => formats.dateTime(mail.created_at) },
        { id: 'attempts', header: text('attempts'), isNumeric: true, cell: (mail) => formats.number(mail.attempts) },
        {
          id: 'said',
          header: text('said'),
          small: 'line',
          cell: ({ said }) => (said === '' ? '–' : visibleText(said)),
        },
      ]}
      rows={mails}
      rowName={({ to }) => visibleText(to)}
      {...(hasActions ? { actions } : {})}
    />
  );
}

function Drop({ mail, onClose }: { mail: Mail; onClose: () => void }) {
  const text = useText('admin/mail-delivery');
  const drop = useApiChange('dropMail', ['admin']);
  const go = () =>
    drop.mutate(
      { params: { id: mail.id } },
      {
        onSuccess: () => {
          announce(text('dropped', { to: mail.to }));
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      title={text('dropTitle', { to: visibleText(mail.to) })}
      confirmLabel={text('drop')}
      cancelLabel={text('keep')}
      isDanger
      change={drop}
      onConfirm={go}
      onClose={onClose}
    >
      <p>{text('dropText')}</p>
    </ConfirmDialog>
  );
}
