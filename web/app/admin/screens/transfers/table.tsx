import { ArrowRightLeft, Ban, CalendarPlus, Eye, FileCheck2, FileStack } from 'lucide-react';
import { useState } from 'react';
import type { TransferBody } from '#contract/admin/transfers.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useCursorList } from '../../../cursor-list.ts';
import { useFormats } from '../../../formats.ts';
import type { List } from '../../../list.ts';
import { useMe } from '../../../me.ts';
import { transferReceiptUrl } from '../../../parts/receipt-button.tsx';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import type { Column, Selection } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Stack } from '../../../ui/layout.tsx';
import type { MenuGroup } from '../../../ui/menu.tsx';
import { EmptyState, Notice } from '../../../ui/states.tsx';
import { administrators, systemAdministrators } from '../../roles.ts';
import { type BulkAction, BulkDialog, BulkProgress, type BulkRequest } from './bulk.tsx';
import { type OpenDialog, TransferDialog } from './dialogs.tsx';
import { useTransferFilters } from './filters.ts';
import { ownerName, TransferState, useKindName, useRowName } from './labels.tsx';

export const transferFilters = ['id', 'person', 'recipient', 'domain', 'group', 'kind', 'state', 'older_than'] as const;

export function TransfersTable() {
  const text = useText('admin/transfers');
  const list = useCursorList({ filters: transferFilters, sort: '-created' });
  const transfers = useApi('listTransfers', { query: list.query }, { keepsLast: true });
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [done, setDone] = useState('');
  const [bulk, setBulk] = useState<BulkRequest | null>(null);
  const [task, setTask] = useState<string | null>(null);
  const actions = useActions(setDialog);
  const { data } = transfers;
  const rows = data?.transfers.map((transfer) => ({ ...transfer, id: transfer.reference }));
  const [selection, clear] = useSelection(list, rows ?? [], setBulk);
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
      <DataTable
        name="transfers"
        caption={text('caption')}
        columns={useColumns()}
        list={list}
        query={transfers}
        rows={rows}
        // Counting everything is slow; only a single page is counted.
        total={data !== undefined && data.next === null && list.page === 1 ? data.transfers.length : undefined}
        next={data?.next}
        rowName={useRowName()}
        actions={actions}
        filters={useTransferFilters()}
        empty={<EmptyState icon={FileStack}>{text('empty')}</EmptyState>}
        {...(selection === null ? {} : { selection })}
      />
      {dialog === null ? null : <TransferDialog dialog={dialog} onClose={() => setDialog(null)} onDone={notify} />}
      {bulk === null ? null : (
        <BulkDialog
          request={bulk}
          onClose={() => setBulk(null)}
          onStarted={(id) => {
            setBulk(null);
            clear();
            setTask(id);
          }}
        />
      )}
    </Stack>
  );
}

/** Null for people who cannot change transfers. */
function useSelection(
  list: List,
  rows: readonly { id: string }[],
  open: (request: BulkRequest) => void,
): [Selection | null, clear: () => void] {
  const text = useText('admin/transfers');
  const mayChange = administrators.includes(useMe().role);
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const clear = () => setSelected(new Set());
  if (!mayChange) return [null, clear];
  // Transfers on other pages are not changed.
  const references = rows.map(({ id }) => id).filter((id) => selected.has(id));
  const button = (action: BulkAction, label: string, variant: 'quiet' | 'danger' = 'quiet') => (
    <Button size="small" variant={variant} onClick={() => open({ action, filters: { references } })}>
      {label}
    </Button>
  );
  const selection = {
    ids: new Set(references),
    onChange: setSelected,
    actions: (
      <>
        {button('extend', text('extend'))}
        {button('hand_over', text('handOver'))}
        {button('stop', text('stop'))}
      </>
    ),
    ...(list.isFiltered
      ? {
          more: (
            <Button size="small" variant="quiet" onClick={() => open({ action: 'stop', filters: list.filters })}>
              {text('bulk')}
            </Button>
          ),
        }
      : {}),
  };
  return [selection, clear];
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
      id: 'what',
      header: text('what'),
      cell: ({ kind, reference }) => `${kindName(kind)} · ${reference}`,
      under: (transfer) => <bdi>{ownerName(transfer)}</bdi>,
    },
    {
      id: 'owner',
      header: text('owner'),
      small: 'line',
      isHidden: true,
      cell: (transfer) => <bdi>{ownerName(transfer)}</bdi>,
      under: ({ owner }) => (owner.deleted ? text('ownerGone') : <bdi>{visibleText(owner.group_name)}</bdi>),
    },
    useRecipientColumn(),
    {
      id: 'state',
      header: text('state'),
      width: 'mark',
      small: 'mark',
      cell: ({ state }) => <TransferState state={state} />,
    },
    {
      id: 'size',
      header: text('size'),
      width: 'day',
      isNumeric: true,
      cell: ({ size, files }) => (files === 0 ? '' : formats.size(size)),
    },
    {
      id: 'made',
      header: text('made'),
      width: 'day',
      cell: ({ created_at }) => formats.shortDate(formats.dayOf(created_at)),
    },
    {
      id: 'until',
      header: text('until'),
      width: 'date',
      small: 'mark',
      cell: ({ expires_at }) => formats.shortDate(expires_at),
    },
  ];
}

function useRecipientColumn(): Column<TransferBody> {
  const text = useText('admin/transfers');
  const others = ({ recipients, recipient_count: count }: TransferBody) =>
    recipients.length > 0 && count > 1 ? text('toMore', { n: count - 1 }) : null;
  return {
    id: 'to',
    header: text('to'),
    width: 'third',
    small: 'line',
    cell: (transfer) => <FirstRecipient transfer={transfer} />,
    smallCell: (transfer) => (
      <>
        <FirstRecipient transfer={transfer} /> {others(transfer)}
      </>
    ),
    under: (transfer) =>
      transfer.sender === null ? others(transfer) : text('from', { address: visibleText(transfer.sender) }),
  };
}

function FirstRecipient({ transfer }: { transfer: TransferBody }) {
  const text = useText('admin/transfers');
  const { recipients, recipient_count: count, kind } = transfer;
  const [first] = recipients;
  if (kind === 'link') return text('toNobody');
  if (first === undefined) return count === 0 ? '' : text('toMore', { n: count });
  return <bdi>{visibleText(first)}</bdi>;
}
