// The state in sentences, why it ended, and the main actions.

import { Link2 } from 'lucide-react';
import type { SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { useCopy } from '../../../ui/copy-field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { Menu, type MenuItem } from '../../../ui/menu.tsx';
import { Notice, ProblemNotice } from '../../../ui/states.tsx';
import type { TrackerProps } from './dialog-props.ts';
import { StatePill } from './pills.tsx';
import classes from './sent.module.css';
import { useSentFormats } from './sent-formats.ts';

interface Props extends TrackerProps {
  sentences: string[];
  notice: string | null;
}

export function SentSummary({ message, sentences, notice, openDialog, notify }: Props) {
  const text = useText('sent');
  const remind = useApiChange('remindRecipients', ['messages']);
  const { state, copy } = useCopy(text('linkCopied'));
  return (
    <Card>
      <Stack>
        <Row isSpread>
          <StatePill item={{ ...message, file_count: message.files.length }} />
          {message.is_open ? <More message={message} openDialog={openDialog} /> : null}
        </Row>
        <Review message={message} />
        <Ended message={message} />
        {sentences.length === 0 ? null : (
          <p className={classes.sentences}>
            {sentences.map((sentence) => (
              <span key={sentence}>{sentence} </span>
            ))}
          </p>
        )}
        <div className={classes.summaryActions}>
          <Row>
            <Remind message={message} remind={remind} notify={notify} />
            {message.actions.extend_to === null ? null : (
              <Button
                variant={isExtendFirst(message) ? 'primary' : 'secondary'}
                onClick={() => openDialog({ kind: 'extend' })}
              >
                {text('extend')}
              </Button>
            )}
            {message.is_open ? (
              <Button icon={Link2} onClick={() => void copy(message.url)}>
                {text(state === 'copied' ? 'copiedLink' : 'copyLink')}
              </Button>
            ) : null}
            {message.is_open && message.actions.revoke ? (
              <Button variant="danger" onClick={() => openDialog({ kind: 'stop' })}>
                {text('stop')}
              </Button>
            ) : null}
            {!message.is_open && message.actions.delete_files ? (
              <Button variant="danger" onClick={() => openDialog({ kind: 'delete' })}>
                {text('deleteFiles')}
              </Button>
            ) : null}
          </Row>
        </div>
        {state === 'failed' ? <Notice tone="warning">{text('copyLinkFailed')}</Notice> : null}
        <ProblemNotice error={remind.error} />
        {notice === null ? null : (
          <Notice tone="success" onDismiss={() => notify(null)}>
            {notice}
          </Notice>
        )}
      </Stack>
    </Card>
  );
}

/** Whether the primary button is Extend instead of Remind. */
function isExtendFirst(message: SentMessageBody): boolean {
  return (
    message.actions.remind.length === 0 &&
    (message.state === 'ending' || (message.state === 'expired' && message.files_state === 'going'))
  );
}

type RemindChange = ReturnType<typeof useApiChange<'remindRecipients'>>;

function Remind({ message, remind, notify }: Pick<Props, 'message' | 'notify'> & { remind: RemindChange }) {
  const text = useText('sent');
  const formats = useSentFormats();
  const whom = message.actions.remind;
  if (whom.length === 0) return null;
  const go = () =>
    remind.mutate(
      { params: { id: message.id }, body: { addresses: whom } },
      { onSuccess: ({ reminded }) => notify(text('reminded', { n: reminded.length, names: formats.names(reminded) })) },
    );
  return (
    <Button variant="primary" isBusy={remind.isPending} onClick={go}>
      {whom.length === 1 ? text('remindOne', { address: formats.names(whom) }) : text('remindMany', { n: whom.length })}
    </Button>
  );
}

function More({ message, openDialog }: Pick<Props, 'message' | 'openDialog'>) {
  const text = useText('sent');
  const { actions } = message;
  const items: MenuItem[] = [];
  if (actions.add_recipient) items.push({ label: text('addRecipient'), onClick: () => openDialog({ kind: 'add' }) });
  if (actions.allow_more_to !== null)
    items.push({ label: text('allowMore'), onClick: () => openDialog({ kind: 'allow' }) });
  const ends: MenuItem[] = actions.delete_files
    ? [{ label: text('deleteFiles'), isDanger: true, onClick: () => openDialog({ kind: 'delete' }) }]
    : [];
  if (items.length + ends.length === 0) return null;
  return <Menu label={text('moreActions')} groups={[{ items }, { items: ends }]} />;
}

/** Until a second person has decided, or if they refused. */
function Review({ message: { review } }: { message: SentMessageBody }) {
  const text = useText('sent');
  const formats = useSentFormats();
  if (review?.state === 'waiting') return <Notice title={text('reviewTitle')}>{text('reviewText')}</Notice>;
  if (review?.state !== 'refused' || review.decided_at === null) return null;
  return (
    <Notice tone="danger" title={text('endedRefused', { date: formats.longDate(formats.dayOf(review.decided_at)) })}>
      {text('refusedReason', { reason: visibleText(review.reason ?? '') })}
    </Notice>
  );
}

function Ended({ message }: { message: SentMessageBody }) {
  const text = useText('sent');
  const formats = useSentFormats();
  if (message.is_open || message.ended_at === null || message.state === 'refused') return null;
  const isExpired = message.state === 'expired';
  const rest = {
    none: text('endedNoFiles'),
    kept: text('endedNoFiles'),
    going: text(isExpired && message.actions.extend_to !== null ? 'endedGoingExtend' : 'endedGoing'),
    deleted: text('endedDeleted'),
  };
  return (
    <Notice
      title={
        isExpired
          ? text('endedExpired', { date: formats.longDate(message.expires_at) })
          : text('endedStopped', { date: formats.longDate(formats.dayOf(message.ended_at)) })
      }
    >
      {rest[message.files_state]}
    </Notice>
  );
}
