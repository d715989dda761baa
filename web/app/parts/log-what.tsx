// What was downloaded most; each file narrows the log to itself.
import type { AppLogFiguresBody } from '#contract/app/downloads.ts';
import { regional } from '#language/locale.ts';
import { sizeIn } from '#language/sizes.ts';
import { visibleText } from '../../visible.ts';
import type { Log } from '../log.ts';
import { useLocale, useText } from '../texts.ts';
import { Card } from '../ui/card.tsx';
import classes from './log.module.css';
import { LogRows } from './log-rows.tsx';

export function LogWhat({ log, figures }: { log: Log; figures: AppLogFiguresBody }) {
  const text = useText('log');
  const locale = useLocale();
  const number = new Intl.NumberFormat(regional(locale));
  return (
    <Card title={text('what')}>
      <div className={classes.stack}>
        <LogRows
          label={text('topFiles')}
          chosen={log.list.filters.file}
          onChoose={(file) => log.list.filter({ file })}
          rows={figures.top_files.map(({ attachment_id: key, filename, downloads, bytes }) => {
            const name = visibleText(filename);
            const count = text('fileCount', { n: downloads, size: sizeIn(locale, bytes) });
            return { key, name, amount: downloads, count: number.format(downloads), sentence: `${name}: ${count}` };
          })}
        />
      </div>
    </Card>
  );
}
