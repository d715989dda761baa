import { CircleCheck } from 'lucide-react';
import { useEffect } from 'react';
import { useApi } from '../../../api.ts';
import { Screen } from '../../../parts/screen.tsx';
import { ScreenLoaded } from '../../../parts/screen-states.tsx';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Card } from '../../../ui/card.tsx';
import { Columns, Muted } from '../../../ui/layout.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Attention } from './attention.tsx';
import { Mail, Readable, Storage } from './cards.tsx';
import { Days } from './days.tsx';
import { RunningTransfers } from './running.tsx';
import { Today } from './today.tsx';

/** Running transfers change constantly. */
const everyMs = 10_000;

export default function OverviewScreen() {
  const text = useText('admin/overview');
  const query = useApi('getOverview', {}, { everyMs });
  const n = query.data?.overview.attention.length;
  useEffect(() => {
    if (n !== undefined) announce(n === 0 ? text('inOrder') : text('attentionSaid', { n }));
  }, [n, text]);
  return (
    <ScreenLoaded query={query}>
      {({ overview }) => (
        <Screen title={text('title')} lead={text('lead', { version: overview.version, n: overview.people })}>
          <Columns
            main={
              <>
                <Card title={text('attention')} isFlush={overview.attention.length > 0}>
                  {overview.attention.length === 0 ? (
                    <EmptyState icon={CircleCheck}>{text('inOrder')}</EmptyState>
                  ) : (
                    <Attention items={overview.attention} />
                  )}
                </Card>
                <RunningTransfers running={overview.running} />
                <Days days={overview.days} />
              </>
            }
            side={
              <>
                <Today today={overview.today} />
                <Mail mail={overview.mail} />
                <Storage storage={overview.storage} />
                <Readable readable={overview.readable} />
                <Muted>{text('fresh')}</Muted>
              </>
            }
          />
        </Screen>
      )}
    </ScreenLoaded>
  );
}
