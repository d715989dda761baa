import { useEffect } from 'react';
import type { AttentionBody } from '#contract/admin/overview.ts';
import type { SetupStep } from '#contract/admin/setup-checklist.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { Screen } from '../../../parts/screen.tsx';
import { ScreenLoaded } from '../../../parts/screen-states.tsx';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Columns } from '../../../ui/layout.tsx';
import { Notice } from '../../../ui/states.tsx';
import { Attention } from './attention.tsx';
import { Days } from './days.tsx';
import { Figures } from './figures.tsx';
import { RunningTransfers } from './running.tsx';
import { SetupChecklist, useSetupSteps } from './setup-checklist.tsx';

/** Running transfers change constantly. */
const everyMs = 10_000;

const topics: Partial<Record<SetupStep, AttentionBody['topic']>> = { mail: 'mail-off', backup: 'backup-missing' };

export default function OverviewScreen() {
  const text = useText('admin/overview');
  const formats = useFormats();
  const { today } = useMe();
  const query = useApi('getOverview', {}, { everyMs });
  const steps = useSetupSteps();
  // The list of steps already shows these.
  const items = query.data?.overview.attention.filter(({ topic }) => !steps.some((step) => topics[step] === topic));
  const n = items?.length;
  useEffect(() => {
    if (n !== undefined)
      announce(n + steps.length === 0 ? text('inOrder') : text('attentionSaid', { n: n + steps.length }));
  }, [n, steps.length, text]);
  return (
    <ScreenLoaded query={query}>
      {({ overview }) => (
        <Screen title={text('title')} lead={text('lead', { date: formats.longDate(today) })}>
          {query.error === null ? null : <Notice tone="warning">{text('outdated')}</Notice>}
          <SetupChecklist steps={steps} />
          <Attention items={items ?? []} isInOrder={query.error === null && steps.length === 0} />
          <Figures today={overview.today} storage={overview.storage} />
          <Columns main={<Days days={overview.days} />} side={<RunningTransfers running={overview.running} />} />
        </Screen>
      )}
    </ScreenLoaded>
  );
}
