// Statistics and list are separate requests, each shown when ready.

import { Download } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { AppLogFiguresBody } from '#contract/app/downloads.ts';
import { useApi } from '../../api.ts';
import { useMe } from '../../me.ts';
import { canShare } from '../../navigation.ts';
import { PartBoundary } from '../../parts/part-boundary.tsx';
import { Screen } from '../../parts/screen.tsx';
import { NotForYourGroup } from '../../parts/screen-states.tsx';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button, ButtonAnchor, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Stack } from '../../ui/layout.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { Countries } from './countries.tsx';
import classes from './downloads.module.css';
import { Filters } from './filters.tsx';
import { OverTime } from './over-time.tsx';
import { RangePicker } from './range.tsx';
import { exportUrl, type Scope, useScope } from './scope.ts';
import { DownloadsTable } from './table.tsx';
import { TopFiles } from './top-files.tsx';
import { Totals } from './totals.tsx';

export default function DownloadsScreen() {
  const text = useText('downloads');
  return canShare(useMe()) ? <Whole /> : <NotForYourGroup title={text('title')} />;
}

function Whole() {
  const text = useText('downloads');
  const scope = useScope();
  const answer = useApi('getAppLogFigures', { query: scope.query }, { keepsLast: true });
  const statistics = answer.data?.figures;
  const isEmpty = statistics?.downloads === 0;
  useAnnouncement(scope, answer.isPlaceholderData ? undefined : statistics);
  return (
    <Screen
      title={text('title')}
      lead={text('lead')}
      actions={isEmpty && !scope.list.isFiltered ? undefined : <Exports scope={scope} />}
    >
      <Stack>
        <RangePicker scope={scope} />
        {isEmpty && !scope.list.isFiltered ? null : <Filters scope={scope} statistics={statistics} />}
      </Stack>
      {isEmpty && !scope.list.isFiltered && !answer.isPlaceholderData ? (
        <NothingYet scope={scope} />
      ) : (
        <>
          {statistics === undefined && answer.error ? (
            <Card>
              <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />
            </Card>
          ) : (
            <div aria-busy={answer.isPlaceholderData || statistics === undefined}>
              <Stack>
                <Totals
                  statistics={statistics}
                  isOld={answer.isPlaceholderData}
                  onRetry={() => void answer.refetch()}
                />
                {statistics === undefined || isEmpty ? null : <Plots scope={scope} statistics={statistics} />}
              </Stack>
            </div>
          )}
          <DownloadsTable scope={scope} />
        </>
      )}
    </Screen>
  );
}

/** An error in one part leaves the others intact. */
function Plots({ scope, statistics }: { scope: Scope; statistics: AppLogFiguresBody }) {
  return (
    <>
      <PartBoundary>
        <Countries scope={scope} statistics={statistics} />
      </PartBoundary>
      <div className={classes.pair}>
        <PartBoundary>
          <OverTime scope={scope} statistics={statistics} />
        </PartBoundary>
        <PartBoundary>
          <TopFiles scope={scope} statistics={statistics} />
        </PartBoundary>
      </div>
    </>
  );
}

function Exports({ scope }: { scope: Scope }) {
  const text = useText('downloads');
  return (
    <>
      <ButtonAnchor icon={Download} href={exportUrl(scope, 'csv')} download="">
        {text('exportCsv')}
      </ButtonAnchor>
      <ButtonAnchor icon={Download} href={exportUrl(scope, 'json')} download="">
        {text('exportJson')}
      </ButtonAnchor>
    </>
  );
}

function NothingYet({ scope }: { scope: Scope }) {
  const text = useText('downloads');
  const { features } = useMe();
  const isLongest = 'days' in scope.range && scope.range.days === 90;
  const isUsual = 'days' in scope.range && scope.range.days >= 30;
  return (
    <EmptyState
      icon={Download}
      action={
        <>
          {isLongest ? null : <Button onClick={() => scope.choose({ days: 90 })}>{text('showLonger')}</Button>}
          {features.messages ? <ButtonLink to="/send">{text('send')}</ButtonLink> : null}
        </>
      }
    >
      {text(isUsual ? 'empty' : 'emptyRange')}
    </EmptyState>
  );
}

/** Announces `82 downloads, 6 countries.` after each change, not the first result. */
function useAnnouncement(scope: Scope, statistics: { downloads: number; countries: number } | undefined): void {
  const text = useText('downloads');
  const announcedKey = useRef<string | null>(null);
  const key = JSON.stringify(scope.query);
  const { downloads, countries } = statistics ?? {};
  useEffect(() => {
    if (downloads === undefined || countries === undefined) return;
    if (announcedKey.current !== null && announcedKey.current !== key)
      announce(text('figuresSaid', { downloads, countries }));
    announcedKey.current = key;
  }, [key, downloads, countries, text]);
}
