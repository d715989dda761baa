import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { AppLinkDetailBody } from '#contract/app/file-links.ts';
import type { DownloadBody } from '#contract/downloads.ts';
import { dayOf } from '../../../formats.ts';
import { addDays, daysUntil } from '../../dates.ts';
import { useFormats } from '../../formats.ts';
import { useMe, useZone } from '../../me.ts';
import { NamesContext } from '../../names.ts';
import { PersonName } from '../../parts/person-name.tsx';
import { useText } from '../../texts.ts';
import { Bars } from '../../ui/bars.tsx';
import { Button } from '../../ui/button.tsx';
import { Muted, Row, Stack } from '../../ui/layout.tsx';
import { PlainTable } from '../../ui/plain-table.tsx';
import classes from './file-links.module.css';

export function LinkDownloads({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
  const formats = useFormats();
  const { downloads, last_download_at: lastAt } = link;
  if (downloads === 0) return <Muted>{text('downloadsNone')}</Muted>;
  return (
    <Stack>
      <Row>
        <span className={classes.figure}>{text('downloadsSum', { n: downloads })}</span>
        {lastAt === null ? null : <Muted as="span">{text('lastWas', { moment: formats.dateTime(lastAt) })}</Muted>}
      </Row>
      <PerDay link={link} />
      <NamesContext value={link.names}>
        <Newest downloads={link.recent_downloads.slice(0, shownDownloads)} />
      </NamesContext>
      <p>
        <Link to="/log" search={{ link: link.id } as never}>
          {text('inLog')}
        </Link>
      </p>
    </Stack>
  );
}

/** The download log has all of them. */
const shownDownloads = 10;
const fewestDays = 14;
const mostDays = 90;

/** At least two weeks, at most what the server returns. */
function daysOf(link: AppLinkDetailBody, today: string, zone: string): { date: string; count: number }[] {
  const end = [today, ...link.downloads_per_day.map(({ date }) => date)].toSorted().at(-1)!;
  const age = daysUntil(dayOf(zone, link.created_at), end) + 1;
  const length = Math.min(mostDays, Math.max(fewestDays, age));
  const counts = new Map(link.downloads_per_day.map(({ date, downloads }) => [date, downloads]));
  return Array.from({ length }, (_, index) => {
    const date = addDays(end, index - length + 1);
    return { date, count: counts.get(date) ?? 0 };
  });
}

function PerDay({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
  const formats = useFormats();
  const navigate = useNavigate();
  const [isTable, setTable] = useState(false);
  const days = daysOf(link, useMe().today, useZone());
  const most = days.reduce((best, day) => (day.count > best.count ? day : best));
  if (most.count === 0) return null;
  return (
    <Stack>
      {isTable ? (
        <PlainTable
          caption={text('perDay')}
          isCaptionHidden
          isNumeric
          headers={[text('day'), text('downloads')]}
          rows={days
            .filter(({ count }) => count > 0)
            .toReversed()
            .map(({ date, count }) => ({ id: date, cells: [formats.date(date), count] }))}
        />
      ) : (
        <Bars
          label={text('perDay')}
          hint={text('plotSentence', {
            n: days.reduce((sum, { count }) => sum + count, 0),
            from: formats.date(days[0]!.date),
            to: formats.date(days.at(-1)!.date),
            most: formats.date(most.date),
          })}
          bars={days.map(({ date, count }) => ({
            key: date,
            value: count,
            label: formats.date(date),
            sentence: text('barSentence', { date: formats.date(date), n: count }),
          }))}
          onClick={(date) => void navigate({ to: '/log', search: { link: link.id, from: date, to: date } as never })}
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
  const formats = useFormats();
  if (downloads.length === 0) return null;
  return (
    <PlainTable
      caption={text('newest')}
      headers={[text('when'), text('who'), text('where'), text('device')]}
      rows={downloads.map(({ id, downloaded_at, recipient, city, country_name, location, browser, os }) => ({
        id: String(id),
        cells: [
          formats.dateTime(downloaded_at),
          recipient === '' ? text('whoUnknown') : <PersonName key="who" address={recipient} />,
          joined(city, country_name) || location || text('whereUnknown'),
          joined(browser, os) || text('whereUnknown'),
        ],
      }))}
    />
  );
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}
