import { Download } from 'lucide-react';
import type { DownloadFiguresBody, LoggedDownloadBody } from '#contract/admin/downloads.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import type { Filter } from '../../../ui/filter.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { useCountryName } from './country-names.ts';
import type { Scope } from './scope.ts';

interface Props {
  scope: Scope;
  countries: DownloadFiguresBody['countries'];
}

export function DownloadsTable({ scope, countries }: Props) {
  const text = useText('admin/downloads');
  const { dateTime } = useFormats();
  const log = useApi('listDownloadLog', { query: scope.query }, { keepsLast: true });
  const { data } = log;
  const { list } = scope;
  return (
    <DataTable
      name="everybodys-downloads"
      caption={text('table')}
      columns={useColumns()}
      list={list}
      query={log}
      rows={data?.downloads}
      total={data !== undefined && data.next === null && list.page === 1 ? data.downloads.length : undefined}
      next={data?.next}
      rowName={({ owner, at }) => `${visibleText(owner.email)}, ${dateTime(at)}`}
      filters={useFilters(countries)}
      empty={<EmptyState icon={Download}>{text('empty')}</EmptyState>}
    />
  );
}

function useFilters(countries: Props['countries']): Filter[] {
  const text = useText('admin/downloads');
  const countryName = useCountryName();
  return [
    { name: 'recipient', label: text('filterRecipient'), hint: text('filterRecipientHint'), isMain: true },
    { name: 'person', label: text('filterPerson'), hint: text('filterPersonHint') },
    { name: 'object', label: text('filterObject'), hint: text('filterObjectHint') },
    {
      name: 'country',
      label: text('country'),
      choices: countries.map(({ country_code: code }) => ({
        value: code === '' ? 'unknown' : code,
        label: countryName(code),
      })),
    },
  ];
}

const outcomes = { running: 'outcomeRunning', complete: 'outcomeComplete', partial: 'outcomePartial' } as const;

function useColumns(): Column<LoggedDownloadBody>[] {
  const text = useText('admin/downloads');
  const formats = useFormats();
  const countryName = useCountryName();
  return [
    {
      id: 'who',
      header: text('recipient'),
      width: 'third',
      cell: ({ recipient }) => (recipient === '' ? text('somebody') : <bdi>{visibleText(recipient)}</bdi>),
      under: ({ remote_ip, browser }) => <bdi>{visibleText([remote_ip, browser].filter(Boolean).join(', '))}</bdi>,
    },
    {
      id: 'owner',
      header: text('owner'),
      small: 'line',
      cell: ({ owner }) => <bdi>{visibleText(owner.name || owner.email || owner.id)}</bdi>,
      under: ({ object_kind, object_id }) => text(object_kind, { id: object_id }),
    },
    {
      id: 'amount',
      header: text('data'),
      width: 'date',
      isNumeric: true,
      cell: ({ bytes }) => formats.size(bytes),
      under: ({ outcome }) => text(outcomes[outcome]),
    },
    {
      id: 'where',
      header: text('country'),
      cell: ({ country_code }) => countryName(country_code),
      under: ({ city }) => visibleText(city),
    },
    { id: 'when', header: text('when'), width: 'mark', small: 'mark', cell: ({ at }) => formats.dateTime(at) },
  ];
}
