import type { List } from '../../../list.ts';
import { useText } from '../../../texts.ts';
import { FilterChoice, FilterText } from '../../../ui/filters.tsx';
import { GroupFilter } from '../../parts/group-filter.tsx';
import { kinds, stateChoices, useKindName } from './labels.tsx';

const ages = [7, 30, 90, 365];

export function TransferFilters({ list }: { list: List }) {
  const text = useText('admin/transfers');
  const kindName = useKindName();
  const all = text('all');
  return (
    <>
      <FilterText list={list} name="id" label={text('filterId')} hint={text('filterIdHint')} />
      <FilterText list={list} name="person" label={text('filterPerson')} />
      <FilterText list={list} name="recipient" label={text('filterRecipient')} />
      <FilterText list={list} name="domain" label={text('filterDomain')} />
      <GroupFilter list={list} label={text('filterGroup')} allLabel={all} />
      <FilterChoice
        list={list}
        name="kind"
        label={text('what')}
        allLabel={all}
        choices={kinds.map((kind) => ({ value: kind, label: kindName(kind) }))}
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
        name="older_than"
        label={text('filterAge')}
        allLabel={all}
        choices={ages.map((n) => ({ value: String(n), label: text('older', { n }) }))}
      />
    </>
  );
}
