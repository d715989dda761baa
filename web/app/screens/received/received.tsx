// Opening the list has no effects.

import { Link, useNavigate } from '@tanstack/react-router';
import { Download, FolderInput, Inbox, Mail, MailOpen, TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { AppReceivedBody } from '#contract/app/received.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { type Formats, useFormats } from '../../formats.ts';
import { type List, useList } from '../../list.ts';
import { useMe } from '../../me.ts';
import { useNewReceived } from '../../new-received.ts';
import { Screen } from '../../parts/screen.tsx';
import { Until } from '../../parts/until.tsx';
import { type Text, useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import type { Column } from '../../ui/columns.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import type { Filter } from '../../ui/filter.ts';
import { Icon } from '../../ui/icon.tsx';
import { Pill, type PillTone } from '../../ui/pill.tsx';
import { EmptyState, Notice, ProblemNotice } from '../../ui/states.tsx';
import { useReceivedDownload } from './download.ts';
import classes from './received.module.css';

export default function ReceivedScreen() {
  const text = useText('received');
  const list = useList({ filters: ['q', 'state', 'kind', 'person'], sort: '-received_at' });
  const answer = useApi('listReceived', { query: list.query }, { keepsLast: true });
  const download = useReceivedDownload(() => announce(text('startedSaid')));
  const navigate = useNavigate();
  useNewAnnouncement();
  const open = (id: string) => void navigate({ to: '/received/$id', params: { id } });
  return (
    <Screen title={text('title')} lead={text('lead')}>
      <ProblemNotice error={download.error} />
      {answer.data?.is_complete === false ? <Notice>{text('partly')}</Notice> : null}
      <DataTable
        name="received"
        caption={text('caption')}
        columns={useColumns()}
        list={list}
        query={answer}
        rows={answer.data?.items}
        total={answer.data?.total}
        rowName={({ subject }) => visibleText(subject) || text('noSubject')}
        filters={useFilters(list)}
        empty={<NothingYet />}
        actions={(row) => {
          const get = {
            label: text(row.files === 1 ? 'download' : 'downloadAll'),
            icon: Download,
            onClick: () => download.mutate({ messageId: row.id, attachment: 'all' }),
          };
          const hasFiles = row.state !== 'expired' && row.files > 0;
          const openItem = { label: text('open'), icon: MailOpen, onClick: () => open(row.id) };
          return [{ items: hasFiles ? [openItem, get] : [openItem] }];
        }}
      />
    </Screen>
  );
}

function useFilters(list: List): Filter[] {
  const text = useText('received');
  const { person } = list.filters;
  return [
    { name: 'q', label: text('searchLabel'), hint: text('searchHint'), isMain: true },
    {
      name: 'state',
      label: text('state'),
      choices: [
        { value: 'new', label: text('stateNew') },
        { value: 'downloaded', label: text('stateDownloaded') },
        { value: 'expired', label: text('stateExpired') },
      ],
    },
    {
      name: 'kind',
      label: text('kindLabel'),
      choices: [
        { value: 'message', label: text('kindMessage') },
        { value: 'request', label: text('kindRequest') },
        { value: 'drop', label: text('kindDrop') },
      ],
    },
    {
      name: 'person',
      label: '',
      isFixed: true,
      valueLabel: text('fromPerson', { person: visibleText(person ?? '') }),
    },
  ];
}

const tones: Record<AppReceivedBody['state'], PillTone> = { new: 'progress', downloaded: 'success', expired: 'ended' };
const stateKeys = { new: 'stateNew', downloaded: 'stateDownloaded', expired: 'stateExpired' } as const;

function useColumns(): Column<AppReceivedBody>[] {
  const text = useText('received');
  const formats = useFormats();
  return [
    {
      id: 'subject',
      header: text('subject'),
      cell: (row) => (
        <span className={classes.subject} data-new={row.state === 'new'}>
          <Kind row={row} />
          <Link to="/received/$id" params={{ id: row.id }}>
            <bdi>{visibleText(row.subject) || text('noSubject')}</bdi>
          </Link>
        </span>
      ),
      under: ({ files: n, size, ...row }) => (
        <>
          {text('fileCount', { n, size: formats.size(size) })}
          {isTyped(row) ? <span className={classes.unchecked}> · {text('notChecked')}</span> : null}
        </>
      ),
    },
    ...factColumns(text, formats),
  ];
}

/** The address of an answer was not typed: the request was sent to it. */
function isTyped({ kind, is_sender_confirmed: isConfirmed }: Pick<AppReceivedBody, 'kind' | 'is_sender_confirmed'>) {
  return !isConfirmed && kind !== 'request';
}

function factColumns(text: Text<'received'>, formats: Formats): Column<AppReceivedBody>[] {
  return [
    {
      id: 'from',
      header: text('from'),
      width: 'quarter',
      small: 'line',
      cell: (row) => <From row={row} />,
      // A name alone proves nothing.
      under: ({ from }) => (from.name === from.address ? null : <bdi>{visibleText(from.address)}</bdi>),
      smallCell: (row) => <From row={row} isWhole />,
    },
    {
      id: 'size',
      header: text('size'),
      isHidden: true,
      sort: 'size',
      width: 'date',
      cell: ({ size }) => formats.size(size),
    },
    {
      id: 'received',
      header: text('received'),
      sort: 'received_at',
      width: 'mark',
      small: 'mark',
      cell: ({ received_at: at }) => <time dateTime={at}>{formats.dateTime(at)}</time>,
      under: ({ expires_at, state }) => <Until date={expires_at} isOver={state === 'expired'} isShort />,
      smallCell: ({ received_at: at }) => <time dateTime={at}>{formats.shortDate(formats.dayOf(at))}</time>,
    },
    {
      id: 'until',
      header: text('until'),
      sort: 'expires_at',
      width: 'mark',
      isHidden: true,
      cell: ({ expires_at, state }) => <Until date={expires_at} isOver={state === 'expired'} />,
    },
    {
      id: 'state',
      header: text('state'),
      width: 'mark',
      small: 'mark',
      cell: ({ state }) => (
        <Pill tone={tones[state]} icon={state === 'new' ? Mail : undefined}>
          {text(stateKeys[state])}
        </Pill>
      ),
    },
  ];
}

/** Renders nothing for messages. */
function Kind({ row: { kind } }: { row: AppReceivedBody }) {
  const text = useText('received');
  if (kind === 'message') return null;
  return (
    <span className={classes.kind}>
      {kind === 'request' ? (
        <Icon of={FolderInput} label={text('kindOfRequest')} sizePx={16} />
      ) : (
        <Icon of={Inbox} label={text('kindOfDrop')} sizePx={16} />
      )}
    </span>
  );
}

/** `isWhole`: name and address in one line. */
function From({ row, isWhole }: { row: AppReceivedBody; isWhole?: boolean }) {
  const text = useText('received');
  const { from } = row;
  return (
    <>
      {isTyped(row) ? (
        <span className={classes.alert}>
          <Icon of={TriangleAlert} label={text('notChecked')} sizePx={14} />
        </span>
      ) : null}
      <bdi>{visibleText(from.name)}</bdi>
      {isWhole && from.name !== from.address ? (
        <>
          {' '}
          <bdi>{visibleText(from.address)}</bdi>
        </>
      ) : null}
    </>
  );
}

function NothingYet() {
  const text = useText('received');
  const { features } = useMe();
  const { data } = useApi('getAppDrop', {}, { isEnabled: features.drop_page });
  const address = data?.drop.is_open === true ? data.drop.random_url || data.drop.email_url : '';
  return (
    <EmptyState
      icon={Inbox}
      action={
        address === '' ? undefined : (
          <div className={classes.drop}>
            <CopyField
              label={text('dropAddress')}
              help={text('emptyDrop')}
              value={address}
              announcement={text('dropCopied')}
            />
          </div>
        )
      }
    >
      {text('empty')}
    </EmptyState>
  );
}

/** Announces `2 new.` when the screen opens, and when there are more. */
function useNewAnnouncement(): void {
  const text = useText('received');
  const total = useNewReceived();
  const last = useRef(0);
  useEffect(() => {
    if (total > last.current) announce(text('newSaid', { n: total }));
    last.current = total;
  }, [total, text]);
}
