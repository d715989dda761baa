import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { EventBody } from '#contract/admin/events.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import type { List } from '../../../list.ts';
import { useText } from '../../../texts.ts';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import type { Filter } from '../../../ui/filter.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { areas, useActionName, useActorName, useAreaName, useObjectName } from '../../parts/event-names.ts';
import { useFieldNames } from '../../parts/names.ts';
import { EventDetails } from './details.tsx';

const periods = [1, 7, 30, 90, 365];

export function EventsTable({ list }: { list: List }) {
  const text = useText('admin/events');
  const actionName = useActionName();
  const { dateTime } = useFormats();
  const log = useApi('listEvents', { query: list.query }, { keepsLast: true });
  const [shown, setShown] = useState<EventBody | null>(null);
  const { data } = log;
  return (
    <>
      <DataTable
        name="events"
        caption={text('caption')}
        columns={useColumns()}
        list={list}
        query={log}
        rows={data?.events}
        total={data !== undefined && data.next === null && list.page === 1 ? data.events.length : undefined}
        next={data?.next}
        rowName={(event) => `${actionName(event.action)}, ${dateTime(event.at)}`}
        actions={(event) => [{ items: [{ label: text('showDetails'), onClick: () => setShown(event) }] }]}
        filters={useFilters()}
        empty={<EmptyState icon={ScrollText}>{text('empty')}</EmptyState>}
      />
      {shown === null ? null : <EventDetails event={shown} onClose={() => setShown(null)} />}
    </>
  );
}

function useFilters(): Filter[] {
  const text = useText('admin/events');
  const areaName = useAreaName();
  return [
    { name: 'object', label: text('filterObject'), hint: text('filterObjectHint'), isMain: true },
    { name: 'person', label: text('filterPerson') },
    { name: 'action', label: text('what'), choices: areas.map((area) => ({ value: area, label: areaName(area) })) },
    {
      name: 'days',
      label: text('filterDays'),
      choices: periods.map((n) => ({ value: String(n), label: text('lastDays', { n }) })),
    },
  ];
}

function useColumns(): Column<EventBody>[] {
  const text = useText('admin/events');
  const actionName = useActionName();
  const actorName = useActorName();
  const objectName = useObjectName();
  const changesLine = useChangesLine();
  const formats = useFormats();
  return [
    { id: 'what', header: text('what'), cell: ({ action }) => actionName(action), under: changesLine },
    {
      id: 'who',
      header: text('who'),
      width: 'quarter',
      small: 'line',
      cell: (event) => <bdi>{actorName(event)}</bdi>,
      under: ({ remote_ip }) => (remote_ip === '' ? null : <bdi>{remote_ip}</bdi>),
    },
    {
      id: 'object',
      header: text('object'),
      width: 'quarter',
      cell: (event) => <bdi>{objectName(event)}</bdi>,
      under: ({ owner, object_kind }) =>
        owner === null || owner.email === '' || (object_kind === 'user' && owner.name === '') ? null : (
          <bdi>{visibleText(owner.email)}</bdi>
        ),
    },
    { id: 'when', header: text('when'), width: 'mark', small: 'mark', cell: ({ at }) => formats.dateTime(at) },
  ];
}

/** `Largest message: 5 GB → 77 MB`, for the first change. */
function useChangesLine(): (event: EventBody) => string | null {
  const { nameOf, valueText } = useFieldNames();
  return ({ action, changes: [first] }) => {
    if (first === undefined) return null;
    const { field, from, to } = first;
    // The bytes of a download change without a field name.
    const key = field === '' && action.startsWith('download.') ? 'bytes' : field;
    const change = `${valueText(key, from)} → ${valueText(key, to)}`;
    return visibleText(field === '' ? change : `${nameOf(field)}: ${change}`);
  };
}
