import { useState } from 'react';
import type { TransferBody } from '#contract/admin/transfers.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { addDays, laterOf } from '../../../dates.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { DateField } from '../../../ui/date-field.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Muted } from '../../../ui/layout.tsx';
import { problemAt } from '../../../ui/states.tsx';
import { ReasonDialog, ReasonField } from '../../parts/reason.tsx';
import { useRowName } from './labels.tsx';

export interface OpenDialog {
  what: 'stop' | 'extend' | 'handOver' | 'subject';
  transfer: TransferBody;
}

interface Props {
  transfer: TransferBody;
  onClose: () => void;
  onDone: (sentence: string) => void;
}

const dialogs = { stop: Stop, extend: Extend, handOver: HandOver, subject: Subject };

export function TransferDialog({ dialog, ...rest }: { dialog: OpenDialog } & Omit<Props, 'transfer'>) {
  const ActionDialog = dialogs[dialog.what];
  return <ActionDialog transfer={dialog.transfer} {...rest} />;
}

function Stop({ transfer, onClose, onDone }: Props) {
  const text = useText('admin/transfers');
  const rowName = useRowName();
  const [reason, setReason] = useState('');
  const change = useApiChange('stopTransfer', ['admin']);
  const go = () =>
    change.mutate(
      { params: { reference: transfer.reference }, body: { reason } },
      { onSuccess: () => onDone(text('stopped')) },
    );
  return (
    <ConfirmDialog
      isDanger
      title={text('stopTitle')}
      confirmLabel={text('stop')}
      cancelLabel={text('keep')}
      change={change}
      onConfirm={go}
      onClose={onClose}
    >
      <Muted>{rowName(transfer)}</Muted>
      <p>{text('stopText')}</p>
      <ReasonField isOptional value={reason} onChange={setReason} />
    </ConfirmDialog>
  );
}

function Extend({ transfer, onClose, onDone }: Props) {
  const text = useText('admin/transfers');
  const formats = useFormats();
  const { today } = useMe();
  const [date, setDate] = useState<string | null>(addDays(laterOf(today, transfer.expires_at), 7));
  const [reason, setReason] = useState('');
  const change = useApiChange('extendTransfer', ['admin']);
  const go = () => {
    if (date === null) return;
    const onSuccess = () => onDone(text('extended', { date: formats.longDate(date) }));
    change.mutate({ params: { reference: transfer.reference }, body: { expires_at: date, reason } }, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={text('extendTitle')}
      confirmLabel={text('extend')}
      change={change}
      fields={['expires_at']}
      onConfirm={go}
      onClose={onClose}
    >
      <DateField
        label={text('newUntil')}
        value={date}
        onChange={setDate}
        today={today}
        max={null}
        problem={problemAt(change.error, 'expires_at')}
      />
      <ReasonField isOptional value={reason} onChange={setReason} />
    </ConfirmDialog>
  );
}

function HandOver({ transfer, onClose, onDone }: Props) {
  const text = useText('admin/transfers');
  const [to, setTo] = useState('');
  const [reason, setReason] = useState('');
  const change = useApiChange('handOverTransfer', ['admin']);
  const go = () => {
    const onSuccess = () => onDone(text('handedOver', { person: visibleText(to.trim()) }));
    change.mutate({ params: { reference: transfer.reference }, body: { to, reason } }, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={text('handOverTitle')}
      confirmLabel={text('handOver')}
      change={change}
      fields={['to']}
      onConfirm={go}
      onClose={onClose}
    >
      <p>{text('handOverHelp')}</p>
      <TextField
        label={text('heir')}
        type="email"
        autoComplete="off"
        isFocusedFirst
        value={to}
        onChange={setTo}
        problem={problemAt(change.error, 'to')}
      />
      <ReasonField isOptional value={reason} onChange={setReason} />
    </ConfirmDialog>
  );
}

function Subject({ transfer, onClose }: Props) {
  const text = useText('admin/transfers');
  const change = useApiChange('readTransferSubject', []);
  if (change.data !== undefined) {
    const { subject } = change.data;
    return (
      <Dialog title={text('subject')} onClose={onClose} actions={<Button onClick={onClose}>{text('close')}</Button>}>
        <p>{subject === '' ? text('noSubject') : <bdi>{visibleText(subject)}</bdi>}</p>
      </Dialog>
    );
  }
  return (
    <ReasonDialog
      title={text('subjectTitle')}
      confirmLabel={text('subjectGo')}
      change={change}
      onConfirm={(reason) => change.mutate({ params: { reference: transfer.reference }, body: { reason } })}
      onClose={onClose}
    >
      <p>{text('subjectText')}</p>
    </ReasonDialog>
  );
}
