import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import type { Recipient } from '../../../ui/recipients.ts';
import { problemAt } from '../../../ui/states.tsx';
import { Receivers } from './receivers.tsx';

export function NewDrop({ onClose }: { onClose: () => void }) {
  const text = useText('admin/filedrops');
  const navigate = useNavigate();
  const create = useApiChange('createSystemDrop', ['admin']);
  const [title, setTitle] = useState('');
  const [typedName, setTypedName] = useState<string | null>(null);
  const [receivers, setReceivers] = useState<Recipient[]>([]);
  const name = typedName ?? addressOf(title);
  const problem = (field: string) => problemAt(create.error, field);
  const add = () =>
    create.mutate(
      { body: { filedrop: { title, name, receivers: receivers.map(({ address }) => address) } } },
      {
        onSuccess: ({ filedrop: { id } }) => {
          announce(text('created'));
          void navigate({ to: '/admin/drop-pages/$id', params: { id } });
        },
      },
    );
  return (
    <ConfirmDialog
      title={text('new')}
      confirmLabel={text('create')}
      change={create}
      fields={['title', 'name', 'receivers']}
      hasInput={title !== '' || receivers.length > 0}
      onConfirm={add}
      onClose={onClose}
    >
      <TextField
        label={text('name')}
        help={text('nameHelp')}
        value={title}
        onChange={setTitle}
        problem={problem('title')}
        autoComplete="off"
        isFocusedFirst
      />
      <TextField
        label={text('address')}
        help={text('addressHelp')}
        value={name}
        onChange={setTypedName}
        problem={problem('name')}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <Receivers value={receivers} onChange={setReceivers} problem={problem('receivers')} />
    </ConfirmDialog>
  );
}

/** `Accounts payable (EU)` → `accounts-payable-eu`. */
function addressOf(title: string): string {
  return title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/-+$/, '');
}
