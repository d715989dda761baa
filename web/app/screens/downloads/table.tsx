// Each download as a line; the time opens everything that is known about it.
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import type { DownloadBody } from '#contract/downloads.ts';
import { regional } from '#language/locale.ts';
import { sizeIn } from '#language/sizes.ts';
import { shortMoment } from '../../../formats.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { useZone } from '../../me.ts';
import { useLocale, useText } from '../../texts.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import classes from './downloads.module.css';
import { EntryDrawer } from './entry.tsx';
import { useDeviceName } from './filters.tsx';
import { countryName, type Scope } from './scope.ts';

export function DownloadsTable({ scope }: { scope: Scope }) {
  const text = useText('downloads');
  const locale = useLocale();
  const time_zone = useZone();
  const answer = useApi('listAppLog', { query: scope.pageQuery }, { keepsLast: true });
  const [opened, setOpened] = useState<DownloadBody | null>(null);
  const columns = useColumns(setOpened);
  // Figures say the counts after a filter; here only pages are told.
  const quietList = useMemo(() => ({ ...scope.list, filters: {} }), [scope.list]);
  return (
    <>
      <DataTable
        name="log"
        caption={text('table')}
        columns={columns}
        rows={answer.data?.items}
        total={answer.data?.total}
        list={quietList}
        rowId={(row) => String(row.id)}
        rowName={(row) =>
          text('entryOf', {
            name: visibleText(row.filename),
            time: shortMoment(locale, time_zone, row.downloaded_at),
          })
        }
        error={answer.error}
        onRetry={() => void answer.refetch()}
        isStale={answer.isPlaceholderData}
        empty={null}
      />
      <EntryDrawer entry={opened} scope={scope} onClose={() => setOpened(null)} />
    </>
  );
}

function useColumns(onOpen: (entry: DownloadBody) => void): Column<DownloadBody>[] {
  const text = useText('downloads');
  const locale = useLocale();
  const time_zone = useZone();
  const deviceName = useDeviceName();
  return [
    {
      id: 'when',
      header: text('time'),
      sort: 'downloaded_at',
      cell: (row) => {
        const time = shortMoment(locale, time_zone, row.downloaded_at);
        return (
          <button
            type="button"
            className={classes.open}
            aria-label={text('details', { name: visibleText(row.filename), time })}
            onClick={() => onOpen(row)}
          >
            <time dateTime={row.downloaded_at}>{time}</time>
          </button>
        );
      },
    },
    {
      id: 'file',
      header: text('file'),
      cell: (row) => <Two first={<bdi>{visibleText(row.filename)}</bdi>} second={sizeIn(locale, row.size)} />,
    },
    {
      id: 'who',
      header: text('who'),
      cell: (row) => (
        <span className={classes.who}>
          {row.recipient === '' ? text('someone') : <bdi>{visibleText(row.recipient)}</bdi>}
        </span>
      ),
    },
    { id: 'source', header: text('source'), cell: (row) => <Source entry={row} /> },
    {
      id: 'where',
      header: text('place'),
      cell: (row) =>
        row.country_code === '' ? (
          text('unknown')
        ) : (
          <Two
            first={countryName(locale, row.country_code, row.country_name)}
            second={row.city === '' ? null : visibleText(row.city)}
          />
        ),
    },
    {
      id: 'device',
      header: text('device'),
      cell: (row) => (
        <Two first={deviceName(row.platform)} second={visibleText([row.browser, row.os].filter(Boolean).join(', '))} />
      ),
    },
    {
      id: 'took',
      header: text('took'),
      isNumeric: true,
      cell: (row) => (
        <Two first={<Seconds entry={row} />} second={text('perSecond', { size: sizeIn(locale, row.download_speed) })} />
      ),
    },
  ];
}

function Seconds({ entry }: { entry: DownloadBody }) {
  const text = useText('downloads');
  const locale = useLocale();
  const style = { maximumFractionDigits: 1 };
  return text('seconds', { n: new Intl.NumberFormat(regional(locale), style).format(Number(entry.download_time)) });
}

function Two({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <span className={classes.two}>
      <span>{first}</span>
      {second === null || second === '' ? null : <span className={classes.under}>{second}</span>}
    </span>
  );
}

function Source({ entry }: { entry: DownloadBody }) {
  const text = useText('downloads');
  if (entry.message_id !== null)
    return (
      <Link to="/sent/$id" params={{ id: entry.message_id }}>
        {text('message')}
      </Link>
    );
  if (entry.filelink_id !== null)
    return (
      <Link to="/links/$id" params={{ id: entry.filelink_id }}>
        {text('link')}
      </Link>
    );
  return text('unknown');
}
