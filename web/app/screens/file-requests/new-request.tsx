// The form for a new file request, in a drawer or on a page; with "Get a link instead", the links that came of it.
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { dayOf, longDate } from '../../../formats.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { useMe, useZone } from '../../me.ts';
import { FormBar } from '../../parts/form-bar.tsx';
import { ShareCode } from '../../parts/share-code.tsx';
import { useLocale, useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { DateField } from '../../ui/date-field.tsx';
import { ProblemNotice } from '../../ui/error-state.tsx';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RecipientsInput } from '../../ui/recipients-input.tsx';
import classes from './file-requests.module.css';
import { type NewRequestForm, peopleFieldId } from './new-request-form.ts';

interface Props {
  form: NewRequestForm;
  isPage?: boolean;
  onClose: () => void;
  onSent: (people: string[]) => void;
}

export function NewRequest({ form, isPage = false, onClose, onSent }: Props) {
  const text = useText('file-requests');
  const { can_send_mail: canMail } = useMe();
  const { created, isLink, busy, error, mistakes } = form;
  if (isLink) return <RequestLinks form={form} isPage={isPage} onClose={onClose} />;
  return (
    <div className={classes.form} data-page={isPage}>
      <ErrorSummary mistakes={mistakes} />
      <KeptDraft form={form} />
      {canMail ? null : <Notice>{text('mailOff')}</Notice>}
      <Fields form={form} />
      <ProblemNotice error={error} />
      {error !== null && created.length > 0 ? (
        <p className={classes.note}>{text('someSent', { n: created.length })}</p>
      ) : null}
      <FormBar>
        {canMail ? (
          <Button variant="primary" isBusy={busy === 'mail'} onClick={() => form.press('mail', onSent)}>
            {text('send')}
          </Button>
        ) : null}
        <Button
          variant={canMail ? 'secondary' : 'primary'}
          isBusy={busy === 'link'}
          onClick={() => form.press('link', onSent)}
        >
          {text('getLink')}
        </Button>
        {isPage ? null : (
          <Button variant="quiet" onClick={onClose}>
            {text('cancel')}
          </Button>
        )}
      </FormBar>
    </div>
  );
}

function KeptDraft({ form }: { form: NewRequestForm }) {
  const text = useText('file-requests');
  const locale = useLocale();
  const time_zone = useZone();
  if (form.kept === null) return null;
  const day = longDate(locale, dayOf(time_zone, new Date(form.kept.keptAt).toISOString()));
  return (
    <Notice
      action={
        <div className={classes.buttons}>
          <Button size="small" onClick={form.takeUp}>
            {text('continue')}
          </Button>
          <Button size="small" variant="quiet" onClick={form.discard}>
            {text('discard')}
          </Button>
        </div>
      }
    >
      {text('draft', { day })}
    </Notice>
  );
}

function Fields({ form: { draft, set, mistakes } }: { form: NewRequestForm }) {
  const text = useText('file-requests');
  const { today, policy, limits, can_send_mail: canMail } = useMe();
  const [typed, setTyped] = useState('');
  const people = useApi('listContacts', { query: { q: typed } }, { isWanted: typed.length > 1, keepsLast: true });
  return (
    <>
      <RecipientsInput
        id={peopleFieldId}
        label={text('from')}
        help={text('fromHelp')}
        value={draft.people}
        onChange={(next) => set({ people: next })}
        onType={setTyped}
        suggestions={people.data?.people ?? []}
        problem={draft.people.length === 0 ? mistakes[0]?.sentence : undefined}
      />
      <TextField
        label={text('subject')}
        help={text('subjectHelp')}
        isOptional
        value={draft.subject}
        onChange={(subject) => set({ subject })}
        maxLength={limits.max_subject_bytes}
      />
      <TextArea
        label={text('message')}
        rows={9}
        value={draft.message}
        onChange={(message) => set({ message })}
        isOptional
      />
      <DateField
        label={text('until')}
        value={draft.until}
        onChange={(until) => {
          if (until !== null) set({ until });
        }}
        today={today}
        max={null}
      />
      {policy.file_request_multiuse_can_change ? (
        <Checkbox
          label={text('multiuse')}
          help={text('multiuseHelp')}
          checked={draft.isReusable}
          onChange={(isReusable) => set({ isReusable })}
        />
      ) : (
        <p className={classes.note}>
          {text('locked', { rule: text(policy.file_request_multiuse ? 'lockedMany' : 'lockedOnce') })}
        </p>
      )}
      {canMail ? (
        <Checkbox label={text('copyMe')} checked={draft.hasCopy} onChange={(hasCopy) => set({ hasCopy })} />
      ) : null}
    </>
  );
}

function RequestLinks({ form, isPage, onClose }: { form: NewRequestForm; isPage: boolean; onClose: () => void }) {
  const text = useText('file-requests');
  const locale = useLocale();
  const ref = useRef<HTMLDivElement>(null);
  const [first] = form.created;
  useEffect(() => ref.current?.focus(), []);
  return (
    <div className={classes.form} data-page={isPage} ref={ref} tabIndex={-1}>
      <Notice tone="success">{text('linkInfo', { date: longDate(locale, first?.until ?? form.draft.until) })}</Notice>
      {form.created.map(({ id, person, url }) => (
        <CopyField
          key={id}
          label={text('linkFor', { person: visibleText(person) })}
          value={url}
          said={text('linkCopied')}
        />
      ))}
      {form.created.length === 1 && first !== undefined ? (
        <>
          <ShareCode address={first.url} title={text('detailTitle')} />
          <p>
            <Link to="/requests/$id" params={{ id: first.id }}>
              {text('seeRequest')}
            </Link>
          </p>
        </>
      ) : null}
      <FormBar>
        <Button variant="primary" onClick={onClose}>
          {text('done')}
        </Button>
        <Button variant="quiet" onClick={form.startOver}>
          {text('another')}
        </Button>
      </FormBar>
    </div>
  );
}
