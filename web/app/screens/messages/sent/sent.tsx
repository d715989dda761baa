import { Link } from '@tanstack/react-router';
import { Lock, SendHorizontal } from 'lucide-react';
import { useState } from 'react';
import type { SentItemBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useList } from '../../../list.ts';
import { NamesContext, useNames } from '../../../names.ts';
import { AddressBelow, OnlyName } from '../../../parts/person-name.tsx';
import { Screen } from '../../../parts/screen.tsx';
import { type Text, useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Muted } from '../../../ui/layout.tsx';
import { EmptyState, Notice } from '../../../ui/states.tsx';
import { BulkDialog, type BulkDialogState, BulkNotice, type BulkResult } from './bulk.tsx';
import { useSentFilters } from './filters.tsx';
import { EndMark, ProblemMark, ProgressMark } from './marks.tsx';
import { type SentFormats, useSentFormats } from './sent-formats.ts';

/** The end of a long download is not an event. */
const everyMs = 30_000;

export default function SentScreen() {
  const text = useText('sent');
  const formats = useSentFormats();
  const list = useList({ filters: ['q', 'person', 'state', 'from', 'to'], sort: '-sent' });
  const sent = useApi('listSentMessages', { query: list.query }, { keepsLast: true, everyMs });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [result, setResult] = useState<BulkResult | null>(null);
  const [dialog, setDialog] = useState<BulkDialogState | null>(null);
  const rows = sent.data?.messages;
  const chosen = (rows ?? []).filter(({ id }) => selected.has(id));
  const isEmpty = sent.data?.total === 0 && !list.isFiltered;
  const end = (next: BulkResult) => {
    setDialog(null);
    setResult(next);
    setSelected(new Set());
    announce(next.sentence);
  };
  return (
    <Screen title={text('title')} actions={isEmpty ? undefined : <SendLink />}>
      {result === null ? null : <BulkNotice result={result} onDismiss={() => setResult(null)} />}
      {sent.data?.is_cut ? <Notice>{text('cut')}</Notice> : null}
      <NamesContext value={sent.data?.names ?? {}}>
        <DataTable
          name="sent"
          caption={text('caption')}
          columns={columnsOf(text, formats)}
          list={list}
          query={sent}
          rows={rows}
          total={sent.data?.total}
          rowName={({ subject }) => formats.subject(subject)}
          filters={useSentFilters(list)}
          empty={
            <EmptyState icon={SendHorizontal} action={<SendLink />}>
              {text('empty')}
            </EmptyState>
          }
          actions={(item) => {
            const openDialog = (kind: BulkDialogState['kind']) => () => setDialog({ kind, items: [item] });
            if (item.state === 'stopped' || item.state === 'refused') return [];
            return [
              { items: [{ label: text('extendMenu'), onClick: openDialog('extend') }] },
              { items: [{ label: text('stopMenu'), isDanger: true, onClick: openDialog('stop') }] },
            ];
          }}
          selection={{
            ids: new Set(chosen.map(({ id }) => id)),
            onChange: setSelected,
            actions: <BulkButtons onOpen={(kind) => setDialog({ kind, items: chosen })} />,
          }}
        />
      </NamesContext>
      {dialog === null ? null : <BulkDialog {...dialog} onClose={() => setDialog(null)} onDone={end} />}
    </Screen>
  );
}

function SendLink() {
  const text = useText('sent');
  return (
    <ButtonLink to="/send" variant="primary">
      {text('sendFiles')}
    </ButtonLink>
  );
}

function BulkButtons({ onOpen }: { onOpen: (kind: BulkDialogState['kind']) => void }) {
  const text = useText('sent');
  return (
    <>
      <Button size="small" onClick={() => onOpen('extend')}>
        {text('extend')}
      </Button>
      <Button size="small" variant="danger" onClick={() => onOpen('stop')}>
        {text('stop')}
      </Button>
    </>
  );
}

function columnsOf(text: Text<'sent'>, formats: SentFormats): Column<SentItemBody>[] {
  const files = ({ file_count: n, size }: SentItemBody) => text('filesAndSize', { n, size: formats.size(size) });
  return [
    {
      id: 'subject',
      header: text('subject'),
      sort: 'subject',
      cell: (item) => <Subject item={item} />,
      under: files,
    },
    {
      id: 'people',
      header: text('people'),
      small: 'line',
      cell: (item) => <FirstPerson item={item} />,
      under: (item) => <UnderFirstPerson item={item} />,
      smallCell: (item) => <ShortPeople item={item} />,
    },
    { id: 'files', header: text('files'), sort: 'size', width: 'mark', isHidden: true, cell: files },
    {
      id: 'name',
      header: text('fileName'),
      isHidden: true,
      cell: ({ file_count, first_file }) =>
        file_count === 0 ? '' : text('fileAndOthers', { file: visibleText(first_file), n: file_count - 1 }),
    },
    {
      id: 'sent',
      header: text('sentAt'),
      sort: 'sent',
      width: 'day',
      small: 'line',
      cell: ({ sent_at }) => formats.shortDate(formats.dayOf(sent_at)),
    },
    {
      id: 'progress',
      header: text('progress'),
      width: 'date',
      small: 'mark',
      cell: (item) => <ProgressMark item={item} />,
      under: (item) => <ProblemMark item={item} />,
      smallCell: (item) => (
        <>
          <ProblemMark item={item} /> <ProgressMark item={item} />
        </>
      ),
    },
    {
      id: 'until',
      header: text('until'),
      sort: 'until',
      width: 'date',
      small: 'mark',
      cell: (item) => <EndMark item={item} />,
      smallCell: (item) => <EndMark item={item} isShort />,
    },
  ];
}

function Subject({ item: { id, subject, private_message } }: { item: SentItemBody }) {
  const text = useText('sent');
  const formats = useSentFormats();
  return (
    <>
      {private_message ? (
        <>
          <Icon of={Lock} label={text('private')} sizePx={14} />{' '}
        </>
      ) : null}
      <Link to="/sent/$id" params={{ id }}>
        <bdi>{formats.subject(subject)}</bdi>
      </Link>
    </>
  );
}

/** An address without a name uses both lines, so that it is not cut. */
function FirstPerson({ item: { people, people_total: total } }: { item: SentItemBody }) {
  const text = useText('sent');
  const names = useNames();
  const [first] = people;
  if (first === undefined) return <Muted as="span">{text('nobody')}</Muted>;
  const isOnly = total === 1 || names.addressBelow(first) !== null || !names.name(first).includes('@');
  if (isOnly) return <OnlyName address={first} />;
  return (
    <>
      <OnlyName address={first} />{' '}
      <Muted as="span">
        <span aria-hidden="true">+{total - 1}</span>
        <span className="visually-hidden">{text('andOthers', { n: total - 1 })}</span>
      </Muted>
    </>
  );
}

function UnderFirstPerson({ item: { people, people_total: total } }: { item: SentItemBody }) {
  const text = useText('sent');
  const names = useNames();
  const [first] = people;
  if (first === undefined) return null;
  if (total === 1) return <AddressBelow address={first} />;
  const isInFirstLine = names.addressBelow(first) === null && names.name(first).includes('@');
  return isInFirstLine ? null : text('andOthers', { n: total - 1 });
}

function ShortPeople({ item: { people, people_total: total } }: { item: SentItemBody }) {
  const text = useText('sent');
  const names = useNames();
  const [first] = people;
  if (first === undefined) return text('nobody');
  return total === 1 ? names.of(first) : text('personAndOthers', { person: names.of(first), n: total - 1 });
}
