import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { useFormats } from '../../formats.ts';
import { useMe } from '../../me.ts';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { DateField } from '../../ui/date-field.tsx';
import { DrawerForm } from '../../ui/drawer.tsx';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Muted } from '../../ui/layout.tsx';
import { ShareCode } from '../../ui/qr-code.tsx';
import { RecipientsInput } from '../../ui/recipients-input.tsx';
import { Notice, ProblemNotice } from '../../ui/states.tsx';
import { type NewRequestForm, peopleFieldId } from './new-request-form.ts';

interface Props {
  form: NewRequestForm;
  isPage?: boolean;
  onClose: () => void;
  onSent: (people: string[]) => void;
}

export function NewRequest({ form, isPage = false, onClose, onSent }: Props) {
  const text = useText('file-requests');
  const ui = useText('ui');
  const { can_send_mail: canMail } = useMe();
  const { created, isLink, busy, error, mistakes } = form;
  if (isLink) return <CreatedLinks form={form} isPage={isPage} onClose={onClose} />;
  return (
    <DrawerForm
      isPage={isPage}
      actions={
        <>
          {isPage ? null : (
            <Button variant="quiet" onClick={onClose}>
              {ui('cancel')}
            </Button>
          )}
          <Button
            variant={canMail ? 'secondary' : 'primary'}
            isBusy={busy === 'link'}
            onClick={() => form.submit('link', onSent)}
          >
            {text('getLink')}
          </Button>
          {canMail ? (
            <Button variant="primary" isBusy={busy === 'mail'} onClick={() => form.submit('mail', onSent)}>
              {text('send')}
            </Button>
          ) : null}
        </>
      }
    >
      <ErrorSummary mistakes={mistakes} />
      <StoredDraft form={form} />
      {canMail ? null : <Notice>{text('mailOff')}</Notice>}
      <Fields form={form} />
      <ProblemNotice error={error} />
      {error !== null && created.length > 0 ? <Muted>{text('someSent', { n: created.length })}</Muted> : null}
    </DrawerForm>
  );
}

function StoredDraft({ form }: { form: NewRequestForm }) {
  const text = useText('file-requests');
  const formats = useFormats();
  if (form.stored === null) return null;
  const day = formats.longDate(formats.dayOf(new Date(form.stored.keptAt).toISOString()));
  return (
    <Notice
      action={
        <>
          <Button size="small" onClick={form.restore}>
            {text('continue')}
          </Button>
          <Button size="small" variant="quiet" onClick={form.discard}>
            {text('discard')}
          </Button>
        </>
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
  const people = useApi('listContacts', { query: { q: typed } }, { isEnabled: typed.length > 1, keepsLast: true });
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
        <Muted>{text('locked', { rule: text(policy.file_request_multiuse ? 'lockedMany' : 'lockedOnce') })}</Muted>
      )}
      {canMail ? (
        <Checkbox label={text('copyMe')} checked={draft.hasCopy} onChange={(hasCopy) => set({ hasCopy })} />
      ) : null}
    </>
  );
}

function CreatedLinks({ form, isPage, onClose }: Required<Omit<Props, 'onSent'>>) {
  const text = useText('file-requests');
  const ui = useText('ui');
  const formats = useFormats();
  const [first, ...others] = form.created;
  return (
    <DrawerForm
      isPage={isPage}
      isResult
      actions={
        <>
          <Button variant="quiet" onClick={form.startOver}>
            {text('another')}
          </Button>
          <Button variant="primary" onClick={onClose}>
            {ui('done')}
          </Button>
        </>
      }
    >
      <Notice tone="success">{text('linkInfo', { date: formats.longDate(first?.until ?? form.draft.until) })}</Notice>
      {form.created.map(({ id, person, name, url }) => (
        <CopyField
          key={id}
          label={text('linkFor', { person: visibleText(name || person) })}
          value={url}
          announcement={text('linkCopied')}
        />
      ))}
      {first === undefined || others.length > 0 ? null : (
        <>
          <ShareCode address={first.url} title={text('detailTitle')} />
          <p>
            <Link to="/requests/$id" params={{ id: first.id }}>
              {text('seeRequest')}
            </Link>
          </p>
        </>
      )}
    </DrawerForm>
  );
}
