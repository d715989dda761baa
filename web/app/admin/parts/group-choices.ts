import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import type { Choice } from '../../ui/choice.tsx';

/** The groups that the user may see; empty while loading. */
export function useGroupChoices(): Choice<string>[] {
  const groups = useApi('listGroups', {});
  return (groups.data?.groups ?? []).map(({ id, name }) => ({ value: id, label: visibleText(name) }));
}
