// Every download of the chosen time and filters, newest first; each opens with all that is known about it.
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import type { DownloadBody } from '#contract/downloads.ts';
import { regional } from '#language/locale.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { type Formats, useFormats } from '../../formats.ts';
import { NamesContext } from '../../names.ts';
import { PersonName } from '../../parts/person-name.tsx';
import { type Text, useText } from '../../texts.ts';
import type { Column } from '../../ui/columns.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Stack } from '../../ui/layout.tsx';
import classes from './downloads.module.css';
import { EntryDrawer } from './entry.tsx';
import { useDeviceName } from './filters.tsx';
import { countryName, type Scope } from './scope.ts';

export function DownloadsTable({ scope }: { scope: Scope }) {
  const text = useText('downloads');
  const formats = useFormats();
  const deviceName = useDeviceName();
  const answer = useApi('listAppLog', { query: scope.pageQuery }, { keepsLast: true });
  const [opened, setOpened] = useState<DownloadBody | null>(null);
  // Figures say the counts after a filter; here only pages are told.
  const quietList = useMemo(() => ({ ...scope.list, filters: {} }), [scope.list]);
  return (
    <NamesContext value={answer.data?.names ?? {}}>
      <DataTable
        name="log"
        caption={text('table')}
        columns={[
          whenColumn(text, formats, setOpened),
          ...factColumns(text, formats),
          {
            id: 'device',
            header: text('device'),
            cell: ({ platform, browser, os }) => (
              <Two
                first={deviceName(platform)}
                second={visibleText([browser, os].filter((word) => word !== '').join(', '))}
              />
            ),
          },
          tookColumn(text, formats),
        ]}
        list={quietList}
        query={answer}
        rows={answer.data?.items}
        total={answer.data?.total}
        rowName={(row) => text('entryOf', { name: visibleText(row.filename), time: formats.moment(row.downloaded_at) })}
        empty={null}
      />
      <EntryDrawer entry={opened} scope={scope} onClose={() => setOpened(null)} />
    </NamesContext>
  );
}

type Say = Text<'downloads'>;

function whenColumn(text: Say, formats: Formats, onOpen: (entry: DownloadBody) => void): Column<DownloadBody> {
  return {
    id: 'when',
    header: text('time'),
    sort: 'downloaded_at',
    cell: (row) => {
      const time = formats.moment(row.downloaded_at);
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
  };
}

function factColumns(text: Say, formats: Formats): Column<DownloadBody>[] {
  return [
    {
      id: 'file',
      header: text('file'),
      cell: ({ filename, size }) => <Two first={<bdi>{visibleText(filename)}</bdi>} second={formats.size(size)} />,
    },
    {
      id: 'who',
      header: text('who'),
      cell: ({ recipient }) => (
        <span className={classes.who}>{recipient === '' ? text('someone') : <PersonName address={recipient} />}</span>
      ),
    },
    { id: 'source', header: text('source'), cell: (row) => <Source entry={row} /> },
    {
      id: 'where',
      header: text('place'),
      cell: ({ country_code: code, country_name, city }) =>
        code === '' ? (
          text('unknown')
        ) : (
          <Two first={countryName(formats.locale, code, country_name)} second={visibleText(city)} />
        ),
    },
  ];
}

function tookColumn(text: Say, formats: Formats): Column<DownloadBody> {
  const seconds = new Intl.NumberFormat(regional(formats.locale), { maximumFractionDigits: 1 });
  return {
    id: 'took',
    header: text('took'),
    isNumeric: true,
    cell: ({ download_time, download_speed }) => (
      <Two
        first={text('seconds', { n: seconds.format(Number(download_time)) })}
        second={text('perSecond', { size: formats.size(download_speed) })}
      />
    ),
  };
}

function Two({ first, second }: { first: ReactNode; second: string }) {
  return (
    <Stack as="span" gap={2}>
      <span>{first}</span>
      {second === '' ? null : <span className={classes.under}>{second}</span>}
    </Stack>
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
