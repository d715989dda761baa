import { Download, ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { EventBody } from '#contract/admin/events.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useCursorList } from '../../../cursor-list.ts';
import { useFormats } from '../../../formats.ts';
import { basePath } from '../../../host-page.ts';
import { useText } from '../../../texts.ts';
import { ButtonAnchor } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import type { Filter } from '../../../ui/filter.ts';
import { Row, Stack } from '../../../ui/layout.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useFieldNames } from '../../parts/names.ts';
import { EventDetails } from './details.tsx';
import { areas, useActionName, useActorName, useAreaName, useObjectName } from './event-names.ts';

const filterNames = ['object', 'person', 'action', 'days'] as const;
const periods = [1, 7, 30, 90, 365];

export function EventsTable() {
  const text = useText('admin/events');
  const actionName = useActionName();
  const { dateTime } = useFormats();
  const list = useCursorList({ filters: filterNames, sort: '-at' });
  const log = useApi('listEvents', { query: list.query }, { keepsLast: true });
  const [shown, setShown] = useState<EventBody | null>(null);
  const { data } = log;
  return (
    <Stack>
      <Row>
        <ButtonAnchor icon={Download} href={`${basePath}/admin/events/export?${new URLSearchParams(list.filters)}`}>
          {text('export')}
        </ButtonAnchor>
      </Row>
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
    </Stack>
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
    { id: 'when', header: text('when'), width: 'date', small: 'mark', cell: ({ at }) => formats.dateTime(at) },
  ];
}

/** `Largest message: 5 GB → 77 MB`, for the first change. */
function useChangesLine(): (event: EventBody) => string | null {
  const { nameOf, valueText } = useFieldNames();
  return ({ changes: [first] }) => {
    if (first === undefined) return null;
    const { field, from, to } = first;
    const change = `${valueText(field, from)} → ${valueText(field, to)}`;
    return visibleText(field === '' ? change : `${nameOf(field)}: ${change}`);
  };
}
