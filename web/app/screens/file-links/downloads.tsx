// Who fetched the file of a link and when: bars per day with a table as their twin, and the newest downloads.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AppLinkDetailBody } from '#contract/app/file-links.ts';
import type { DownloadBody } from '#contract/downloads.ts';
import { dayOf, shortMoment } from '../../../formats.ts';
import { addDays, dateText, daysUntil } from '../../dates.ts';
import { useMe, useZone } from '../../me.ts';
import { Muted, Stack } from '../../parts/columns.tsx';
import { useLocale, useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { DayBars, type DayCount, DayTable } from '../../ui/day-bars.tsx';
import classes from './file-links.module.css';
import { PlainTable } from './plain-table.tsx';

export function LinkDownloads({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
  const locale = useLocale();
  const time_zone = useZone();
  const { downloads, last_download_at: lastAt } = link;
  if (downloads === 0) return <Muted>{text('downloadsNone')}</Muted>;
  return (
    <Stack>
      <p className={classes.figures}>
        <span className={classes.figure}>{text('downloadsSum', { n: downloads })}</span>
        {lastAt === null ? null : <Muted>{text('lastWas', { moment: shortMoment(locale, time_zone, lastAt) })}</Muted>}
      </p>
      <Plot link={link} />
      <Newest downloads={link.recent_downloads.slice(0, shownDownloads)} />
      <p>
        <Link to="/log" search={{ link: link.id } as never}>
          {text('inLog')}
        </Link>
      </p>
    </Stack>
  );
}

/** The log has all of them. */
const shownDownloads = 10;
const fewestDays = 14;
const mostDays = 90;

/** Every day from the link's first to now, at least two weeks and at most what the server tells of. */
function daysOf(link: AppLinkDetailBody, today: string): DayCount[] {
  const end = [today, ...link.downloads_per_day.map(({ date }) => date)].toSorted().at(-1)!;
  const age = daysUntil(dayOf('UTC', link.created_at), end) + 1;
  const count = Math.min(mostDays, Math.max(fewestDays, age));
  const counts = new Map(link.downloads_per_day.map(({ date, downloads }) => [date, downloads]));
  return Array.from({ length: count }, (_, index) => {
    const date = addDays(end, index - count + 1);
    return { date, count: counts.get(date) ?? 0 };
  });
}

function Plot({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
  const locale = useLocale();
  const [isTable, setTable] = useState(false);
  const { today } = useMe();
  const days = daysOf(link, today);
  const most = days.reduce((best, day) => (day.count > best.count ? day : best), days[0]!);
  const dateOf = (date: string) => dateText(locale, date);
  if (most.count === 0) return null;
  return (
    <Stack>
      {isTable ? (
        <DayTable
          days={days}
          caption={text('perDay')}
          dayHeader={text('day')}
          countHeader={text('downloads')}
          dateOf={dateOf}
        />
      ) : (
        <DayBars
          days={days}
          sentence={text('plotSentence', {
            n: days.reduce((sum, { count }) => sum + count, 0),
            from: dateOf(days[0]!.date),
            to: dateOf(days.at(-1)!.date),
            most: dateOf(most.date),
          })}
          nameOf={({ date, count }) => text('barSentence', { date: dateOf(date), n: count })}
          dateOf={dateOf}
        />
      )}
      <div>
        <Button size="small" variant="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {text('asTable')}
        </Button>
      </div>
    </Stack>
  );
}

function Newest({ downloads }: { downloads: readonly DownloadBody[] }) {
  const text = useText('file-links');
  const locale = useLocale();
  const time_zone = useZone();
  if (downloads.length === 0) return null;
  return (
    <PlainTable
      caption={text('newest')}
      headers={[text('when'), text('who'), text('where'), text('device')]}
      rows={downloads.map((download) => ({
        id: String(download.id),
        cells: [
          shortMoment(locale, time_zone, download.downloaded_at),
          download.recipient === '' ? text('whoUnknown') : download.recipient,
          placeOf(download) || text('whereUnknown'),
          [download.browser, download.os].filter((word) => word !== '').join(', ') || text('whereUnknown'),
        ],
      }))}
    />
  );
}

function placeOf({ city, country_name: country, location }: DownloadBody): string {
  return [city, country].filter((word) => word !== '').join(', ') || location;
}
