import type { PersonDetailBody } from '#contract/admin/user-actions.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Select } from '../../../ui/choice.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { SavedMark } from '../../../ui/saved-mark.tsx';
import { Notice, ProblemNotice } from '../../../ui/states.tsx';
import { ReasonField } from '../../parts/reason.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import { type ProfileForm, useProfile } from './profile-form.ts';

export function Profile({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  const form = useProfile(person);
  const { draft, set, problem } = form;
  return (
    <Card title={text('profile')} actions={<SavedMark isShown={form.isSaved} />}>
      <Stack as="form">
        <TextField
          label={text('name')}
          value={draft.name}
          onChange={set('name')}
          problem={problem('name')}
          autoComplete="off"
        />
        <TextField
          label={text('email')}
          type="email"
          value={draft.email}
          onChange={set('email')}
          problem={problem('email')}
          autoComplete="off"
        />
        <GroupChoice person={person} value={draft.group} onChange={set('group')} problem={problem('group')} />
        <Aliases form={form} />
        <ProblemNotice error={form.error} />
        <Row>
          <Button variant="primary" isDisabled={!form.isChanged} isBusy={form.isBusy} onClick={form.save}>
            {text('save')}
          </Button>
          {form.isChanged ? (
            <Button variant="quiet" onClick={form.undo}>
              {text('undo')}
            </Button>
          ) : null}
        </Row>
      </Stack>
      <Unsaved isChanged={form.isChanged} />
    </Card>
  );
}

function Aliases({ form: { draft, set, problem, changesAddresses } }: { form: ProfileForm }) {
  const text = useText('admin/users');
  return (
    <>
      <TextArea
        label={text('senderAliases')}
        help={text('senderAliasesHelp')}
        isOptional
        rows={2}
        value={draft.senders}
        onChange={set('senders')}
        problem={problem('sender_aliases')}
      />
      <TextArea
        label={text('recipientAliases')}
        help={text('recipientAliasesHelp')}
        isOptional
        rows={2}
        value={draft.recipients}
        onChange={set('recipients')}
        problem={problem('recipient_aliases')}
      />
      {changesAddresses ? (
        <>
          <Notice tone="info">{text('addressesNeedProof')}</Notice>
          <ReasonField isOptional value={draft.reason} onChange={set('reason')} problem={problem('reason')} />
        </>
      ) : null}
    </>
  );
}

interface GroupProps {
  person: Pick<PersonDetailBody, 'group'> | null;
  value: string;
  onChange: (group: string) => void;
  problem?: string | null;
}

export function GroupChoice({ person, value, onChange, problem }: GroupProps) {
  const text = useText('admin/users');
  const groups = useApi('listGroups', {}).data?.groups ?? (person === null ? [] : [person.group]);
  return (
    <Select
      label={text('group')}
      help={person === null ? undefined : text('groupHelp')}
      choices={groups.map(({ id, name }) => ({ value: id, label: visibleText(name) }))}
      value={value}
      onChange={onChange}
      isSearchable={groups.length > 10}
      problem={problem}
    />
  );
}
