import { useState } from 'react';
import { useApiChange } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Checkbox } from '../../../ui/choice.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { PasswordField, TextField } from '../../../ui/field.tsx';
import { Notice, problemAt } from '../../../ui/states.tsx';
import { GroupChoice } from './profile.tsx';

function useNewPerson(onAdded: (sentence: string) => void) {
  const text = useText('admin/users');
  const { can_send_mail: canMail } = useMe();
  const change = useApiChange('createUser', ['admin']);
  const [person, setPerson] = useState({ email: '', name: '', group: 'local-users', password: '' });
  const [isInvited, setInvited] = useState(canMail);
  const add = () => {
    const { password, ...known } = person;
    const entry = isInvited ? { invite: true } : password === '' ? {} : { password };
    const onSuccess = () => {
      const sentence = text(isInvited ? 'invitedSaid' : 'addedSaid', { email: person.email });
      announce(sentence);
      onAdded(sentence);
    };
    change.mutate({ body: { user: { ...known, ...entry } } }, { onSuccess });
  };
  const set = (field: keyof typeof person) => (value: string) => setPerson({ ...person, [field]: value });
  return { person, set, isInvited, setInvited, canMail, add, change };
}

export function NewPerson({ onClose, onAdded }: { onClose: () => void; onAdded: (sentence: string) => void }) {
  const text = useText('admin/users');
  const { person, set, isInvited, setInvited, canMail, add, change } = useNewPerson(onAdded);
  const { email, name, group, password } = person;
  const problem = (field: string) => problemAt(change.error, field);
  return (
    <ConfirmDialog
      title={text('addTitle')}
      confirmLabel={text(isInvited ? 'invite' : 'add')}
      change={change}
      fields={['email', 'name', 'group', 'password']}
      hasInput={email !== '' || name !== ''}
      isDisabled={email.trim() === ''}
      onConfirm={add}
      onClose={onClose}
    >
      <TextField
        label={text('email')}
        type="email"
        value={email}
        onChange={set('email')}
        problem={problem('email')}
        autoComplete="off"
        isFocusedFirst
      />
      <TextField
        label={text('name')}
        isOptional
        value={name}
        onChange={set('name')}
        problem={problem('name')}
        autoComplete="off"
      />
      <GroupChoice person={null} value={group} onChange={set('group')} problem={problem('group')} />
      {canMail ? (
        <Checkbox label={text('inviteByMail')} help={text('inviteHelp')} checked={isInvited} onChange={setInvited} />
      ) : (
        <Notice tone="info">{text('mailOff')}</Notice>
      )}
      {isInvited ? null : (
        <PasswordField
          label={text('firstPassword')}
          help={text('firstPasswordHelp')}
          isOptional
          autoComplete="new-password"
          value={password}
          onChange={set('password')}
          problem={problem('password')}
        />
      )}
    </ConfirmDialog>
  );
}
