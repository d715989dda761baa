// Offers only what the server would accept.

import type { PersonBody, SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useNames } from '../../../names.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { useCopy } from '../../../ui/copy-field.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Notice, ProblemNotice } from '../../../ui/states.tsx';
import type { TrackerProps } from './dialog-props.ts';
import { useSentFormats } from './sent-formats.ts';

interface Props extends TrackerProps {
  person: PersonBody;
}

/** `names` for a notice outside of the person's row. */
export function MailProblem({ person, message, openDialog, names }: Omit<Props, 'notify'> & { names?: string }) {
  const text = useText('sent');
  const { mail } = person;
  if (mail.state !== 'refused' || person.state === 'revoked') return null;
  const reasons = {
    none: text('problemRefused'),
    unknown_address: text('problemUnknown'),
    mailbox_full: text('problemFull'),
    refused: text('problemRefused'),
    given_up: text('problemGivenUp'),
  };
  return (
    <Notice
      tone="danger"
      title={names === undefined ? reasons[mail.problem] : text('saysProblem', { n: 1, names })}
      action={
        isFixable(person, message) ? (
          <Button size="small" onClick={() => openDialog({ kind: 'correct', address: person.address })}>
            {text('correct')}
          </Button>
        ) : undefined
      }
    >
      {names === undefined ? null : <div>{reasons[mail.problem]}</div>}
      {mail.server_words === '' ? null : text('serverSaid', { words: visibleText(mail.server_words) })}
    </Notice>
  );
}

function useRemind({ person, message, notify }: Omit<Props, 'openDialog'>) {
  const text = useText('sent');
  const formats = useSentFormats();
  const remind = useApiChange('remindRecipients', ['messages']);
  const isAllowed = message.actions.remind.includes(person.address);
  const send = () =>
    remind.mutate(
      { params: { id: message.id }, body: { addresses: [person.address] } },
      { onSuccess: ({ reminded }) => notify(text('reminded', { n: reminded.length, names: formats.names(reminded) })) },
    );
  return { remind, isAllowed, send };
}

/** What the person most likely needs. */
export function QuickAction(props: Props) {
  const { person, message, openDialog } = props;
  const text = useText('sent');
  const formats = useSentFormats();
  const { remind, isAllowed, send } = useRemind(props);
  const { address } = person;
  const needsMore = mayAllowMore(person, message) && person.files.some(({ left, whole }) => left === 0 && !whole);
  if (isFixable(person, message))
    return (
      <Button size="small" variant="quiet" onClick={() => openDialog({ kind: 'correct', address })}>
        {text('correct')}
      </Button>
    );
  if (isAllowed)
    return (
      <>
        <Button
          size="small"
          variant="quiet"
          isBusy={remind.isPending}
          aria-label={text('remindOne', { address: formats.names([address]) })}
          onClick={send}
        >
          {text('remind')}
        </Button>
        <ProblemNotice error={remind.error} />
      </>
    );
  if (!needsMore) return null;
  return (
    <Button size="small" variant="quiet" onClick={() => openDialog({ kind: 'allow', address })}>
      {text('allowMore')}
    </Button>
  );
}

function isFixable(person: PersonBody, message: SentMessageBody): boolean {
  const isRefused = person.mail.state === 'refused' && person.state !== 'revoked';
  return isRefused && message.is_open && person.opened_at === null;
}

export function PersonMenu(props: Props) {
  const { person, message, openDialog, notify } = props;
  const text = useText('sent');
  const { remind, isAllowed, send } = useRemind(props);
  const { copy } = useCopy(text('linkCopied'));
  const resend = useApiChange('resendToRecipient', ['messages']);
  const { address } = person;
  const shown = useNames().of(address);
  const isActive = person.state !== 'revoked';
  const isOpen = message.is_open && isActive;
  const again = () =>
    resend.mutate(
      { params: { id: message.id, address }, body: {} },
      { onSuccess: () => notify(text('resent', { address: shown })) },
    );
  const isMailWaiting = person.mail.state === 'queued' || person.mail.state === 'deferred';
  const helps = [
    ...(isAllowed ? [{ label: text('remind'), onClick: send }] : []),
    ...(isOpen && !isMailWaiting ? [{ label: text('resend'), onClick: again }] : []),
    ...(isOpen && person.opened_at === null
      ? [{ label: text('correct'), onClick: () => openDialog({ kind: 'correct', address }) }]
      : []),
    ...(isOpen && mayAllowMore(person, message)
      ? [{ label: text('allowMore'), onClick: () => openDialog({ kind: 'allow', address }) }]
      : []),
  ];
  const links = isOpen ? [{ label: text('copyLink'), onClick: () => void copy(message.url) }] : [];
  const ends = [
    ...(isActive && message.actions.revoke
      ? [{ label: text('takeAway'), isDanger: true, onClick: () => openDialog({ kind: 'revoke', address }) }]
      : []),
    { label: text('wrongRecipientMenu'), isDanger: true, onClick: () => openDialog({ kind: 'wrong', address }) },
  ];
  return (
    <>
      <Menu
        label={text('actionsFor', { address: shown })}
        groups={[{ items: [...helps, ...links] }, { items: ends }]}
      />
      <ProblemNotice error={resend.error ?? remind.error} />
    </>
  );
}

/** With `authorization` 0 all visitors share one limit. */
function mayAllowMore(person: PersonBody, message: SentMessageBody): boolean {
  const most = message.actions.allow_more_to;
  if (most === null || message.authorization === 0 || person.state === 'revoked') return false;
  return person.download_limit !== null && (most === 0 || person.download_limit < most);
}
