// Offers only what the server would accept.

import type { ReactNode } from 'react';
import type { PersonBody, SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useNames } from '../../../names.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Row } from '../../../ui/layout.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Notice, ProblemNotice } from '../../../ui/states.tsx';
import type { TrackerProps } from './dialog-props.ts';
import classes from './sent.module.css';
import { useSentFormats } from './sent-formats.ts';

interface Props extends TrackerProps {
  person: PersonBody;
}

export function MailProblem({ person, message, openDialog }: Omit<Props, 'notify'>) {
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
  const isFixable = message.is_open && person.opened_at === null;
  return (
    <Notice
      tone="danger"
      title={reasons[mail.problem]}
      action={
        isFixable ? (
          <Button size="small" onClick={() => openDialog({ kind: 'correct', address: person.address })}>
            {text('correct')}
          </Button>
        ) : undefined
      }
    >
      {mail.server_words === '' ? null : text('serverSaid', { words: visibleText(mail.server_words) })}
    </Notice>
  );
}

/** `children` is the button that shows the steps. */
export function StepActions({ person, message, openDialog, notify, children }: Props & { children: ReactNode }) {
  const text = useText('sent');
  const formats = useSentFormats();
  const remind = useApiChange('remindRecipients', ['messages']);
  const mayRemind = message.actions.remind.includes(person.address);
  const needsMore = mayAllowMore(person, message) && person.files.some(({ left, whole }) => left === 0 && !whole);
  const remindPerson = () =>
    remind.mutate(
      { params: { id: message.id }, body: { addresses: [person.address] } },
      { onSuccess: ({ reminded }) => notify(text('reminded', { n: reminded.length, names: formats.names(reminded) })) },
    );
  return (
    <div className={classes.actions}>
      <Row>
        {mayRemind ? (
          <Button
            size="small"
            isBusy={remind.isPending}
            aria-label={text('remindOne', { address: formats.names([person.address]) })}
            onClick={remindPerson}
          >
            {text('remind')}
          </Button>
        ) : null}
        {needsMore ? (
          <Button size="small" onClick={() => openDialog({ kind: 'allow', address: person.address })}>
            {text('allowMore')}
          </Button>
        ) : null}
        {children}
        {remind.error === null ? null : (
          <div className={classes.refusal}>
            <ProblemNotice error={remind.error} />
          </div>
        )}
      </Row>
    </div>
  );
}

export function PersonMenu({ person, message, openDialog, notify }: Props) {
  const text = useText('sent');
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
    ...(isOpen && !isMailWaiting ? [{ label: text('resend'), onClick: again }] : []),
    ...(isOpen && person.opened_at === null
      ? [{ label: text('correct'), onClick: () => openDialog({ kind: 'correct', address }) }]
      : []),
    ...(isOpen && mayAllowMore(person, message)
      ? [{ label: text('allowMore'), onClick: () => openDialog({ kind: 'allow', address }) }]
      : []),
  ];
  const ends = [
    ...(isActive && message.actions.revoke
      ? [{ label: text('takeAway'), isDanger: true, onClick: () => openDialog({ kind: 'revoke', address }) }]
      : []),
    { label: text('wrongRecipientMenu'), isDanger: true, onClick: () => openDialog({ kind: 'wrong', address }) },
  ];
  return (
    <>
      <Menu label={text('actionsFor', { address: shown })} groups={[{ items: helps }, { items: ends }]} />
      {resend.error === null ? null : (
        <div className={classes.refusal}>
          <ProblemNotice error={resend.error} />
        </div>
      )}
    </>
  );
}

/** With `authorization` 0 all visitors share one limit. */
function mayAllowMore(person: PersonBody, message: SentMessageBody): boolean {
  const most = message.actions.allow_more_to;
  if (most === null || message.authorization === 0 || person.state === 'revoked') return false;
  return person.download_limit !== null && (most === 0 || person.download_limit < most);
}
