// S5 of the experience brief: the messages somebody sent, with the state of each.
import { Link } from '@tanstack/react-router';
import { Lock, SendHorizontal } from 'lucide-react';
import { useState } from 'react';
import type { SentItemBody } from '#contract/app/messages.ts';
import { dayOf } from '../../../../formats.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { dateText } from '../../../dates.ts';
import { useList } from '../../../list.ts';
import { useZone } from '../../../me.ts';
import { Screen } from '../../../parts/screen.tsx';
import { useLocale, useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Icon } from '../../../ui/icon.tsx';
import type { MenuGroup } from '../../../ui/menu.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { type BulkAsk, BulkDialog, BulkNotice, type BulkResult } from './bulk.tsx';
import { useDialogState } from './dialog-state.ts';
import { SentFilters } from './filters.tsx';
import { StatePill } from './pills.tsx';
import classes from './sent.module.css';
import { useSentWords } from './words.ts';

/** The end of a long download is no event. */
const everyMs = 30_000;

export default function SentScreen() {
  const text = useText('sent');
  const words = useSentWords();
  const list = useList({ filters: ['q', 'person', 'state', 'from', 'to'], sort: '-sent' });
  const sent = useApi('listSentMessages', { query: list.query }, { keepsLast: true, everyMs });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [result, setResult] = useState<BulkResult | null>(null);
  const bulk = useDialogState<BulkAsk>();
  const rows = sent.data?.messages;
  const chosen = (rows ?? []).filter(({ id }) => selected.has(id));
  const isEmpty = sent.data?.total === 0 && !list.isFiltered;
  const end = (next: BulkResult) => {
    bulk.hide();
    setResult(next);
    setSelected(new Set());
    announce(next.sentence);
  };
  return (
    <Screen
      title={text('title')}
      {...(isEmpty
        ? {}
        : {
            actions: (
              <ButtonLink to="/send" variant="primary">
                {text('sendFiles')}
              </ButtonLink>
            ),
          })}
    >
      {isEmpty ? null : <SentFilters list={list} />}
      {result === null ? null : <BulkNotice result={result} onDismiss={() => setResult(null)} />}
      {sent.data?.is_cut ? <Notice>{text('cut')}</Notice> : null}
      <DataTable
        name="sent"
        caption={text('caption')}
        columns={useColumns()}
        rows={rows}
        total={sent.data?.total}
        isStale={sent.isPlaceholderData}
        list={list}
        rowId={({ id }) => id}
        rowName={({ subject }) => words.subject(subject)}
        actions={(item) => actionsOf(text, item, bulk.show)}
        error={sent.error}
        onRetry={() => void sent.refetch()}
        empty={<Empty />}
        selected={new Set(chosen.map(({ id }) => id))}
        onSelect={setSelected}
        bulkActions={
          <>
            <Button size="small" onClick={() => bulk.show({ kind: 'extend', items: chosen })}>
              {text('extend')}
            </Button>
            <Button size="small" variant="danger" onClick={() => bulk.show({ kind: 'stop', items: chosen })}>
              {text('stop')}
            </Button>
          </>
        }
      />
      {bulk.open === null ? null : <BulkDialog {...bulk.open} onClose={bulk.hide} onDone={end} />}
    </Screen>
  );
}

function Empty() {
  const text = useText('sent');
  const action = (
    <ButtonLink to="/send" variant="primary">
      {text('sendFiles')}
    </ButtonLink>
  );
  return (
    <EmptyState icon={SendHorizontal} action={action}>
      {text('empty')}
    </EmptyState>
  );
}

function actionsOf(
  text: ReturnType<typeof useText<'sent'>>,
  item: SentItemBody,
  show: (ask: BulkAsk) => void,
): MenuGroup[] {
  const extend = { label: text('extendMenu'), onPress: () => show({ kind: 'extend', items: [item] }) };
  const stop = {
    label: text('stopMenu'),
    isDanger: true,
    onPress: () => show({ kind: 'stop', items: [item] }),
  };
  return [{ items: item.state === 'stopped' ? [] : [extend] }, { items: item.state === 'stopped' ? [] : [stop] }];
}

function useColumns(): Column<SentItemBody>[] {
  const text = useText('sent');
  const words = useSentWords();
  const locale = useLocale();
  const time_zone = useZone();
  const files = ({ file_count, first_file }: SentItemBody) =>
    file_count === 0 ? '' : text('fileAndOthers', { file: visibleText(first_file), n: file_count - 1 });
  return [
    {
      id: 'subject',
      header: text('subject'),
      sort: 'subject',
      cell: ({ id, subject, private_message }) => (
        <>
          <Link to="/sent/$id" params={{ id }}>
            <bdi>{words.subject(subject)}</bdi>
          </Link>
          {private_message ? (
            <>
              {' '}
              <Icon of={Lock} label={text('private')} sizePx={14} />
            </>
          ) : null}
        </>
      ),
    },
    {
      id: 'people',
      header: text('people'),
      cell: ({ people: [first], people_total }) =>
        first === undefined ? (
          <span className={classes.under}>{text('nobody')}</span>
        ) : (
          <div className={classes.people}>
            {visibleText(first)}
            {people_total > 1 ? (
              <div className={classes.under}>{text('andOthers', { n: people_total - 1 })}</div>
            ) : null}
          </div>
        ),
    },
    {
      id: 'files',
      header: text('files'),
      sort: 'size',
      cell: ({ file_count, size }) => (
        <span className={classes.whole}>{text('filesAndSize', { n: file_count, size: words.size(size) })}</span>
      ),
    },
    { id: 'name', header: text('fileName'), isHidden: true, cell: files },
    {
      id: 'sent',
      header: text('sentAt'),
      sort: 'sent',
      cell: ({ sent_at }) => <span className={classes.whole}>{dateText(locale, dayOf(time_zone, sent_at))}</span>,
    },
    {
      id: 'until',
      header: text('until'),
      sort: 'until',
      cell: ({ expires_at }) => <span className={classes.whole}>{dateText(locale, expires_at)}</span>,
    },
    { id: 'state', header: text('state'), cell: (item) => <StatePill item={item} /> },
  ];
}
