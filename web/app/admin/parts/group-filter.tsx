import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import type { List } from '../../list.ts';
import type { Choice } from '../../ui/choice.tsx';
import { FilterChoice } from '../../ui/filters.tsx';

export function GroupFilter({ list, label, allLabel }: { list: List; label: string; allLabel: string }) {
  return <FilterChoice list={list} name="group" label={label} allLabel={allLabel} choices={useGroupChoices()} />;
}

/** The groups that the user may see; empty while loading. */
export function useGroupChoices(): Choice<string>[] {
  const groups = useApi('listGroups', {});
  return (groups.data?.groups ?? []).map(({ id, name }) => ({ value: id, label: visibleText(name) }));
}
