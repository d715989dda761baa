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
import { PlainTable } from '../../../ui/plain-table.tsx';
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
  const actions = (mail: Mail) => (
    <Row>
      {mail.state === 'waiting' || mail.state === 'refused' || mail.state === 'held' ? (
        <Button size="small" aria-label={text('retryFor', { to: mail.to })} onClick={() => onRetry(mail)}>
          {text('retry')}
        </Button>
      ) : null}
      {mail.state === 'waiting' || mail.state === 'held' ? (
        <Button size="small" aria-label={text('dropFor', { to: mail.to })} onClick={() => onDrop(mail)}>
          {text('drop')}
        </Button>
      ) : null}
    </Row>
  );
  return (
    <PlainTable
      caption={text('queueCaption')}
      headers={[text('to'), text('queuedOn'), text('attempts'), text('said'), ...(mayChange ? [text('actions')] : [])]}
      rows={mails.map((mail) => ({
        id: mail.id,
        cells: [
          <Stack key="to" gap={2}>
            <bdi>{visibleText(mail.to)}</bdi>
            <Muted as="span">{mailKindName(mail.kind)}</Muted>
          </Stack>,
          formats.dateTime(mail.created_at),
          formats.number(mail.attempts),
          mail.said === '' ? '–' : visibleText(mail.said),
          ...(mayChange ? [actions(mail)] : []),
        ],
      }))}
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
