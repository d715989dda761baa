import type { z } from 'zod';
import type { backupRun, system } from '#contract/admin/system.ts';
import { visibleText } from '../../../../visible.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Pairs, Stack } from '../../../ui/layout.tsx';

type Run = z.input<typeof backupRun>;

export function Backups({ backups }: { backups: z.input<typeof system>['backups'] }) {
  const text = useText('admin/system');
  const formats = useFormats();
  const resultText = (run: Run | null, good: (run: Run, date: string) => string) => {
    if (run === null) return text('backupNone');
    const date = formats.dateTime(run.started_at);
    return run.failure === '' ? good(run, date) : text('backupBad', { date, reason: visibleText(run.failure) });
  };
  const goodBackup = ({ files, bytes }: Run, date: string) =>
    text('backupGood', { date, files, size: formats.size(bytes) });
  const { last_backup: last, last_good_backup: good, last_drill: restoreTest } = backups;
  const isLastGood = last === null || last.failure === '';
  return (
    <Card title={text('backups')}>
      <Stack gap={16}>
        {backups.is_scheduled ? null : <p>{text('backupsOff')}</p>}
        <Pairs
          pairs={[
            { name: text('lastBackup'), value: resultText(last, goodBackup) },
            ...(isLastGood ? [] : [{ name: text('lastGoodBackup'), value: resultText(good, goodBackup) }]),
            {
              name: text('lastDrill'),
              value: resultText(restoreTest, ({ files }, date) => text('drillGood', { date, files })),
            },
          ]}
        />
      </Stack>
    </Card>
  );
}
