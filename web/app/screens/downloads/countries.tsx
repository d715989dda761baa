// A decorative map, and a list that is also the filter.

import { MapPinOff } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { AppLogFiguresBody } from '#contract/app/downloads.ts';
import { useFormats } from '../../formats.ts';
import { fetchFile } from '../../lazy-files.tsx';
import { useMe } from '../../me.ts';
import { PartBoundary } from '../../parts/part-boundary.tsx';
import { useLocale, useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Muted, Note, Stack } from '../../ui/layout.tsx';
import { BarList } from './bar-list.tsx';
import classes from './downloads.module.css';
import { countryName, type Scope } from './scope.ts';

const WorldMap = lazy(() => fetchFile(async () => ({ default: (await import('../../ui/world-map.tsx')).WorldMap })));

interface Props {
  scope: Scope;
  statistics: AppLogFiguresBody;
}

export function Countries({ scope, statistics }: Props) {
  const text = useText('downloads');
  const [isFitted, setFitted] = useState(false);
  const { per_country: countries } = statistics;
  if (countries.length === 0 && scope.list.filters.country === undefined)
    return <NoCountries statistics={statistics} />;
  return (
    <Card
      title={text('where')}
      actions={
        countries.some(({ latitude }) => latitude !== null) ? (
          <Button size="small" variant="quiet" onClick={() => setFitted(!isFitted)}>
            {text(isFitted ? 'wholeWorld' : 'fitMap')}
          </Button>
        ) : undefined
      }
    >
      <div className={classes.where}>
        <Places scope={scope} statistics={statistics} isFitted={isFitted} />
      </div>
    </Card>
  );
}

interface PlacesProps extends Props {
  isFitted: boolean;
}

function Places({ scope, statistics, isFitted }: PlacesProps) {
  const text = useText('downloads');
  const locale = useLocale();
  const [hovered, setHovered] = useState<string | null>(null);
  const { country: chosen } = scope.list.filters;
  const { downloads, without_location: without, per_country } = statistics;
  const named = useMemo(
    () => per_country.map((one) => ({ ...one, name: countryName(locale, one.country_code, one.country_name) })),
    [per_country, locale],
  );
  return (
    <>
      <PartBoundary>
        <Suspense fallback={<div className={classes.mapSpace} />}>
          <CountryMap
            countries={named}
            located={downloads - without}
            isFitted={isFitted}
            marked={hovered ?? chosen ?? null}
          />
        </Suspense>
      </PartBoundary>
      <Stack gap={12}>
        <BarList
          label={text('countryList')}
          rows={named.map(({ country_code: key, name, downloads: amount }) => ({
            key,
            name,
            amount,
            count: text('countOnly', { n: amount }),
          }))}
          chosen={chosen}
          onChoose={(country) => scope.list.filter({ country })}
          onHover={setHovered}
        />
        {without === 0 ? null : <Muted>{text('withoutLocation', { n: without, all: downloads })}</Muted>}
      </Stack>
    </>
  );
}

interface MapProps {
  countries: readonly (AppLogFiguresBody['per_country'][number] & { name: string })[];
  located: number;
  isFitted: boolean;
  marked: string | null;
}

function CountryMap({ countries, located, isFitted, marked }: MapProps) {
  const text = useText('downloads');
  const { number } = useFormats();
  const [top] = countries;
  const circles = useMemo(
    () =>
      countries.flatMap(({ country_code: key, latitude, longitude, downloads: amount, name }) => {
        const label = text('countryCount', { name, n: amount });
        return latitude === null || longitude === null ? [] : [{ key, latitude, longitude, amount, label }];
      }),
    [countries, text],
  );
  const sentence =
    top === undefined
      ? text('noLocations')
      : text('mapSentence', {
          downloads: located,
          countries: countries.length,
          top: top.name,
          most: number(top.downloads),
        });
  return <WorldMap sentence={sentence} circles={circles} isFitted={isFitted} marked={marked} />;
}

/** Locations are disabled, or unknown for all of these downloads. */
function NoCountries({ statistics }: { statistics: AppLogFiguresBody }) {
  const text = useText('downloads');
  const { features } = useMe();
  return (
    <Card title={text('where')}>
      <Note icon={MapPinOff} tone="muted">
        {statistics.has_locations
          ? text('noLocations')
          : features.system_administration
            ? text('locationsOffAdmin', { setting: 'WAYBILL_GEOIP_DB' })
            : text('locationsOff')}
      </Note>
    </Card>
  );
}
