import type { List } from '../../../list.ts';
import { useText } from '../../../texts.ts';
import { FilterChoice, FilterText } from '../../../ui/filters.tsx';
import { GroupFilter } from '../../parts/group-filter.tsx';
import { roles, stateChoices, useRoleName } from './labels.tsx';

const quietDays = [30, 90, 180, 365];

export function UserFilters({ list }: { list: List }) {
  const text = useText('admin/users');
  const roleName = useRoleName();
  const all = text('all');
  return (
    <>
      <FilterText list={list} name="q" label={text('search')} />
      <GroupFilter list={list} label={text('group')} allLabel={all} />
      <FilterChoice
        list={list}
        name="role"
        label={text('role')}
        allLabel={all}
        choices={roles.map((role) => ({ value: role, label: roleName(role) }))}
      />
      <FilterChoice
        list={list}
        name="state"
        label={text('state')}
        allLabel={all}
        choices={stateChoices.map(({ value, label }) => ({ value, label: text(label) }))}
      />
      <FilterChoice
        list={list}
        name="seen"
        label={text('seen')}
        allLabel={all}
        choices={[
          { value: 'never', label: text('seenNever') },
          ...quietDays.map((n) => ({ value: String(n), label: text('seenDays', { n }) })),
        ]}
      />
    </>
  );
}
