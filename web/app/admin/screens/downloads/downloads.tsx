// File names are hidden: only their owners may see them.
import { Download } from 'lucide-react';
import { useApi } from '../../../api.ts';
import { basePath } from '../../../host-page.ts';
import { Screen } from '../../../parts/screen.tsx';
import { useText } from '../../../texts.ts';
import { ButtonAnchor } from '../../../ui/button.tsx';
import { Segments } from '../../../ui/choice.tsx';
import { Stack } from '../../../ui/layout.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { periods, useScope } from './scope.ts';
import { Statistics } from './statistics.tsx';
import { DownloadsTable } from './table.tsx';

export default function DownloadsScreen() {
  const text = useText('admin/downloads');
  const scope = useScope();
  const statistics = useApi('getDownloadFigures', { query: scope.filters as never }, { keepsLast: true });
  return (
    <Screen
      title={text('title')}
      lead={text('lead')}
      actions={
        <ButtonAnchor
          icon={Download}
          download=""
          href={`${basePath}/admin/downloads/export?${new URLSearchParams(scope.filters)}`}
        >
          {text('export')}
        </ButtonAnchor>
      }
    >
      <Stack>
        <div>
          <Segments
            label={text('period')}
            value={scope.days}
            onChange={scope.choose}
            choices={periods.map((days) => ({ value: days, label: text('days', { n: Number(days) }) }))}
          />
        </div>
        <Loaded query={statistics}>{({ figures: known }) => <Statistics statistics={known} />}</Loaded>
        <DownloadsTable scope={scope} countries={statistics.data?.figures.countries ?? []} />
      </Stack>
    </Screen>
  );
}
