import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Copy, FolderOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AppRequestBody } from '#contract/app/file-requests.ts';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { useFormats } from '../../formats.ts';
import { type List, useList } from '../../list.ts';
import { NamesContext } from '../../names.ts';
import { AddressBelow, OnlyName } from '../../parts/person-name.tsx';
import { Until } from '../../parts/until.tsx';
import { type TextKey, useText } from '../../texts.ts';
import type { Column } from '../../ui/columns.ts';
import { useCopy } from '../../ui/copy-field.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { RequestState, useRequestName } from './state.tsx';

const stateFilters: [AppRequestBody['state'], TextKey<'file-requests'>][] = [
  ['waiting', 'filterWaiting'],
  ['open', 'filterOpen'],
  ['received', 'filterReceived'],
  ['expired', 'filterExpired'],
  ['closed', 'filterClosed'],
  ['used', 'filterUsed'],
];

export function RequestsTable({ empty }: { empty: ReactNode }) {
  const list = useList({ filters: ['q', 'state'], sort: '-created_at' });
  const requests = useApi('listAppRequests', { query: list.query }, { keepsLast: true });
  return (
    <NamesContext value={requests.data?.names ?? {}}>
      <Table list={list} requests={requests} empty={empty} />
    </NamesContext>
  );
}

interface TableProps {
  list: List;
  requests: UseQueryResult<CallAnswer<'listAppRequests'>, Error>;
  empty: ReactNode;
}

function Table({ list, requests, empty }: TableProps) {
  const text = useText('file-requests');
  const nameOf = useRequestName();
  const navigate = useNavigate();
  const { copy } = useCopy(text('linkCopied'));
  const open = (id: string) => void navigate({ to: '/requests/$id', params: { id } });
  return (
    <DataTable
      name="requests"
      caption={text('caption')}
      columns={useColumns()}
      list={list}
      query={requests}
      rows={requests.data?.items}
      total={requests.data?.total}
      rowName={(request) => visibleText(nameOf(request))}
      filters={[
        { name: 'q', label: text('search'), isMain: true },
        {
          name: 'state',
          label: text('stateFilter'),
          choices: stateFilters.map(([value, label]) => ({ value, label: text(label) })),
        },
      ]}
      empty={empty}
      actions={(request) => [
        {
          items: [
            { label: text('open'), icon: FolderOpen, onClick: () => open(request.id) },
            { label: text('copyLink'), icon: Copy, onClick: () => void copy(request.url) },
          ],
        },
      ]}
    />
  );
}

function useColumns(): Column<AppRequestBody>[] {
  const text = useText('file-requests');
  const formats = useFormats();
  const nameOf = useRequestName();
  return [
    {
      id: 'subject',
      header: text('subject'),
      width: 'third',
      cell: (request) => (
        <Link to="/requests/$id" params={{ id: request.id }}>
          <bdi>{visibleText(nameOf(request))}</bdi>
        </Link>
      ),
    },
    {
      id: 'person',
      header: text('person'),
      small: 'line',
      cell: ({ recipient }) => <OnlyName address={recipient} />,
      under: ({ recipient }) => <AddressBelow address={recipient} />,
    },
    {
      id: 'asked',
      header: text('asked'),
      sort: 'created_at',
      width: 'day',
      small: 'line',
      cell: ({ created_at }) => formats.shortDate(formats.dayOf(created_at)),
    },
    {
      id: 'state',
      header: text('state'),
      width: 'mark',
      small: 'mark',
      cell: (request) => <RequestState request={request} />,
    },
    {
      id: 'until',
      header: text('until'),
      sort: 'expires_at',
      width: 'mark',
      small: 'mark',
      cell: (request) => <Until date={request.expires_at} isOver={!isAwaited(request)} />,
      smallCell: (request) => (isAwaited(request) ? <Until date={request.expires_at} isShort /> : null),
    },
  ];
}

function isAwaited({ state }: AppRequestBody): boolean {
  return state === 'waiting' || state === 'open';
}
