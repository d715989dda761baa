import type { DownloadFiguresBody } from '#contract/admin/downloads.ts';
import { visibleText } from '../../../../visible.ts';
import { useFormats } from '../../../formats.ts';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { Bars } from '../../../ui/bars.tsx';
import { Card } from '../../../ui/card.tsx';
import { ChartTableSwitch } from '../../../ui/chart-table-switch.tsx';
import { Columns, Pairs } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { useCountryName } from './country-names.ts';

export function Statistics({ statistics }: { statistics: DownloadFiguresBody }) {
  const text = useText('admin/downloads');
  const { number, size } = useFormats();
  return (
    <Columns
      main={
        <>
          <Days days={statistics.days} />
          {statistics.downloads === 0 ? null : <Owners owners={statistics.owners} />}
        </>
      }
      side={
        <>
          <Card title={text('sums')}>
            <Pairs
              pairs={[
                { name: text('downloads'), value: number(statistics.downloads) },
                { name: text('data'), value: size(statistics.bytes) },
                { name: text('recipients'), value: number(statistics.recipients) },
              ]}
            />
          </Card>
          {statistics.downloads === 0 ? null : <Countries countries={statistics.countries} />}
        </>
      }
    />
  );
}

function Days({ days }: { days: DownloadFiguresBody['days'] }) {
  const text = useText('admin/downloads');
  const formats = useFormats();
  const { params, change } = useSearchParams();
  const isTable = params.view === 'table';
  return (
    <Card
      title={text('perDay')}
      actions={
        <ChartTableSwitch isTable={isTable} onSwitch={(toTable) => change({ view: toTable ? 'table' : undefined })}>
          {text(isTable ? 'showBars' : 'showTable')}
        </ChartTableSwitch>
      }
    >
      {isTable ? (
        <PlainTable
          caption={text('perDayTable')}
          isCaptionHidden
          isNumeric
          headers={[text('day'), text('downloads'), text('data')]}
          rows={days.toReversed().map(({ date, downloads, bytes }) => ({
            id: date,
            cells: [formats.date(date), formats.number(downloads), formats.size(bytes)],
          }))}
        />
      ) : (
        <Bars
          label={text('perDay')}
          bars={days.map(({ date, downloads, bytes }) => ({
            key: date,
            value: downloads,
            label: formats.shortDate(date),
            sentence: text('daySentence', { date: formats.longDate(date), n: downloads, size: formats.size(bytes) }),
          }))}
          onClick={() => change({ view: 'table' })}
        />
      )}
    </Card>
  );
}

function Owners({ owners }: Pick<DownloadFiguresBody, 'owners'>) {
  const text = useText('admin/downloads');
  const { number } = useFormats();
  return (
    <Card title={text('byPerson')}>
      <PlainTable
        caption={text('byPersonTable')}
        isCaptionHidden
        isNumeric
        headers={[text('owner'), text('downloads')]}
        rows={owners.map(({ id, name, email, downloads }) => ({
          id,
          cells: [<bdi key="name">{visibleText(name || email || id)}</bdi>, number(downloads)],
        }))}
      />
    </Card>
  );
}

const shownCountries = 8;

function Countries({ countries }: Pick<DownloadFiguresBody, 'countries'>) {
  const text = useText('admin/downloads');
  const { number } = useFormats();
  const countryName = useCountryName();
  return (
    <Card title={text('byCountry')}>
      <PlainTable
        caption={text('byCountryTable')}
        isCaptionHidden
        isNumeric
        headers={[text('country'), text('downloads')]}
        rows={countries.slice(0, shownCountries).map(({ country_code: code, downloads }) => ({
          id: code,
          cells: [countryName(code), number(downloads)],
        }))}
      />
    </Card>
  );
}
