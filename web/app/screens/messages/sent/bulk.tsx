// Stopping or extending several sent messages at once. Each is asked for by itself: one refusal leaves the others done,
// and is told with its reason.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SentItemBody } from '#contract/app/messages.ts';
import { call } from '../../../api.ts';
import { addDays } from '../../../dates.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { DateField } from '../../../ui/date-field.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx';
import { useSentenceOf } from '../../../ui/error-state.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useSentWords } from './words.ts';

export type BulkKind = 'stop' | 'extend';

export interface BulkAsk {
  kind: BulkKind;
  items: readonly SentItemBody[];
}

export interface BulkResult {
  sentence: string;
  refused: { id: string; sentence: string }[];
}

interface Props extends BulkAsk {
  onClose: () => void;
  onDone: (result: BulkResult) => void;
}

export function BulkDialog({ kind, items, onClose, onDone }: Props) {
  const common = { items, onClose, onDone };
  return kind === 'stop' ? <StopMany {...common} /> : <ExtendMany {...common} />;
}

/** One after the other: the server is not flooded, and the order is that of the list. */
function useEach(items: readonly SentItemBody[]) {
  const text = useText('sent');
  const words = useSentWords();
  const sentenceOf = useSentenceOf();
  const known = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const run = async (change: (item: SentItemBody) => Promise<unknown>) => {
    setBusy(true);
    const refused: BulkResult['refused'] = [];
    for (const item of items) {
      try {
        await change(item);
      } catch (error) {
        const reason = sentenceOf(error);
        const sentence = text('bulkReason', { subject: words.subject(item.subject), reason });
        refused.push({ id: item.id, sentence });
      }
    }
    await known.invalidateQueries({ queryKey: ['messages'] });
    return { refused, done: items.length - refused.length };
  };
  return { isBusy, run };
}

function StopMany({ items, onClose, onDone }: Omit<Props, 'kind'>) {
  const text = useText('sent');
  const words = useSentWords();
  const { isBusy, run } = useEach(items);
  const go = async () => {
    const { refused, done } = await run(({ id }) => call('revokeMessage', { params: { id }, body: {} }));
    onDone({ refused, sentence: text('bulkStopped', { n: done }) });
  };
  const subject = words.subject(items[0]?.subject ?? '');
  return (
    <ConfirmDialog
      isOpen
      question={text('bulkStopQuestion', { n: items.length, subject })}
      consequence={text(items.length === 1 ? 'stopConsequence' : 'bulkStopConsequence')}
      keepLabel={text('stopKeep')}
      goLabel={text('stop')}
      isBusy={isBusy}
      onKeep={onClose}
      onGo={() => void go()}
    />
  );
}

const usualDays = 14;

function ExtendMany({ items, onClose, onDone }: Omit<Props, 'kind'>) {
  const text = useText('sent');
  const words = useSentWords();
  const { today, policy } = useMe();
  const { isBusy, run } = useEach(items);
  const mostDays = policy.message_can_change_expiration
    ? policy.message_max_expiration
    : policy.message_default_expiration;
  const latest = addDays(today, mostDays);
  const [date, setDate] = useState<string | null>(addDays(today, Math.min(usualDays, mostDays)));
  const go = async () => {
    if (date === null) return;
    const { refused, done } = await run(({ id }) =>
      call('extendMessage', { params: { id }, body: { expires_at: date } }),
    );
    onDone({ refused, sentence: text('bulkExtended', { n: done, date: words.day(date) }) });
  };
  const subject = words.subject(items[0]?.subject ?? '');
  return (
    <Dialog
      title={text('bulkExtendTitle', { n: items.length, subject })}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button variant="primary" isBusy={isBusy} isDisabled={date === null} onClick={() => void go()}>
            {text('extend')}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {text('cancel')}
          </Button>
        </>
      }
    >
      <p>{text('bulkExtendHelp')}</p>
      <DateField label={text('extendUntil')} value={date} onChange={setDate} today={today} max={latest} />
    </Dialog>
  );
}

/** Above the list, until it is dismissed. */
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
