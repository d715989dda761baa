// What the asker can do about a file request: remind, extend, close, ask again. A refusal is shown where it was pressed.
import { BellRing, CalendarPlus, CircleSlash, RotateCcw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { AppRequestDetailBody } from '#contract/app/file-requests.ts';
import { longDate, shortMoment } from '../../../formats.ts';
import { visibleText } from '../../../visible.ts';
import { useApiChange } from '../../api.ts';
import { addDays } from '../../dates.ts';
import { useMe, useZone } from '../../me.ts';
import { Buttons, Muted, Stack } from '../../parts/columns.tsx';
import { useLocale, useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { DateField } from '../../ui/date-field.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { ProblemNotice } from '../../ui/error-state.tsx';

type Asked = 'extend' | 'close' | 'reopen' | null;

export interface RequestActionsProps {
  request: AppRequestDetailBody;
  /** What was done, to be shown on the screen. */
  onDone: (sentence: string) => void;
}

export function RequestActions({ request, onDone }: RequestActionsProps) {
  const text = useText('file-requests');
  const { can_send_mail: canMail } = useMe();
  const [asked, setAsked] = useState<Asked>(null);
  const reminder = useApiChange('remindRequest', ['requests']);
  const { may, id } = request;
  const person = visibleText(request.recipient);
  const done = (sentence: string) => {
    setAsked(null);
    announce(sentence);
    onDone(sentence);
  };
  const remind = () => reminder.mutate({ params: { id } }, { onSuccess: () => done(text('reminded', { person })) });
  const close = { request, onClose: () => setAsked(null), onDone: done };
  return (
    <Stack>
      <Buttons>
        {may.remind && canMail ? (
          <Button variant="primary" icon={BellRing} isBusy={reminder.isPending} onClick={remind}>
            {text('remind')}
          </Button>
        ) : null}
        {may.reopen ? (
          <Button variant="primary" icon={RotateCcw} onClick={() => setAsked('reopen')}>
            {text('reopen')}
          </Button>
        ) : null}
        {may.extend ? (
          <Button icon={CalendarPlus} onClick={() => setAsked('extend')}>
            {text('extend')}
          </Button>
        ) : null}
        {may.close && request.state !== 'expired' ? (
          <Button icon={CircleSlash} onClick={() => setAsked('close')}>
            {text('close')}
          </Button>
        ) : null}
      </Buttons>
      <ProblemNotice error={reminder.error} />
      <ReminderWords request={request} />
      {asked === 'extend' ? <Extend {...close} /> : null}
      {asked === 'reopen' ? <Reopen {...close} /> : null}
      {asked === 'close' ? <Close {...close} /> : null}
    </Stack>
  );
}

/** When the last one went, and from when on or why the next may not. */
function ReminderWords({ request }: { request: AppRequestDetailBody }) {
  const text = useText('file-requests');
  const locale = useLocale();
  const time_zone = useZone();
  const moment = (instant: string) => shortMoment(locale, time_zone, instant);
  const { sent, most, last_at: lastAt, next_at: nextAt } = request.reminders;
  const isOpen = request.state === 'waiting' || request.state === 'open';
  if (!isOpen) return null;
  const words = [
    ...(lastAt === null ? [] : [text('remindedLast', { n: sent, moment: moment(lastAt) })]),
    ...(nextAt === null
      ? [text('remindNone', { n: most })]
      : request.may.remind
        ? []
        : [text('remindNext', { moment: moment(nextAt) })]),
  ];
  return words.length === 0 ? null : <Muted>{words.join(' ')}</Muted>;
}

interface AskProps {
  request: AppRequestDetailBody;
  onClose: () => void;
  onDone: (sentence: string) => void;
}

interface AskDialogProps {
  title: string;
  goLabel: string;
  isBusy: boolean;
  onGo: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** A question with one more thing to choose before the press. */
function Ask({ title, goLabel, isBusy, onGo, onClose, children }: AskDialogProps) {
  const text = useText('file-requests');
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button variant="primary" isBusy={isBusy} onClick={onGo}>
            {goLabel}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {text('cancel')}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}

function Extend({ request, onClose, onDone }: AskProps) {
  const text = useText('file-requests');
  const locale = useLocale();
  const { today, policy } = useMe();
  const [date, setDate] = useState<string | null>(
    addDays(later(today, request.expires_at), policy.file_request_expiration),
  );
  const change = useApiChange('extendRequest', ['requests']);
  const go = () => {
    if (date === null) return;
    change.mutate(
      { params: { id: request.id }, body: { expires_at: date } },
      { onSuccess: () => onDone(text('extended', { date: longDate(locale, date) })) },
    );
  };
  return (
    <Ask title={text('extendTitle')} goLabel={text('extendGo')} isBusy={change.isPending} onGo={go} onClose={onClose}>
      <DateField
        label={text('newUntil')}
        value={date}
        onChange={setDate}
        today={today}
        max={null}
        problem={date === null ? text('dateMissing') : null}
      />
      <ProblemNotice error={change.error} />
    </Ask>
  );
}

function Reopen({ request, onClose, onDone }: AskProps) {
  const text = useText('file-requests');
  const { today, policy, can_send_mail: canMail } = useMe();
  const [date, setDate] = useState<string | null>(addDays(today, policy.file_request_expiration));
  const [sendsMail, setSendsMail] = useState(canMail);
  const change = useApiChange('reopenRequest', ['requests']);
  const person = visibleText(request.recipient);
  const go = () => {
    if (date === null) return;
    change.mutate(
      { params: { id: request.id }, body: { expires_at: date, send_email: sendsMail } },
      { onSuccess: () => onDone(text(sendsMail ? 'reopened' : 'reopenedQuietly', { person })) },
    );
  };
  return (
    <Ask
      title={text('reopenTitle', { person })}
      goLabel={text('reopenGo')}
      isBusy={change.isPending}
      onGo={go}
      onClose={onClose}
    >
      <p>{text('reopenHelp')}</p>
      <DateField
        label={text('newUntil')}
        value={date}
        onChange={setDate}
        today={today}
        max={null}
        problem={date === null ? text('dateMissing') : null}
      />
      {canMail ? <Checkbox label={text('reopenMail')} checked={sendsMail} onChange={setSendsMail} /> : null}
      <ProblemNotice error={change.error} />
    </Ask>
  );
}

function Close({ request, onClose, onDone }: AskProps) {
  const text = useText('file-requests');
  const change = useApiChange('closeRequest', ['requests']);
  return (
    <ConfirmDialog
      question={text('closeAsk', { person: visibleText(request.recipient) })}
      consequence={text('closeText')}
      keepLabel={text('closeKeep')}
      goLabel={text('close')}
      isOpen
      isBusy={change.isPending}
      problem={<ProblemNotice error={change.error} />}
      onKeep={onClose}
      onGo={() => change.mutate({ params: { id: request.id } }, { onSuccess: () => onDone(text('closed')) })}
    />
  );
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}
