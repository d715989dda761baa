// Read from the tracker, so that it survives a reload.

import { Check, CircleAlert, Clock, type LucideIcon, Minus, RotateCcw } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { PersonBody, SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { NamesContext } from '../../../names.ts';
import { PersonName } from '../../../parts/person-name.tsx';
import { Screen } from '../../../parts/screen.tsx';
import { useText } from '../../../texts.ts';
import type { EarlierFile } from '../../../transfers/earlier-files.tsx';
import { announce } from '../../../ui/announcer.tsx';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Note, Row, Stack } from '../../../ui/layout.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { everyMsWhileChecking, FileChecks, isAnyChecked } from '../file-checks.tsx';
import classes from './send.module.css';

interface Props {
  id: string;
  onAgain: (files: EarlierFile[]) => void;
}

export function SendDone({ id, onAgain }: Props) {
  const text = useText('send');
  const formats = useFormats();
  const [isChecking, setChecking] = useState(false);
  const query = useApi('getSentMessage', { params: { id } }, isChecking ? { everyMs: everyMsWhileChecking } : {});
  const message = query.data?.message;
  const hasChecks = message !== undefined && isAnyChecked(message);
  useEffect(() => setChecking(hasChecks), [hasChecks]);
  useArrival();
  const people = message?.people.filter(({ revoked_at }) => revoked_at === null) ?? [];
  const refused = people.filter(({ mail }) => mail.state === 'refused').length;
  const title = text(refused === 0 ? 'sentTitle' : 'sentTitleRefused', {
    n: people.length - refused,
    count: people.length,
  });
  const isInReview = message?.state === 'in_review';
  const lead = isInReview
    ? text('reviewLead')
    : message &&
      text('sentLead', {
        n: message.files.length,
        size: formats.size(message.size),
        date: formats.longDate(message.expires_at),
      });
  return (
    <Screen title={isInReview ? text('reviewTitle') : title} lead={lead}>
      <Loaded query={query}>
        {({ message: known }) => (
          <NamesContext value={known.names}>
            <FileChecks message={known} />
            <Card title={text('people')}>
              <ul>
                {people.map((one) => (
                  <PersonRow key={one.address} messageId={id} person={one} isInReview={isInReview} />
                ))}
              </ul>
            </Card>
          </NamesContext>
        )}
      </Loaded>
      <Row>
        <Button variant="primary" onClick={() => onAgain([])}>
          {text('sendAnother')}
        </Button>
        {message === undefined || message.files.length === 0 ? null : (
          <Button icon={RotateCcw} onClick={() => onAgain(filesOf(message))}>
            {text('sendSame')}
          </Button>
        )}
        <ButtonLink to="/sent/$id" params={{ id }} variant="quiet">
          {text('track')}
        </ButtonLink>
      </Row>
    </Screen>
  );
}

export function filesOf({ files }: SentMessageBody): EarlierFile[] {
  return files
    .filter(({ state }) => state === 'ready' || state === 'checking')
    .map(({ id, filename, size }) => ({ id, name: filename, sizeBytes: size }));
}

/** The content was replaced; move focus to it. */
export function useArrival(isEnabled = true): void {
  useEffect(() => {
    if (isEnabled) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [isEnabled]);
}

interface PersonProps {
  messageId: string;
  person: PersonBody;
  isInReview: boolean;
}

function PersonRow({ messageId, person: one, isInReview }: PersonProps) {
  const text = useText('send');
  const [isFixing, setFixing] = useState(false);
  const { icon, tone, sentence } = useMailStatus(one.mail, isInReview);
  return (
    <li className={classes.person}>
      <Stack gap={2}>
        <span className={classes.address}>
          <PersonName address={one.address} />
        </span>
        <Note as="span" icon={icon} tone={tone}>
          {sentence}
        </Note>
      </Stack>
      {one.mail.state === 'refused' ? (
        <>
          <Button
            size="small"
            aria-label={text('fixName', { address: visibleText(one.address) })}
            onClick={() => setFixing(true)}
          >
            {text('fix')}
          </Button>
          {isFixing ? (
            <FixAddress messageId={messageId} address={one.address} onClose={() => setFixing(false)} />
          ) : null}
        </>
      ) : null}
    </li>
  );
}

type Tone = 'success' | 'warning' | 'danger' | 'muted';

function useMailStatus(
  mail: PersonBody['mail'],
  isInReview: boolean,
): { icon: LucideIcon; tone: Tone; sentence: string } {
  const text = useText('send');
  const { can_send_mail: canMail } = useMe();
  const formats = useFormats();
  const reply = visibleText(mail.server_words);
  switch (mail.state) {
    case 'accepted':
      return { icon: Check, tone: 'success', sentence: text('mailAccepted') };
    case 'refused':
      return {
        icon: CircleAlert,
        tone: 'danger',
        sentence: reply === '' ? text('mailRefusedPlain') : text('mailRefused', { words: reply }),
      };
    case 'deferred':
      return {
        icon: Clock,
        tone: 'warning',
        sentence:
          mail.next_at === null ? text('mailDeferredSoon') : text('mailDeferred', { time: formats.time(mail.next_at) }),
      };
    case 'queued':
      return {
        icon: Clock,
        tone: 'muted',
        sentence: text(isInReview ? 'mailReview' : canMail ? 'mailQueued' : 'mailWaitingForSetup'),
      };
    default:
      return { icon: Minus, tone: 'muted', sentence: text(mail.state === 'none' ? 'mailNone' : 'mailCancelled') };
  }
}

interface FixProps {
  messageId: string;
  address: string;
  onClose: () => void;
}

function FixAddress({ messageId, address, onClose }: FixProps) {
  const text = useText('send');
  const [typed, setTyped] = useState(address);
  const change = useApiChange('correctRecipient', ['messages']);
  const right = typed.trim();
  const onSuccess = () => {
    announce(text('fixedSaid', { address: right }));
    onClose();
  };
  return (
    <ConfirmDialog
      title={text('fixTitle', { address: visibleText(address) })}
      confirmLabel={text('fixGo')}
      cancelLabel={text('fixKeep')}
      change={change}
      isDisabled={right === ''}
      hasInput
      onConfirm={() => change.mutate({ params: { id: messageId, address }, body: { address: right } }, { onSuccess })}
      onClose={onClose}
    >
      <p>{text('fixText')}</p>
      <TextField
        label={text('fixLabel')}
        type="email"
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        spellCheck={false}
        isFocusedFirst
      />
    </ConfirmDialog>
  );
}
