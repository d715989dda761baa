import { BellRing, CalendarPlus, CircleSlash, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { AppRequestDetailBody } from '#contract/app/file-requests.ts';
import { useApiChange } from '../../api.ts';
import { addDays, laterOf } from '../../dates.ts';
import { useFormats } from '../../formats.ts';
import { useMe } from '../../me.ts';
import { useNames } from '../../names.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { DateField } from '../../ui/date-field.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Muted, Row, Stack } from '../../ui/layout.tsx';
import { ProblemNotice } from '../../ui/states.tsx';

interface Props {
  request: AppRequestDetailBody;
  onDone: (sentence: string) => void;
}

const dialogs = { extend: Extend, reopen: Reopen, close: Close };

export function RequestActions({ request, onDone }: Props) {
  const text = useText('file-requests');
  const { can_send_mail: canMail } = useMe();
  const [openDialog, setOpenDialog] = useState<keyof typeof dialogs | null>(null);
  const reminder = useApiChange('remindRequest', ['requests']);
  const { may, id } = request;
  const person = useNames().of(request.recipient);
  const done = (sentence: string) => {
    setOpenDialog(null);
    announce(sentence);
    onDone(sentence);
  };
  const remind = () => reminder.mutate({ params: { id } }, { onSuccess: () => done(text('reminded', { person })) });
  const OpenDialog = openDialog === null ? null : dialogs[openDialog];
  return (
    <Stack>
      <Row>
        {may.remind && canMail ? (
          <Button variant="primary" icon={BellRing} isBusy={reminder.isPending} onClick={remind}>
            {text('remind')}
          </Button>
        ) : null}
        {may.reopen ? (
          <Button variant="primary" icon={RotateCcw} onClick={() => setOpenDialog('reopen')}>
            {text('reopen')}
          </Button>
        ) : null}
        {may.extend ? (
          <Button icon={CalendarPlus} onClick={() => setOpenDialog('extend')}>
            {text('extend')}
          </Button>
        ) : null}
        {may.close && request.state !== 'expired' ? (
          <Button icon={CircleSlash} onClick={() => setOpenDialog('close')}>
            {text('close')}
          </Button>
        ) : null}
      </Row>
      <ProblemNotice error={reminder.error} />
      <ReminderText request={request} />
      {OpenDialog === null ? null : <OpenDialog request={request} onClose={() => setOpenDialog(null)} onDone={done} />}
    </Stack>
  );
}

function ReminderText({ request }: { request: AppRequestDetailBody }) {
  const text = useText('file-requests');
  const { dateTime } = useFormats();
  const { sent, most, last_at: lastAt, next_at: nextAt } = request.reminders;
  if (request.state !== 'waiting' && request.state !== 'open') return null;
  const last = lastAt === null ? '' : text('remindedLast', { n: sent, moment: dateTime(lastAt) });
  const next = nextAt === null ? text('remindNone', { n: most }) : text('remindNext', { moment: dateTime(nextAt) });
  const sentence = request.may.remind && nextAt !== null ? last : `${last} ${next}`.trim();
  return sentence === '' ? null : <Muted>{sentence}</Muted>;
}

interface ConfirmProps extends Props {
  onClose: () => void;
}

function UntilField({ value, onChange }: { value: string | null; onChange: (date: string | null) => void }) {
  const text = useText('file-requests');
  const problem = value === null ? text('dateMissing') : null;
  const { today } = useMe();
  return (
    <DateField label={text('newUntil')} value={value} onChange={onChange} today={today} max={null} problem={problem} />
  );
}

function Extend({ request, onClose, onDone }: ConfirmProps) {
  const text = useText('file-requests');
  const formats = useFormats();
  const { today, policy } = useMe();
  const [date, setDate] = useState<string | null>(
    addDays(laterOf(today, request.expires_at), policy.file_request_expiration),
  );
  const change = useApiChange('extendRequest', ['requests']);
  const go = () => {
    if (date === null) return;
    const onSuccess = () => onDone(text('extended', { date: formats.longDate(date) }));
    change.mutate({ params: { id: request.id }, body: { expires_at: date } }, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={text('extendTitle')}
      confirmLabel={text('extendGo')}
      change={change}
      onConfirm={go}
      onClose={onClose}
    >
      <UntilField value={date} onChange={setDate} />
    </ConfirmDialog>
  );
}

function Reopen({ request, onClose, onDone }: ConfirmProps) {
  const text = useText('file-requests');
  const { today, policy, can_send_mail: canMail } = useMe();
  const [date, setDate] = useState<string | null>(addDays(today, policy.file_request_expiration));
  const [sendsMail, setSendsMail] = useState(canMail);
  const change = useApiChange('reopenRequest', ['requests']);
  const person = useNames().of(request.recipient);
  const go = () => {
    if (date === null) return;
    const onSuccess = () => onDone(text(sendsMail ? 'reopened' : 'reopenedQuietly', { person }));
    const body = { expires_at: date, send_email: sendsMail };
    change.mutate({ params: { id: request.id }, body }, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={text('reopenTitle', { person })}
      confirmLabel={text('reopenGo')}
      change={change}
      onConfirm={go}
      onClose={onClose}
    >
      <p>{text('reopenHelp')}</p>
      <UntilField value={date} onChange={setDate} />
      {canMail ? <Checkbox label={text('reopenMail')} checked={sendsMail} onChange={setSendsMail} /> : null}
    </ConfirmDialog>
  );
}

function Close({ request, onClose, onDone }: ConfirmProps) {
  const text = useText('file-requests');
  const names = useNames();
  const change = useApiChange('closeRequest', ['requests']);
  return (
    <ConfirmDialog
      isDanger
      title={text('closeAsk', { person: names.of(request.recipient) })}
      cancelLabel={text('closeKeep')}
      confirmLabel={text('close')}
      change={change}
      onConfirm={() => change.mutate({ params: { id: request.id } }, { onSuccess: () => onDone(text('closed')) })}
      onClose={onClose}
    >
      {text('closeText')}
    </ConfirmDialog>
  );
}
