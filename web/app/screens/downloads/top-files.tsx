import type { AppLogFiguresBody } from '#contract/app/downloads.ts';
import { visibleText } from '../../../visible.ts';
import { useFormats } from '../../formats.ts';
import { useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { BarList } from './bar-list.tsx';
import type { Scope } from './scope.ts';

export function TopFiles({ scope, statistics }: { scope: Scope; statistics: AppLogFiguresBody }) {
  const text = useText('downloads');
  const { size } = useFormats();
  return (
    <Card title={text('what')}>
      <BarList
        label={text('topFiles')}
        chosen={scope.list.filters.file}
        onChoose={(file) => scope.list.filter({ file })}
        rows={statistics.top_files.map(({ attachment_id: key, filename, downloads: amount, bytes }) => ({
          key,
          name: visibleText(filename),
          count: text('fileCount', { n: amount, size: size(bytes) }),
          amount,
        }))}
      />
    </Card>
  );
}
