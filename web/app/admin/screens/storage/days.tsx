import type { StorageBody } from '#contract/admin/storage.ts';
import { useFormats } from '../../../formats.ts';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { Bars } from '../../../ui/bars.tsx';
import { Card } from '../../../ui/card.tsx';
import { ChartTableSwitch } from '../../../ui/chart-table-switch.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';

export function Days({ storage: { days, full_on, total } }: { storage: StorageBody }) {
  const text = useText('admin/storage');
  const formats = useFormats();
  const { params, change } = useSearchParams();
  const isTable = params.view === 'table';
  const [first] = days;
  return (
    <Card
      title={text('days')}
      actions={
        <ChartTableSwitch isTable={isTable} onSwitch={(toTable) => change({ view: toTable ? 'table' : undefined })}>
          {text(isTable ? 'showBars' : 'showTable')}
        </ChartTableSwitch>
      }
    >
      <Stack>
        <p>{forecastOf()}</p>
        {isTable ? <DaysTable days={days} /> : <DaysBars days={days} onClick={() => change({ view: 'table' })} />}
        {first === undefined ? null : <Muted>{text('daysSince', { date: formats.longDate(first.date) })}</Muted>}
      </Stack>
    </Card>
  );

  function forecastOf(): string {
    if (total === null) return text('noLimit');
    if (full_on !== null) return text('fullOn', { date: formats.longDate(full_on) });
    return text(days.length < 2 ? 'noForecastYet' : 'noForecast');
  }
}

type DaysOf = { days: StorageBody['days'] };

function DaysTable({ days }: DaysOf) {
  const text = useText('admin/storage');
  const { date: write, size } = useFormats();
  return (
    <PlainTable
      caption={text('daysLabel')}
      isCaptionHidden
      isNumeric
      headers={[text('day'), text('filesOfPeople'), text('disk')]}
      rows={days.toReversed().map(({ date, kept, used }) => ({
        id: date,
        cells: [write(date), size(kept), used === null ? text('unknown') : size(used)],
      }))}
    />
  );
}

function DaysBars({ days, onClick }: DaysOf & { onClick: () => void }) {
  const text = useText('admin/storage');
  const { longDate, shortDate, size } = useFormats();
  return (
    <Bars
      label={text('daysLabel')}
      isSize
      bars={days.map(({ date, kept }) => ({
        key: date,
        value: kept,
        label: shortDate(date),
        sentence: text('daySentence', { date: longDate(date), size: size(kept) }),
      }))}
      onClick={onClick}
    />
  );
}
