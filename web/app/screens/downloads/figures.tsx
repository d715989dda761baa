// The four figures of the log. Their places stand at once; the numbers come when they are added up.
import type { AppLogFiguresBody } from '#contract/app/downloads.ts';
import { regional } from '#language/locale.ts';
import { sizeIn } from '#language/sizes.ts';
import { type TextKey, useLocale, useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { Skeleton, SkeletonBar } from '../../ui/skeleton.tsx';
import classes from './downloads.module.css';

interface Props {
  figures: AppLogFiguresBody | undefined;
  /** Still those of the filters before. */
  isOld: boolean;
  onRetry: () => void;
}

export function Figures({ figures, isOld, onRetry }: Props) {
  const text = useText('downloads');
  const locale = useLocale();
  const number = (value: number) => new Intl.NumberFormat(regional(locale)).format(value);
  const shown: [TextKey<'downloads'>, string | null][] =
    figures === undefined
      ? [
          ['downloads', null],
          ['data', null],
          ['people', null],
          ['countries', null],
        ]
      : [
          ['downloads', number(figures.downloads)],
          ['data', sizeIn(locale, figures.bytes)],
          ['people', number(figures.people)],
          ['countries', figures.has_locations || figures.countries > 0 ? number(figures.countries) : text('none')],
        ];
  return (
    <Card isFlush>
      <dl className={isOld ? `${classes.figures} ${classes.old}` : classes.figures} aria-label={text('figures')}>
        {shown.map(([label, value], index) => (
          <div key={label} className={classes.figure}>
            <dt>{text(label)}</dt>
            <dd>
              {value ?? (
                <Skeleton {...(index === 0 ? { onRetry } : {})}>
                  <SkeletonBar width="60%" height="1.75rem" />
                </Skeleton>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
