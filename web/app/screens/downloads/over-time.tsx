import { useMemo } from 'react';
import type { AppLogFiguresBody } from '#contract/app/downloads.ts';
import { regional } from '#language/locale.ts';
import { longDate, zoneName } from '../../../formats.ts';
import { useFormats } from '../../formats.ts';
import { useZone } from '../../me.ts';
import { useSearchParams } from '../../search-params.ts';
import { type Text, useText } from '../../texts.ts';
import { Bars } from '../../ui/bars.tsx';
import { Card } from '../../ui/card.tsx';
import { ChartTableSwitch } from '../../ui/chart-table-switch.tsx';
import { Muted } from '../../ui/layout.tsx';
import { PlainTable } from '../../ui/plain-table.tsx';
import type { Scope } from './scope.ts';
import { type Span, type SpanUnit, spansOf, unitOf } from './spans.ts';

export function OverTime({ scope, statistics }: { scope: Scope; statistics: AppLogFiguresBody }) {
  const text = useText('downloads');
  const formats = useFormats();
  const { locale } = formats;
  const zone = useZone();
  const { params, change } = useSearchParams();
  const isTable = params.when === 'table';
  const { from, to, per_day } = statistics;
  const unit = unitOf(from, to);
  const spans = useMemo(() => spansOf(from, to, per_day), [from, to, per_day]);
  return (
    <Card
      title={text('when')}
      actions={
        <ChartTableSwitch isTable={isTable} onSwitch={(toTable) => change({ when: toTable ? 'table' : undefined })}>
          {text(isTable ? 'showBars' : 'showTable')}
        </ChartTableSwitch>
      }
    >
      {isTable ? (
        <SpanTable spans={spans} unit={unit} />
      ) : (
        <Bars
          label={text('whenLabel')}
          hint={text('barsHint')}
          bars={spans.map((span) => ({
            key: span.from,
            value: span.downloads,
            label: shortDay(locale, span.from, unit),
            sentence: text('barSentence', {
              when: nameOf(locale, text, span, unit),
              n: span.downloads,
              size: formats.size(span.bytes),
            }),
          }))}
          onClick={(key) => {
            const span = spans.find((one) => one.from === key);
            if (span !== undefined) scope.choose({ from: span.from, to: span.to });
          }}
        />
      )}
      <Muted>{text('inZone', { zone: zoneName(locale, zone, to) })}</Muted>
    </Card>
  );
}

const headers = { day: 'day', week: 'week', month: 'month' } as const;

function SpanTable({ spans, unit }: { spans: readonly Span[]; unit: SpanUnit }) {
  const text = useText('downloads');
  const formats = useFormats();
  return (
    <PlainTable
      caption={text('whenLabel')}
      isCaptionHidden
      isNumeric
      headers={[text(headers[unit]), text('downloads'), text('data')]}
      rows={spans.map(({ from, downloads, bytes }) => ({
        id: from,
        cells: [
          unit === 'month' ? monthName(formats.locale, from) : formats.longDate(from),
          formats.number(downloads),
          formats.size(bytes),
        ],
      }))}
    />
  );
}

function nameOf(locale: string, text: Text<'downloads'>, span: Span, unit: SpanUnit): string {
  if (unit === 'month') return monthName(locale, span.from);
  const date = longDate(locale, span.from);
  return unit === 'week' ? text('weekOf', { date }) : date;
}

function monthName(locale: string, date: string): string {
  return format(locale, date, { month: 'long', year: 'numeric' });
}

function shortDay(locale: string, date: string, unit: SpanUnit): string {
  return format(
    locale,
    date,
    unit === 'month' ? { month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short' },
  );
}

function format(locale: string, date: string, style: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(regional(locale), { ...style, timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));
}
