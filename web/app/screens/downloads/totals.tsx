// The layout is shown immediately; numbers follow.

import type { AppLogFiguresBody } from '#contract/app/downloads.ts';
import { useFormats } from '../../formats.ts';
import { type TextKey, useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { Skeleton, SkeletonBar } from '../../ui/states.tsx';
import classes from './downloads.module.css';

interface Props {
  statistics: AppLogFiguresBody | undefined;
  isOld: boolean;
  onRetry: () => void;
}

export function Totals({ statistics, isOld, onRetry }: Props) {
  const text = useText('downloads');
  const { number, size } = useFormats();
  const shown: [TextKey<'downloads'>, (known: AppLogFiguresBody) => string][] = [
    ['downloads', ({ downloads }) => number(downloads)],
    ['data', ({ bytes }) => size(bytes)],
    ['people', ({ people }) => number(people)],
    [
      'countries',
      ({ countries, has_locations }) => (has_locations || countries > 0 ? number(countries) : text('none')),
    ],
  ];
  return (
    <Card isFlush>
      <dl className={classes.figures} data-old={isOld} aria-label={text('figures')}>
        {shown.map(([label, figureOf], index) => (
          <div key={label} className={classes.figure}>
            <dt>{text(label)}</dt>
            <dd>
              {statistics === undefined ? (
                <Skeleton onRetry={index === 0 ? onRetry : undefined}>
                  <SkeletonBar width="60%" height="1.75rem" />
                </Skeleton>
              ) : (
                figureOf(statistics)
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
