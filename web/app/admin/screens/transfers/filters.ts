import { useText } from '../../../texts.ts';
import type { Filter } from '../../../ui/filter.ts';
import { useGroupChoices } from '../../parts/group-choices.ts';
import { kinds, stateChoices, useKindName } from './labels.tsx';

const ages = [7, 30, 90, 365];

export function useTransferFilters(): Filter[] {
  const text = useText('admin/transfers');
  const kindName = useKindName();
  return [
    { name: 'id', label: text('filterId'), hint: text('filterIdHint'), isMain: true },
    {
      name: 'state',
      label: text('state'),
      choices: stateChoices.map(({ value, label }) => ({ value, label: text(label) })),
    },
    { name: 'kind', label: text('what'), choices: kinds.map((kind) => ({ value: kind, label: kindName(kind) })) },
    { name: 'group', label: text('filterGroup'), choices: useGroupChoices() },
    { name: 'person', label: text('filterPerson') },
    { name: 'recipient', label: text('filterRecipient') },
    { name: 'domain', label: text('filterDomain') },
    {
      name: 'older_than',
      label: text('filterAge'),
      choices: ages.map((n) => ({ value: String(n), label: text('older', { n }) })),
    },
  ];
}
