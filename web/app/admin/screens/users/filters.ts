import { useText } from '../../../texts.ts';
import type { Filter } from '../../../ui/filter.ts';
import { useGroupChoices } from '../../parts/group-choices.ts';
import { roles, stateChoices, useRoleName } from './labels.tsx';

const quietDays = [30, 90, 180, 365];

export function useUserFilters(): Filter[] {
  const text = useText('admin/users');
  const roleName = useRoleName();
  return [
    { name: 'q', label: text('search'), isMain: true },
    { name: 'group', label: text('group'), choices: useGroupChoices() },
    { name: 'role', label: text('role'), choices: roles.map((role) => ({ value: role, label: roleName(role) })) },
    {
      name: 'state',
      label: text('state'),
      choices: stateChoices.map(({ value, label }) => ({ value, label: text(label) })),
    },
    {
      name: 'seen',
      label: text('seen'),
      choices: [
        { value: 'never', label: text('seenNever') },
        ...quietDays.map((n) => ({ value: String(n), label: text('seenDays', { n }) })),
      ],
    },
  ];
}
