// Name, address, group and aliases of somebody. Only what was changed is sent.
import { useState } from 'react';
import type { PersonDetailBody } from '#contract/admin/user-actions.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Select } from '../../../ui/choice.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { SavedMark, useSaved } from '../../../ui/saved-mark.tsx';
import { Notice, ProblemNotice, problemAt } from '../../../ui/states.tsx';

const shownAtFields = ['name', 'email', 'group', 'sender_aliases', 'recipient_aliases', 'reason'];

interface Draft {
  name: string;
  email: string;
  group: string;
  senders: string;
  recipients: string;
  reason: string;
}

function draftOf(person: PersonDetailBody): Draft {
  const aliases = (is: 'is_sender' | 'is_recipient') =>
    person.addresses
      .filter((one) => !one.is_own && one[is])
      .map(({ address }) => address)
      .join('\n');
  return {
    name: person.name,
    email: person.email,
    group: person.group.id,
    senders: aliases('is_sender'),
    recipients: aliases('is_recipient'),
    reason: '',
  };
}

const linesOf = (text: string) =>
  text
    .split(/[\s,;]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

export function Profile({ person }: { person: PersonDetailBody }) {
  const text = useText('admin/users');
  const saved = useSaved();
  const before = draftOf(person);
  const [draft, setDraft] = useState(before);
  const change = useApiChange('changeUser', ['admin']);
  const set = (field: keyof Draft) => (value: string) => setDraft({ ...draft, [field]: value });
  const differs = (field: keyof Draft) => draft[field] !== before[field];
  const changesAddresses = differs('email') || differs('senders') || differs('recipients');
  const isChanged = changesAddresses || differs('name') || differs('group');
  const save = () => {
    const user = {
      ...(differs('name') ? { name: draft.name } : {}),
      ...(differs('email') ? { email: draft.email } : {}),
      ...(differs('group') ? { group: draft.group } : {}),
      ...(differs('senders') ? { sender_aliases: linesOf(draft.senders) } : {}),
      ...(differs('recipients') ? { recipient_aliases: linesOf(draft.recipients) } : {}),
      ...(changesAddresses && draft.reason.trim() !== '' ? { reason: draft.reason } : {}),
    };
    change.mutate({ params: { id: person.id }, body: { user } }, { onSuccess: saved.note });
  };
  const problem = (field: string) => problemAt(change.error, field);
  const isShown = shownAtFields.some((field) => problem(field) !== null);
  return (
    <Card title={text('profile')} actions={<SavedMark isShown={saved.isShown} />}>
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
            <TextField
              label={text('reason')}
              help={text('reasonHelp')}
              isOptional
              value={draft.reason}
              onChange={set('reason')}
              problem={problem('reason')}
            />
          </>
        ) : null}
        {isShown ? null : <ProblemNotice error={change.error} />}
        <Row>
          <Button variant="primary" isDisabled={!isChanged} isBusy={change.isPending} onClick={save}>
            {text('save')}
          </Button>
          {isChanged ? (
            <Button variant="quiet" onClick={() => setDraft(before)}>
              {text('undo')}
            </Button>
          ) : null}
        </Row>
      </Stack>
    </Card>
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
