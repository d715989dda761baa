// Where downloads were: a map for the eye, and the list of countries, which tells the same and is the filter.
import { MapPinOff } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { AppLogFiguresBody } from '#contract/app/downloads.ts';
import { regional } from '#language/locale.ts';
import { useMe } from '../../me.ts';
import { PartBoundary } from '../../parts/part-boundary.tsx';
import { useLocale, useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { BarList } from './bar-list.tsx';
import classes from './downloads.module.css';
import { countryName, type Scope } from './scope.ts';

const WorldMap = lazy(async () => ({ default: (await import('../../ui/world-map.tsx')).WorldMap }));

export function Countries({ scope, figures }: { scope: Scope; figures: AppLogFiguresBody }) {
  const text = useText('downloads');
  const [isFitted, setFitted] = useState(false);
  const { per_country: countries } = figures;
  if (countries.length === 0 && scope.list.filters.country === undefined) return <Nowhere figures={figures} />;
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
        <Places scope={scope} figures={figures} isFitted={isFitted} />
      </div>
    </Card>
  );
}

function Places({ scope, figures, isFitted }: { scope: Scope; figures: AppLogFiguresBody; isFitted: boolean }) {
  const text = useText('downloads');
  const locale = useLocale();
  const [looked, setLooked] = useState<string | null>(null);
  const chosen = scope.list.filters.country;
  const named = useMemo(
    () =>
      figures.per_country.map((country) => {
        const name = countryName(locale, country.country_code, country.country_name);
        return { ...country, name, sentence: text('countryCount', { name, n: country.downloads }) };
      }),
    [figures.per_country, locale, text],
  );
  const circles = useMemo(
    () =>
      named.flatMap(({ country_code: key, latitude, longitude, downloads: amount, sentence: label }) =>
        latitude === null || longitude === null ? [] : [{ key, latitude, longitude, amount, label }],
      ),
    [named],
  );
  const number = new Intl.NumberFormat(regional(locale));
  const { downloads, without_location: without } = figures;
  const located = downloads - without;
  const top = named[0];
  return (
    <>
      <PartBoundary>
        <Suspense fallback={<div className={classes.mapSpace} />}>
          <WorldMap
            sentence={
              top === undefined
                ? text('noLocations')
                : text('mapSentence', {
                    downloads: located,
                    countries: named.length,
                    top: top.name,
                    most: number.format(top.downloads),
                  })
            }
            circles={circles}
            isFitted={isFitted}
            marked={looked ?? chosen ?? null}
          />
        </Suspense>
      </PartBoundary>
      <div className={classes.stack}>
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
          onLook={setLooked}
        />
        {without === 0 ? null : (
          <p className={classes.note}>{text('withoutLocation', { n: without, all: downloads })}</p>
        )}
      </div>
    </>
  );
}

/** No country at all: locations are off, or none of these downloads has one. */
function Nowhere({ figures }: { figures: AppLogFiguresBody }) {
  const text = useText('downloads');
  const { features } = useMe();
  return (
    <Card title={text('where')}>
      <EmptyState icon={MapPinOff}>
        {figures.has_locations
          ? text('noLocations')
          : features.system_administration
            ? text('locationsOffAdmin', { setting: 'WAYBILL_GEOIP_DB' })
            : text('locationsOff')}
      </EmptyState>
    </Card>
  );
}
