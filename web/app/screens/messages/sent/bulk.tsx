// Separate calls, so that a refusal does not affect the others.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SentItemBody } from '#contract/app/messages.ts';
import { call } from '../../../api.ts';
import { addDays } from '../../../dates.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { DateField } from '../../../ui/date-field.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Notice, useSentenceOf } from '../../../ui/states.tsx';
import { usualDays } from './extend-dialog.tsx';
import { useSentFormats } from './sent-formats.ts';

export interface BulkDialogState {
  kind: 'stop' | 'extend';
  items: readonly SentItemBody[];
}

export interface BulkResult {
  sentence: string;
  refused: { id: string; sentence: string }[];
}

interface Props extends BulkDialogState {
  onClose: () => void;
  onDone: (result: BulkResult) => void;
}

export function BulkDialog(props: Props) {
  return props.kind === 'stop' ? <StopMany {...props} /> : <ExtendMany {...props} />;
}

function useEach(items: readonly SentItemBody[]) {
  const text = useText('sent');
  const formats = useSentFormats();
  const sentenceOf = useSentenceOf();
  const known = useQueryClient();
  const [isPending, setPending] = useState(false);
  const run = async (change: (item: SentItemBody) => Promise<unknown>) => {
    setPending(true);
    const refused: BulkResult['refused'] = [];
    for (const item of items) {
      try {
        await change(item);
      } catch (error) {
        const reason = sentenceOf(error);
        const sentence = text('bulkReason', { subject: formats.subject(item.subject), reason });
        refused.push({ id: item.id, sentence });
      }
    }
    await known.invalidateQueries({ queryKey: ['messages'] });
    return { refused, done: items.length - refused.length };
  };
  return { change: { isPending, error: null }, run };
}

function StopMany({ items, onClose, onDone }: Props) {
  const text = useText('sent');
  const formats = useSentFormats();
  const { change, run } = useEach(items);
  const go = async () => {
    const { refused, done } = await run(({ id }) => call('revokeMessage', { params: { id }, body: {} }));
    onDone({ refused, sentence: text('bulkStopped', { n: done }) });
  };
  const subject = formats.subject(items[0]?.subject ?? '');
  return (
    <ConfirmDialog
      isDanger
      title={text('bulkStopQuestion', { n: items.length, subject })}
      cancelLabel={text('stopKeep')}
      confirmLabel={text('stop')}
      change={change}
      onConfirm={() => void go()}
      onClose={onClose}
    >
      {text(items.length === 1 ? 'stopConsequence' : 'bulkStopConsequence')}
    </ConfirmDialog>
  );
}

function ExtendMany({ items, onClose, onDone }: Props) {
  const text = useText('sent');
  const formats = useSentFormats();
  const { today, policy } = useMe();
  const { change, run } = useEach(items);
  const mostDays = policy.message_can_change_expiration
    ? policy.message_max_expiration
    : policy.message_default_expiration;
  const latest = addDays(today, mostDays);
  const [date, setDate] = useState<string | null>(addDays(today, Math.min(usualDays, mostDays)));
  const go = async (expires_at: string) => {
    const { refused, done } = await run(({ id }) => call('extendMessage', { params: { id }, body: { expires_at } }));
    onDone({ refused, sentence: text('bulkExtended', { n: done, date: formats.longDate(expires_at) }) });
  };
  const subject = formats.subject(items[0]?.subject ?? '');
  return (
    <ConfirmDialog
      title={text('bulkExtendTitle', { n: items.length, subject })}
      confirmLabel={text('extend')}
      change={change}
      isDisabled={date === null}
      onConfirm={() => void (date === null ? null : go(date))}
      onClose={onClose}
    >
      <p>{text('bulkExtendHelp')}</p>
      <DateField label={text('extendUntil')} value={date} onChange={setDate} today={today} max={latest} />
    </ConfirmDialog>
  );
}

export function BulkNotice({ result, onDismiss }: { result: BulkResult; onDismiss: () => void }) {
  const text = useText('sent');
  const hasRefused = result.refused.length > 0;
  return (
    <Notice tone={hasRefused ? 'warning' : 'success'} title={result.sentence} onDismiss={onDismiss}>
      {hasRefused ? (
        <>
          {text('bulkFailed', { n: result.refused.length })}
          <ul>
            {result.refused.map(({ id, sentence }) => (
              <li key={id}>{sentence}</li>
            ))}
          </ul>
        </>
      ) : null}
    </Notice>
  );
}
