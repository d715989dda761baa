// The caller's file requests as a table, with their state as the filter.
import { Link } from '@tanstack/react-router';
import { Copy, FolderOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AppRequestBody } from '#contract/app/file-requests.ts';
import { dayOf } from '../../../formats.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { dateText } from '../../dates.ts';
import type { List } from '../../list.ts';
import { useZone } from '../../me.ts';
import { ListSearch } from '../../parts/list-search.tsx';
import { type TextKey, useLocale, useText } from '../../texts.ts';
import { Select } from '../../ui/choice.tsx';
import { useCopy } from '../../ui/copy-field.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import classes from './file-requests.module.css';
import { RequestState, requestStates, useRequestName } from './state.tsx';

const filterNames: Record<(typeof requestStates)[number], TextKey<'file-requests'>> = {
  waiting: 'filterWaiting',
  open: 'filterOpen',
  received: 'filterReceived',
  expired: 'filterExpired',
  closed: 'filterClosed',
  used: 'filterUsed',
};

interface Props {
  list: List;
  empty: ReactNode;
  onOpen: (id: string) => void;
}

export function RequestsTable({ list, empty, onOpen }: Props) {
  const text = useText('file-requests');
  const nameOf = useRequestName();
  const requests = useApi('listAppRequests', { query: list.query }, { keepsLast: true });
  const { copy } = useCopy(text('linkCopied'));
  const columns = useColumns();
  const isBare = requests.data?.total === 0 && !list.isFiltered;
  return (
    <>
      {isBare ? null : <Filters list={list} />}
      <DataTable
        name="requests"
        caption={text('caption')}
        columns={columns}
        rows={requests.data?.items}
        total={requests.data?.total}
        isStale={requests.isPlaceholderData}
        list={list}
        rowId={({ id }) => id}
        rowName={(request) => visibleText(nameOf(request))}
        error={requests.error}
        onRetry={() => void requests.refetch()}
        empty={empty}
        actions={(request) => [
          {
            items: [
              { label: text('open'), icon: FolderOpen, onPress: () => onOpen(request.id) },
              { label: text('copyLink'), icon: Copy, onPress: () => void copy(request.url) },
            ],
          },
        ]}
      />
    </>
  );
}

function Filters({ list }: { list: List }) {
  const text = useText('file-requests');
  return (
    <div className={classes.filters}>
      <ListSearch list={list} label={text('search')} />
      <Select
        label={text('stateFilter')}
        choices={[
          { value: 'all', label: text('all') },
          ...requestStates.map((state) => ({ value: state, label: text(filterNames[state]) })),
        ]}
        value={list.filters.state ?? 'all'}
        onChange={(state) => list.filter({ state: state === 'all' ? undefined : state })}
      />
    </div>
  );
}

function useColumns(): readonly Column<AppRequestBody>[] {
  const text = useText('file-requests');
  const locale = useLocale();
  const nameOf = useRequestName();
  const time_zone = useZone();
  return [
    {
      id: 'subject',
      header: text('subject'),
      cell: (request) => (
        <Link to="/requests/$id" params={{ id: request.id }}>
          <bdi>{visibleText(nameOf(request))}</bdi>
        </Link>
      ),
    },
    { id: 'person', header: text('person'), cell: ({ recipient }) => visibleText(recipient) },
    {
      id: 'asked',
      header: text('asked'),
      sort: 'created_at',
      cell: ({ created_at }) => <span className={classes.date}>{dateText(locale, dayOf(time_zone, created_at))}</span>,
    },
    {
      id: 'until',
      header: text('until'),
      sort: 'expires_at',
      cell: ({ expires_at }) => <span className={classes.date}>{dateText(locale, expires_at)}</span>,
    },
    { id: 'state', header: text('state'), cell: (request) => <RequestState request={request} /> },
  ];
}
