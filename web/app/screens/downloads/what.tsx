// What was downloaded most; each file narrows the log to itself.
import type { AppLogFiguresBody } from '#contract/app/downloads.ts';
import { sizeIn } from '#language/sizes.ts';
import { visibleText } from '../../../visible.ts';
import { useLocale, useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import classes from './downloads.module.css';
import type { Log } from './filters-in-address.ts';
import { LogRows } from './rows.tsx';

export function LogWhat({ log, figures }: { log: Log; figures: AppLogFiguresBody }) {
  const text = useText('log');
  const locale = useLocale();
  return (
    <Card title={text('what')}>
      <div className={classes.stack}>
        <LogRows
          label={text('topFiles')}
          chosen={log.list.filters.file}
          onChoose={(file) => log.list.filter({ file })}
          rows={figures.top_files.map(({ attachment_id: key, filename, downloads: amount, bytes }) => ({
            key,
            name: visibleText(filename),
            count: text('fileCount', { n: amount, size: sizeIn(locale, bytes) }),
            amount,
          }))}
        />
      </div>
    </Card>
  );
}
