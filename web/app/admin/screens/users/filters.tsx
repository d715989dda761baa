// The filters of the list of people.

import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import type { List } from '../../../list.ts';
import { useText } from '../../../texts.ts';
import { FilterChoice, FilterText } from '../../../ui/filters.tsx';
import { roles, stateChoices, useRoleName } from './words.tsx';

const quietDays = [30, 90, 180, 365];

export function UserFilters({ list }: { list: List }) {
  const text = useText('admin/users');
  const roleName = useRoleName();
  const groups = useApi('listGroups', {});
  const all = text('all');
  return (
    <>
      <FilterText list={list} name="q" label={text('search')} />
      <FilterChoice
        list={list}
        name="group"
        label={text('group')}
        allLabel={all}
        choices={(groups.data?.groups ?? []).map(({ id, name }) => ({ value: id, label: visibleText(name) }))}
      />
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
