import { Link2, Mail } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { AppLogEntryBody } from '#contract/app/downloads.ts';
import { regional } from '#language/locale.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { type Formats, useFormats } from '../../formats.ts';
import type { List } from '../../list.ts';
import { NamesContext } from '../../names.ts';
import { AddressBelow, OnlyName } from '../../parts/person-name.tsx';
import { type Text, useText } from '../../texts.ts';
import type { Column } from '../../ui/columns.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Icon } from '../../ui/icon.tsx';
import classes from './downloads.module.css';
import { EntryDrawer } from './entry.tsx';
import { useDeviceName } from './filters.tsx';
import { countryName, type Scope } from './scope.ts';

export function DownloadsTable({ scope }: { scope: Scope }) {
  const text = useText('downloads');
  const formats = useFormats();
  const deviceName = useDeviceName();
  const answer = useApi('listAppLog', { query: scope.pageQuery }, { keepsLast: true });
  const [opened, setOpened] = useState<AppLogEntryBody | null>(null);
  // The statistics announce counts after a filter; the list announces only pages.
  const quietList = useMemo(() => ({ ...scope.list, filters: {} }), [scope.list]);
  return (
    <NamesContext value={answer.data?.names ?? {}}>
      <DataTable
        name="log"
        caption={text('table')}
        columns={[
          fileColumn(text, formats, setOpened),
          ...factColumns(text, formats, scope.list),
          {
            id: 'device',
            header: text('device'),
            cell: ({ platform }) => deviceName(platform),
            under: ({ browser, os }) => visibleText([browser, os].filter((part) => part !== '').join(', ')),
          },
          tookColumn(text, formats),
        ]}
        list={quietList}
        query={answer}
        rows={answer.data?.items}
        total={answer.data?.total}
        rowName={(row) =>
          text('entryOf', { name: visibleText(row.filename), time: formats.dateTime(row.downloaded_at) })
        }
        empty={null}
      />
      <EntryDrawer entry={opened} scope={scope} onClose={() => setOpened(null)} />
    </NamesContext>
  );
}

type Say = Text<'downloads'>;

function fileColumn(text: Say, formats: Formats, onOpen: (entry: AppLogEntryBody) => void): Column<AppLogEntryBody> {
  return {
    id: 'file',
    header: text('file'),
    width: 'third',
    cell: (row) => (
      <button
        type="button"
        className={classes.open}
        aria-label={text('details', { name: visibleText(row.filename), time: formats.dateTime(row.downloaded_at) })}
        onClick={() => onOpen(row)}
      >
        <bdi>{visibleText(row.filename)}</bdi>
      </button>
    ),
    under: ({ size }) => formats.size(size),
  };
}

function factColumns(text: Say, formats: Formats, list: List): Column<AppLogEntryBody>[] {
  return [
    {
      id: 'when',
      header: text('time'),
      sort: 'downloaded_at',
      width: 'date',
      small: 'mark',
      cell: ({ downloaded_at: at }) => <time dateTime={at}>{formats.dateTime(at)}</time>,
    },
    {
      id: 'who',
      header: text('who'),
      small: 'line',
      cell: ({ recipient }) => (recipient === '' ? text('someone') : <OnlyName address={recipient} />),
      under: ({ recipient }) => (recipient === '' ? null : <AddressBelow address={recipient} />),
    },
    { id: 'source', header: text('source'), cell: (row) => <Source entry={row} list={list} /> },
    {
      id: 'where',
      header: text('place'),
      small: 'mark',
      cell: ({ country_code: code, country_name }) =>
        code === '' ? text('unknown') : countryName(formats.locale, code, country_name),
      under: ({ city }) => visibleText(city),
      smallCell: ({ country_code: code, country_name }) =>
        code === '' ? null : countryName(formats.locale, code, country_name),
    },
  ];
}

function tookColumn(text: Say, formats: Formats): Column<AppLogEntryBody> {
  const seconds = new Intl.NumberFormat(regional(formats.locale), { maximumFractionDigits: 1 });
  return {
    id: 'took',
    header: text('took'),
    width: 'date',
    // The drawer has all fields.
    isHidden: true,
    isNumeric: true,
    cell: ({ download_time }) => text('seconds', { n: seconds.format(Number(download_time)) }),
    under: ({ download_speed }) => text('perSecond', { size: formats.size(download_speed) }),
  };
}

/** A click filters by it. */
function Source({ entry, list }: { entry: AppLogEntryBody; list: List }) {
  const text = useText('downloads');
  const { message_id: message, filelink_id: link } = entry;
  if (message === null && link === null) return text('unknown');
  const name = visibleText(entry.source_name) || text('noSubject');
  return (
    <button
      type="button"
      className={classes.source}
      aria-label={text(message === null ? 'onlyFromLink' : 'onlyFromMessage', { name })}
      onClick={() => list.filter(message === null ? { link: link ?? undefined } : { message })}
    >
      <Icon of={message === null ? Link2 : Mail} sizePx={14} /> <bdi>{name}</bdi>
    </button>
  );
}
