import { Download, ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { EventBody } from '#contract/admin/events.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useCursorList } from '../../../cursor-list.ts';
import { useFormats } from '../../../formats.ts';
import { basePath } from '../../../host-page.ts';
import type { List } from '../../../list.ts';
import { useText } from '../../../texts.ts';
import { ButtonAnchor } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { FilterChoice, FilterText } from '../../../ui/filters.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { EventDetails } from './details.tsx';
import { areas, useActionName, useActorName, useAreaName, valueText } from './event-names.ts';

const filters = ['object', 'person', 'action', 'days'] as const;
const periods = [1, 7, 30, 90, 365];

export function EventsTable() {
  const text = useText('admin/events');
  const actionName = useActionName();
  const { dateTime } = useFormats();
  const list = useCursorList({ filters, sort: '-at' });
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
        filters={<EventFilters list={list} />}
        empty={<EmptyState icon={ScrollText}>{text('empty')}</EmptyState>}
      />
      {shown === null ? null : <EventDetails event={shown} onClose={() => setShown(null)} />}
    </Stack>
  );
}

function EventFilters({ list }: { list: List }) {
  const text = useText('admin/events');
  const areaName = useAreaName();
  const all = text('all');
  return (
    <>
      <FilterText list={list} name="object" label={text('filterObject')} hint={text('filterObjectHint')} />
      <FilterText list={list} name="person" label={text('filterPerson')} />
      <FilterChoice
        list={list}
        name="action"
        label={text('what')}
        allLabel={all}
        choices={areas.map((area) => ({ value: area, label: areaName(area) }))}
      />
      <FilterChoice
        list={list}
        name="days"
        label={text('filterDays')}
        allLabel={all}
        choices={periods.map((n) => ({ value: String(n), label: text('lastDays', { n }) }))}
      />
    </>
  );
}

function useColumns(): Column<EventBody>[] {
  const text = useText('admin/events');
  const actionName = useActionName();
  const actorName = useActorName();
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
      cell: ({ object_id }) => <bdi>{visibleText(object_id)}</bdi>,
      under: ({ owner }) => (owner === null || owner.email === '' ? null : <bdi>{visibleText(owner.email)}</bdi>),
    },
    { id: 'when', header: text('when'), width: 'date', small: 'mark', cell: ({ at }) => formats.dateTime(at) },
  ];
}

/** `message_max_size: 5120 → 77`, for the first change. */
function changesLine({ changes: [first] }: EventBody): string | null {
  if (first === undefined) return null;
  const change = `${valueText(first.from)} → ${valueText(first.to)}`;
  return visibleText(first.field === '' ? change : `${first.field}: ${change}`);
}
