import type { OverviewBody } from '#contract/admin/overview.ts';
import { useFormats } from '../../../formats.ts';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { Bars } from '../../../ui/bars.tsx';
import { Card } from '../../../ui/card.tsx';
import { ChartTableSwitch } from '../../../ui/chart-table-switch.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';

export function Days({ days }: { days: OverviewBody['days'] }) {
  const text = useText('admin/overview');
  const formats = useFormats();
  const { params, change } = useSearchParams();
  const isTable = params.days === 'table';
  return (
    <Card
      title={text('days')}
      actions={
        <ChartTableSwitch isTable={isTable} onSwitch={(toTable) => change({ days: toTable ? 'table' : undefined })}>
          {text(isTable ? 'showBars' : 'showTable')}
        </ChartTableSwitch>
      }
    >
      {isTable ? (
        <PlainTable
          caption={text('daysTable')}
          isCaptionHidden
          isNumeric
          headers={[text('day'), text('messages'), text('downloads'), text('received')]}
          rows={days.toReversed().map(({ date, messages, downloads, bytes }) => ({
            id: date,
            cells: [formats.date(date), formats.number(messages), formats.number(downloads), formats.size(bytes)],
          }))}
        />
      ) : (
        <Bars
          label={text('daysLabel')}
          bars={days.map(({ date, messages, downloads, bytes }) => ({
            key: date,
            value: downloads,
            label: formats.shortDate(date),
            sentence: text('daySentence', {
              date: formats.longDate(date),
              downloads,
              messages,
              size: formats.size(bytes),
            }),
          }))}
          onClick={() => change({ days: 'table' })}
        />
      )}
    </Card>
  );
}
