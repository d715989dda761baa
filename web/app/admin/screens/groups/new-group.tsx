import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { Select } from '../../../ui/choice.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { problemAt } from '../../../ui/states.tsx';
import { keysOf, sections } from '../../parts/group-settings.ts';
import type { GroupBody } from './draft.ts';

const identity = ['name', 'role', 'match_domains', 'match_groups'];

export function NewGroup({ groups, onClose }: { groups: readonly GroupBody[]; onClose: () => void }) {
  const text = useText('admin/groups');
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [from, setFrom] = useState('');
  const create = useApiChange('createGroup', ['admin']);
  const model = groups.find(({ id }) => id === from);
  const copied = sections.flatMap(({ rows }) => rows.flatMap(keysOf)).filter((key) => !identity.includes(key));
  const settings = model === undefined ? {} : Object.fromEntries(copied.map((key) => [key, model[key]]));
  return (
    <ConfirmDialog
      title={text('newGroup')}
      confirmLabel={text('create')}
      change={create}
      fields={['name']}
      isDisabled={name.trim() === ''}
      hasInput={name !== ''}
      onConfirm={() =>
        create.mutate(
          { body: { group: { ...settings, name } } },
          { onSuccess: ({ group }) => void navigate({ to: '/admin/groups/$id', params: { id: group.id } }) },
        )
      }
      onClose={onClose}
    >
      <TextField
        label={text('name')}
        value={name}
        onChange={setName}
        problem={problemAt(create.error, 'name')}
        isFocusedFirst
      />
      <Select
        label={text('from')}
        value={from}
        choices={[
          { value: '', label: text('fromDefault') },
          ...groups.map((group) => ({ value: group.id, label: visibleText(group.name) })),
        ]}
        onChange={setFrom}
      />
    </ConfirmDialog>
  );
}
