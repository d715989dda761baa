// S2 of the experience brief: to whom it went, and what became of each mail so far, live. Told by the tracker, so it is
// still there after a reload.
import { Check, CircleAlert, Clock, type LucideIcon, Minus, RotateCcw } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { z } from 'zod';
import type { person, sentMessage } from '#contract/app/messages.ts';
import { sizeIn } from '#language/sizes.ts';
import { longDate, timeOfDay } from '../../../../formats.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useZone } from '../../../me.ts';
import { Screen } from '../../../parts/screen.tsx';
import { useLocale, useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorState, ProblemNotice } from '../../../ui/error-state.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import type { EarlierFile } from './draft.ts';
import classes from './send.module.css';

type Person = z.output<typeof person>;
type SentMessage = z.output<typeof sentMessage>;

interface Props {
  id: string;
  /** A new message, with these files or with nothing. */
  onAgain: (files: EarlierFile[]) => void;
}

export function SendDone({ id, onAgain }: Props) {
  const text = useText('send');
  const locale = useLocale();
  const { data, error, refetch } = useApi('getSentMessage', { params: { id } });
  const message = data?.message;
  useArrival();
  const people = message?.people.filter(({ revoked_at }) => revoked_at === null) ?? [];
  const lead = (known: SentMessage) =>
    text('sentLead', {
      n: known.files.length,
      size: sizeIn(locale, known.size),
      date: longDate(locale, known.expires_at),
    });
  return (
    <Screen title={text('sentTitle', { n: people.length })} {...(message === undefined ? {} : { lead: lead(message) })}>
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {message === undefined && !error ? <Skeleton lines={3} /> : null}
      {message === undefined ? null : (
        <Card title={text('people')}>
          <ul className={classes.people}>
            {people.map((one) => (
              <PersonRow key={one.address} messageId={id} person={one} />
            ))}
          </ul>
        </Card>
      )}
      <div className={classes.buttons}>
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
      </div>
    </Screen>
  );
}

export function filesOf({ files }: SentMessage): EarlierFile[] {
  return files
    .filter(({ state }) => state === 'ready' || state === 'checking')
    .map(({ id, filename, size }) => ({ id, name: filename, sizeBytes: size }));
}

/** The page changed under the hand of the person: the focus goes to what is new. */
export function useArrival(isWanted = true): void {
  useEffect(() => {
    if (isWanted) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [isWanted]);
}

function PersonRow({ messageId, person: one }: { messageId: string; person: Person }) {
  const text = useText('send');
  const [isFixing, setFixing] = useState(false);
  const { icon, tone, words } = useMailWords(one.mail);
  return (
    <li className={classes.person}>
      <div className={classes.personWords}>
        <bdi className={classes.address}>{visibleText(one.address)}</bdi>
        <span className={classes.mail} data-tone={tone}>
          <Icon of={icon} sizePx={16} />
          <span>{words}</span>
        </span>
      </div>
      {one.mail.state === 'refused' ? (
        <>
          <Button
            size="small"
            aria-label={text('fixName', { address: visibleText(one.address) })}
            onClick={() => setFixing(true)}
          >
            {text('fix')}
          </Button>
          <FixAddress messageId={messageId} address={one.address} isOpen={isFixing} onClose={() => setFixing(false)} />
        </>
      ) : null}
    </li>
  );
}

function useMailWords(mail: Person['mail']): { icon: LucideIcon; tone: string; words: string } {
  const text = useText('send');
  const locale = useLocale();
  const timeZone = useZone();
  const said = visibleText(mail.server_words);
  switch (mail.state) {
    case 'accepted':
      return { icon: Check, tone: 'success', words: text('mailAccepted') };
    case 'refused':
      return {
        icon: CircleAlert,
        tone: 'danger',
        words: said === '' ? text('mailRefusedPlain') : text('mailRefused', { words: said }),
      };
    case 'deferred':
      return {
        icon: Clock,
        tone: 'warning',
        words:
          mail.next_at === null
            ? text('mailDeferredSoon')
            : text('mailDeferred', { time: timeOfDay(locale, timeZone, mail.next_at) }),
      };
    case 'queued':
      return { icon: Clock, tone: 'plain', words: text('mailQueued') };
    default:
      return { icon: Minus, tone: 'plain', words: text(mail.state === 'none' ? 'mailNone' : 'mailCancelled') };
  }
}

interface FixProps {
  messageId: string;
  address: string;
  isOpen: boolean;
  onClose: () => void;
}

function FixAddress({ messageId, address, isOpen, onClose }: FixProps) {
  const text = useText('send');
  const [typed, setTyped] = useState(address);
  const change = useApiChange('correctRecipient', ['messages']);
  const go = () =>
    change.mutate(
      { params: { id: messageId, address }, body: { address: typed.trim() } },
      {
        onSuccess: () => {
          announce(text('fixedSaid', { address: typed.trim() }));
          onClose();
        },
      },
    );
  return (
    <Dialog
      title={text('fixTitle', { address: visibleText(address) })}
      isOpen={isOpen}
      onClose={onClose}
      holdsWork
      actions={
        <>
          <Button variant="primary" isBusy={change.isPending} isDisabled={typed.trim() === ''} onClick={go}>
            {text('fixGo')}
          </Button>
          <Button onClick={onClose}>{text('fixKeep')}</Button>
        </>
      }
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
        onKeyDown={(event) => {
          if (event.key === 'Enter' && typed.trim() !== '') go();
        }}
      />
      <ProblemNotice error={change.error} />
    </Dialog>
  );
}
