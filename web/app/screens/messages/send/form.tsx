// Checks rules before sending, and shows the server's sentences unchanged.

import { useRef, useState } from 'react';
import { ClientProblem } from '#contract/client.ts';
import { regional } from '#language/locale.ts';
import { useFormats } from '../../../formats.ts';
import { useMe, useZone } from '../../../me.ts';
import { Screen } from '../../../parts/screen.tsx';
import { useText } from '../../../texts.ts';
import { isRunning } from '../../../transfers/running.ts';
import { transfers, useTransfers } from '../../../transfers/transfers.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { ErrorSummary, invalidFieldsIn, type Mistake } from '../../../ui/error-summary.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/states.tsx';
import { NoMail, SendActions } from './actions.tsx';
import { SendDelivery } from './delivery.tsx';
import { useArrival } from './done.tsx';
import type { Draft } from './draft.ts';
import { SendFiles } from './files.tsx';
import { fieldOf, mistakesIn, sendFields } from './mistakes.ts';
import { changeDraft, continueOffer, discardOffer, dispatch, type Outgoing, type SendMethod } from './outgoing.ts';
import { type RefusalOf, SendPeople, useRefusals } from './people.tsx';
import { RichTextField } from './rich-text-field.tsx';
import classes from './send.module.css';
import { refusedOf, WithoutRefused } from './without-refused.tsx';

const noMistakes: Mistake[] = [];

interface Props {
  outgoing: Outgoing;
  /** It replaced another screen while the user was on it. */
  takesFocus: boolean;
}

export function SendForm({ outgoing, takesFocus }: Props) {
  const text = useText('send');
  const me = useMe();
  const { draft, phase, offer, awaited } = outgoing;
  const refusalOf = useRefusals(draft);
  const { mistakes, submit, dialog } = useSending(outgoing, refusalOf);
  const refused = useRefusedField(outgoing);
  useArrival(takesFocus);
  const shown = mistakes.length > 0 ? mistakes : refused;
  const isLocked = phase.is !== 'writing';
  const isLinkOnly = !me.can_send_mail;
  const problemOf = (fieldId: string) => shown.find((one) => one.fieldId === fieldId)?.sentence ?? null;
  return (
    <Screen title={text('title')}>
      {isLinkOnly ? <NoMail draft={draft} /> : null}
      {offer === null || isLocked ? null : <Offer offer={offer} />}
      <ErrorSummary mistakes={shown} />
      <div className={classes.columns}>
        <div className={classes.left}>
          <fieldset className={classes.form} disabled={isLocked}>
            <SendPeople
              draft={draft}
              refusalOf={refusalOf}
              problem={peopleProblem(problemOf(sendFields.people), draft.to.length)}
              isOptional={isLinkOnly}
            />
            <SubjectAndText draft={draft} isLocked={isLocked} problemOf={problemOf} />
          </fieldset>
          <SendFiles draft={draft} awaited={awaited} isLocked={isLocked} />
        </div>
        <div className={classes.right}>
          <fieldset className={classes.side} disabled={isLocked}>
            <SendDelivery draft={draft} isLinkOnly={isLinkOnly} />
          </fieldset>
          <SendActions
            outgoing={outgoing}
            isLinkOnly={isLinkOnly}
            showsProblem={refused.length === 0}
            onClick={submit}
          />
        </div>
      </div>
      {dialog}
    </Screen>
  );
}

function useSending({ draft, awaited }: Outgoing, refusalOf: RefusalOf) {
  const text = useText('send');
  const ui = useText('ui');
  const me = useMe();
  const { files } = useTransfers('send');
  const [mistakes, setMistakes] = useState(noMistakes);
  const [pendingMethod, setPendingMethod] = useState<SendMethod | null>(null);
  const refused = refusedOf(files);
  const go = (method: SendMethod) => {
    setPendingMethod(null);
    for (const { id } of refused) transfers().remove(id);
    if (files.some(isRunning)) announce(text('waitingSaid'));
    dispatch(method);
  };
  const submit = (method: SendMethod) => {
    const facts = { draft, me, files, awaited, refusalOf, size: transfers().texts.size };
    const found = [...mistakesIn(facts, method, text, ui), ...invalidFieldsIn(document)];
    setMistakes(found);
    if (found.length > 0) return;
    if (refused.length > 0) setPendingMethod(method);
    else go(method);
  };
  const fileCount = files.filter(({ state }) => state !== 'not-allowed').length + draft.earlier.length;
  const close = () => setPendingMethod(null);
  const dialog =
    pendingMethod === null || refused.length === 0 ? null : (
      <WithoutRefused
        method={pendingMethod}
        refused={refused}
        fileCount={fileCount}
        onConfirm={() => go(pendingMethod)}
        onClose={close}
      />
    );
  return { mistakes, submit, dialog };
}

interface TextProps {
  draft: Draft;
  isLocked: boolean;
  problemOf: (fieldId: string) => string | null;
}

function SubjectAndText({ draft, isLocked, problemOf }: TextProps) {
  const text = useText('send');
  const { policy } = useMe();
  const message = { id: sendFields.text, label: text('message'), problem: problemOf(sendFields.text) };
  return (
    <>
      <TextField
        id={sendFields.subject}
        label={text('subject')}
        value={draft.subject}
        onChange={(subject) => changeDraft({ subject })}
        problem={problemOf(sendFields.subject)}
        autoComplete="off"
      />
      {policy.message_can_use_html ? (
        <RichTextField {...message} isLocked={isLocked} written={draft} onChange={changeDraft} />
      ) : (
        <TextArea {...message} isOptional value={draft.text} onChange={(text) => changeDraft({ text, html: '' })} />
      )}
    </>
  );
}

/** The field shows refused addresses while they are in it. */
function peopleProblem(sentence: string | null, count: number): string | null {
  return count === 0 ? sentence : null;
}

/** A refusal of a field goes to the summary, which gets the focus. */
function useRefusedField({ phase }: Outgoing): Mistake[] {
  const problem = phase.is === 'writing' ? phase.problem : null;
  const known = useRef<{ problem: unknown; mistakes: Mistake[] }>({ problem: null, mistakes: noMistakes });
  if (known.current.problem !== problem) {
    const fieldId = problem instanceof ClientProblem ? fieldOf(problem.field) : null;
    const mistakes =
      problem instanceof ClientProblem && fieldId !== null ? [{ fieldId, sentence: problem.sentence }] : [];
    known.current = { problem, mistakes };
  }
  return known.current.mistakes;
}

function Offer({ offer }: { offer: NonNullable<Outgoing['offer']> }) {
  const text = useText('send');
  const { locale, dayOf, time } = useFormats();
  const timeZone = useZone();
  const instant = new Date(offer.keptAt).toISOString();
  const isToday = dayOf(instant) === dayOf(new Date().toISOString());
  const day = new Intl.DateTimeFormat(regional(locale), { weekday: 'long', timeZone }).format(offer.keptAt);
  return (
    <Notice
      title={isToday ? text('offerToday', { time: time(instant) }) : text('offerDay', { day })}
      action={
        <>
          <Button size="small" onClick={() => void continueOffer()}>
            {text('continue')}
          </Button>
          <Button size="small" variant="quiet" onClick={discardOffer}>
            {text('discard')}
          </Button>
        </>
      }
    >
      {offer.fileCount === 0 ? null : text('offerFiles', { n: offer.fileCount })}
    </Notice>
  );
}
