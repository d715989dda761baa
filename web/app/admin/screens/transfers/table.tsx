import { ArrowRightLeft, Ban, CalendarPlus, Eye, FileCheck2, FileStack, ListChecks } from 'lucide-react';
import { useState } from 'react';
import type { TransferBody } from '#contract/admin/transfers.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useCursorList } from '../../../cursor-list.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { transferReceiptUrl } from '../../../parts/receipt-button.tsx';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import type { MenuGroup } from '../../../ui/menu.tsx';
import { EmptyState, Notice } from '../../../ui/states.tsx';
import { administrators, systemAdministrators } from '../../roles.ts';
import { BulkDialog, BulkProgress } from './bulk.tsx';
import { type OpenDialog, TransferDialog } from './dialogs.tsx';
import { TransferFilters } from './filters.tsx';
import { ownerName, TransferState, useKindName, useRowName } from './labels.tsx';

export const transferFilters = ['id', 'person', 'recipient', 'domain', 'group', 'kind', 'state', 'older_than'] as const;

export function TransfersTable() {
  const text = useText('admin/transfers');
  const { role } = useMe();
  const list = useCursorList({ filters: transferFilters, sort: '-created' });
  const transfers = useApi('listTransfers', { query: list.query }, { keepsLast: true });
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [done, setDone] = useState('');
  const [isBulk, setIsBulk] = useState(false);
  const [task, setTask] = useState<string | null>(null);
  const actions = useActions(setDialog);
  const { data } = transfers;
  const mayChange = administrators.includes(role);
  const notify = (sentence: string) => {
    setDialog(null);
    setDone(sentence);
    announce(sentence);
  };
  return (
    <Stack>
      {done === '' ? null : (
        <Notice tone="success" onDismiss={() => setDone('')}>
          {done}
        </Notice>
      )}
      {task === null ? null : <BulkProgress id={task} onClose={() => setTask(null)} />}
      {mayChange && list.isFiltered && data !== undefined && data.transfers.length > 0 ? (
        <BulkButton onClick={() => setIsBulk(true)} />
      ) : null}
      <DataTable
        name="transfers"
        caption={text('caption')}
        columns={useColumns()}
        list={list}
        query={transfers}
        rows={data?.transfers.map((transfer) => ({ ...transfer, id: transfer.reference }))}
        // Counting everything is slow; only a single page is counted.
        total={data !== undefined && data.next === null && list.page === 1 ? data.transfers.length : undefined}
        next={data?.next}
        rowName={useRowName()}
        actions={actions}
        filters={<TransferFilters list={list} />}
        empty={<EmptyState icon={FileStack}>{text('empty')}</EmptyState>}
      />
      {dialog === null ? null : <TransferDialog dialog={dialog} onClose={() => setDialog(null)} onDone={notify} />}
      {isBulk ? (
        <BulkDialog
          filters={list.filters}
          onClose={() => setIsBulk(false)}
          onStarted={(id) => {
            setIsBulk(false);
            setTask(id);
          }}
        />
      ) : null}
    </Stack>
  );
}

function BulkButton({ onClick }: { onClick: () => void }) {
  const text = useText('admin/transfers');
  return (
    <Row>
      <Button icon={ListChecks} onClick={onClick}>
        {text('bulk')}
      </Button>
    </Row>
  );
}

function useActions(open: (dialog: OpenDialog) => void): (transfer: TransferBody) => MenuGroup[] {
  const text = useText('admin/transfers');
  const { role } = useMe();
  return (transfer) => {
    // Auditors may get receipts.
    const isLive = administrators.includes(role) && transfer.state !== 'stopped';
    return [
      {
        items: [
          {
            label: text('receipt'),
            icon: FileCheck2,
            onClick: () => window.location.assign(transferReceiptUrl(transfer.reference)),
          },
          ...(isLive && transfer.state !== 'answered'
            ? [{ label: text('extend'), icon: CalendarPlus, onClick: () => open({ what: 'extend', transfer }) }]
            : []),
          ...(isLive
            ? [{ label: text('handOver'), icon: ArrowRightLeft, onClick: () => open({ what: 'handOver', transfer }) }]
            : []),
          ...(systemAdministrators.includes(role)
            ? [{ label: text('showSubject'), icon: Eye, onClick: () => open({ what: 'subject', transfer }) }]
            : []),
          ...(isLive
            ? [{ label: text('stop'), icon: Ban, isDanger: true, onClick: () => open({ what: 'stop', transfer }) }]
            : []),
        ],
      },
    ].filter(({ items }) => items.length > 0);
  };
}

function useColumns(): Column<TransferBody>[] {
  const text = useText('admin/transfers');
  const formats = useFormats();
  const kindName = useKindName();
  return [
    {
      id: 'owner',
      header: text('owner'),
      width: 'quarter',
      cell: (transfer) => <bdi>{ownerName(transfer)}</bdi>,
      under: ({ owner }) => (owner.deleted ? text('ownerGone') : <bdi>{visibleText(owner.group_name)}</bdi>),
    },
    {
      id: 'what',
      header: text('what'),
      small: 'line',
      cell: ({ kind }) => kindName(kind),
      under: ({ reference }) => reference,
    },
    {
      id: 'to',
      header: text('to'),
      width: 'quarter',
      small: 'line',
      cell: (transfer) => <Recipients transfer={transfer} />,
      under: ({ sender }) => (sender === null ? null : text('from', { address: visibleText(sender) })),
    },
    {
      id: 'made',
      header: text('made'),
      width: 'date',
      cell: ({ created_at }) => formats.shortDate(formats.dayOf(created_at)),
    },
    { id: 'until', header: text('until'), width: 'date', cell: ({ expires_at }) => formats.shortDate(expires_at) },
    {
      id: 'size',
      header: text('size'),
      width: 'date',
      isNumeric: true,
      isHidden: true,
      cell: ({ size }) => formats.size(size),
    },
    {
      id: 'state',
      header: text('state'),
      width: 'mark',
      small: 'mark',
      cell: ({ state }) => <TransferState state={state} />,
    },
  ];
}

function Recipients({ transfer }: { transfer: TransferBody }) {
  const text = useText('admin/transfers');
  const { recipients, recipient_count: count, kind } = transfer;
  const [first] = recipients;
  if (kind === 'link') return text('toNobody');
  if (first === undefined) return count === 0 ? '' : text('toMore', { n: count });
  return (
    <>
      <bdi>{visibleText(first)}</bdi> {count > 1 ? text('toMore', { n: count - 1 }) : null}
    </>
  );
}
