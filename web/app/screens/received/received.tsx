// S4 of the experience brief: what came to the person, newest first. Opening it spends nothing.
import { Link, useNavigate } from '@tanstack/react-router';
import { Download, Inbox, Mail, MailOpen, TriangleAlert } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import type { AppReceivedBody } from '#contract/app/received.ts';
import { sizeIn } from '#language/sizes.ts';
import { shortMoment } from '../../../formats.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { dateText } from '../../dates.ts';
import { useList } from '../../list.ts';
import { useMe, useZone } from '../../me.ts';
import { Screen } from '../../parts/screen.tsx';
import { useLocale, useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ProblemNotice } from '../../ui/error-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Pill, type PillTone } from '../../ui/pill.tsx';
import { useReceivedDownload } from './download.ts';
import { ReceivedFilters } from './filters.tsx';
import classes from './received.module.css';

export default function ReceivedScreen() {
  const text = useText('received');
  const list = useList({ filters: ['q', 'state', 'kind', 'person'], sort: '-received_at' });
  const answer = useApi('listReceived', { query: list.query }, { keepsLast: true });
  const download = useReceivedDownload(() => announce(text('startedSaid')));
  const columns = useColumns();
  const navigate = useNavigate();
  useNewSaid();
  const isEmpty = answer.data?.total === 0 && !list.isFiltered;
  const nameOf = (row: AppReceivedBody) => visibleText(row.subject) || text('noSubject');
  return (
    <Screen title={text('title')} lead={text('lead')}>
      {isEmpty ? null : <ReceivedFilters list={list} />}
      <ProblemNotice error={download.error} />
      {answer.data?.is_complete === false ? <Notice>{text('partly')}</Notice> : null}
      <DataTable
        name="received"
        caption={text('caption')}
        columns={columns}
        rows={answer.data?.items}
        total={answer.data?.total}
        list={list}
        rowId={(row) => row.id}
        rowName={nameOf}
        actions={(row) => [
          {
            items: [
              {
                label: text('open'),
                icon: MailOpen,
                onPress: () => void navigate({ to: '/received/$id', params: { id: row.id } }),
              },
              ...(row.state === 'expired' || row.files === 0
                ? []
                : [
                    {
                      label: text(row.files === 1 ? 'download' : 'downloadAll'),
                      icon: Download,
                      onPress: () => download.mutate({ messageId: row.id, attachment: 'all' }),
                    },
                  ]),
            ],
          },
        ]}
        error={answer.error}
        onRetry={() => void answer.refetch()}
        isStale={answer.isPlaceholderData}
        empty={<NothingYet />}
      />
    </Screen>
  );
}

const tones: Record<AppReceivedBody['state'], PillTone> = { new: 'progress', downloaded: 'success', expired: 'ended' };
const stateKeys = { new: 'stateNew', downloaded: 'stateDownloaded', expired: 'stateExpired' } as const;

function useColumns(): Column<AppReceivedBody>[] {
  const text = useText('received');
  const locale = useLocale();
  const time_zone = useZone();
  return useMemo(
    () => [
      {
        id: 'subject',
        header: text('subject'),
        cell: (row) => (
          <span className={classes.subject} data-new={row.state === 'new'}>
            <Link to="/received/$id" params={{ id: row.id }}>
              <bdi>{visibleText(row.subject) || text('noSubject')}</bdi>
            </Link>
          </span>
        ),
      },
      { id: 'from', header: text('from'), cell: (row) => <From row={row} /> },
      {
        id: 'files',
        header: text('files'),
        isNumeric: true,
        cell: (row) => (row.files === 0 ? text('none') : row.files),
      },
      {
        id: 'size',
        header: text('size'),
        isNumeric: true,
        sort: 'size',
        cell: (row) => (row.files === 0 ? text('none') : sizeIn(locale, row.size)),
      },
      {
        id: 'received',
        header: text('received'),
        sort: 'received_at',
        cell: (row) => (
          <time dateTime={row.received_at} className={classes.day}>
            {shortMoment(locale, time_zone, row.received_at)}
          </time>
        ),
      },
      {
        id: 'until',
        header: text('until'),
        sort: 'expires_at',
        cell: (row) => <span className={classes.day}>{dateText(locale, row.expires_at)}</span>,
      },
      {
        id: 'state',
        header: text('state'),
        cell: (row) => (
          <Pill tone={tones[row.state]} {...(row.state === 'new' ? { icon: Mail } : {})}>
            {text(stateKeys[row.state])}
          </Pill>
        ),
      },
    ],
    [text, locale, time_zone],
  );
}

/** The address always stands beside the name, since the name alone proves nothing (experience 4.10). */
function From({ row }: { row: AppReceivedBody }) {
  const text = useText('received');
  const name = visibleText(row.from.name);
  return (
    <span className={classes.from}>
      <bdi>{name}</bdi>
      {row.from.name === row.from.address ? null : (
        <bdi className={classes.address}>{visibleText(row.from.address)}</bdi>
      )}
      {row.kind === 'message' ? null : (
        <span className={classes.kind}>{text(row.kind === 'request' ? 'kindOfRequest' : 'kindOfDrop')}</span>
      )}
      {row.is_sender_confirmed ? null : (
        <span className={classes.unchecked}>
          <Icon of={TriangleAlert} sizePx={14} /> {text('notChecked')}
        </span>
      )}
    </span>
  );
}

function NothingYet() {
  const text = useText('received');
  const { features } = useMe();
  const { data } = useApi('getAppDrop', {}, { isWanted: features.drop_page });
  const address = data?.drop.is_open === true ? data.drop.random_url || data.drop.email_url : '';
  return (
    <EmptyState
      icon={Inbox}
      action={
        address === '' ? undefined : (
          <div className={classes.drop}>
            <CopyField label={text('dropAddress')} help={text('emptyDrop')} value={address} said={text('dropCopied')} />
          </div>
        )
      }
    >
      {text('empty')}
    </EmptyState>
  );
}

/** `2 new.` when people arrive, and whenever there are more than before. */
function useNewSaid(): void {
  const text = useText('received');
  const { data } = useApi('listReceived', { query: { state: 'new', size: '1' } as never });
  const last = useRef(0);
  const total = data?.total;
  useEffect(() => {
    if (total === undefined) return;
    if (total > last.current) announce(text('newSaid', { n: total }));
    last.current = total;
  }, [total, text]);
}
