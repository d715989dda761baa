// S9 of the experience brief: who got what, when and from where. Figures and list are asked for apart, so that whichever is
// ready first is shown first.
import { Download } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useApi } from '../../api.ts';
import { useMe } from '../../me.ts';
import { PartBoundary } from '../../parts/part-boundary.tsx';
import { Screen } from '../../parts/screen.tsx';
import { NotForYourGroup } from '../../parts/screen-states.tsx';
import { canShare } from '../../shell/navigation.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button, ButtonAnchor, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import classes from './downloads.module.css';
import { LogFigures } from './figures.tsx';
import { LogFilters } from './filters.tsx';
import { exportUrl, type Log, useLog } from './filters-in-address.ts';
import { LogRange } from './range.tsx';
import { LogTable } from './table.tsx';
import { LogWhat } from './what.tsx';
import { LogWhen } from './when.tsx';
import { LogWhere } from './where.tsx';

export default function LogScreen() {
  const text = useText('log');
  return canShare(useMe()) ? <Whole /> : <NotForYourGroup title={text('title')} />;
}

function Whole() {
  const text = useText('log');
  const log = useLog();
  const answer = useApi('getAppLogFigures', { query: log.query }, { keepsLast: true });
  const figures = answer.data?.figures;
  const isEmpty = figures?.downloads === 0;
  useFiguresSaid(log, answer.isPlaceholderData ? undefined : figures);
  return (
    <Screen
      title={text('title')}
      lead={text('lead')}
      actions={isEmpty && !log.list.isFiltered ? undefined : <Exports log={log} />}
    >
      <div className={classes.controls}>
        <LogRange log={log} />
        {isEmpty && !log.list.isFiltered ? null : <LogFilters log={log} figures={figures} />}
      </div>
      {isEmpty && !log.list.isFiltered && !answer.isPlaceholderData ? (
        <NothingYet log={log} />
      ) : (
        <>
          {figures === undefined && answer.error ? (
            <Card>
              <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />
            </Card>
          ) : (
            <div className={classes.parts} aria-busy={answer.isPlaceholderData || figures === undefined}>
              <LogFigures figures={figures} isOld={answer.isPlaceholderData} onRetry={() => void answer.refetch()} />
              {figures === undefined || figures.downloads === 0 ? null : (
                <>
                  <Part>
                    <LogWhere log={log} figures={figures} />
                  </Part>
                  <div className={classes.pair}>
                    <Part>
                      <LogWhen log={log} figures={figures} />
                    </Part>
                    <Part>
                      <LogWhat log={log} figures={figures} />
                    </Part>
                  </div>
                </>
              )}
            </div>
          )}
          <LogTable log={log} />
        </>
      )}
    </Screen>
  );
}

/** A part that breaks, such as a map that did not load, leaves the others alone. */
function Part({ children }: { children: ReactNode }) {
  return <PartBoundary>{children}</PartBoundary>;
}

function Exports({ log }: { log: Log }) {
  const text = useText('log');
  return (
    <>
      <ButtonAnchor icon={Download} href={exportUrl(log, 'csv')} download="">
        {text('exportCsv')}
      </ButtonAnchor>
      <ButtonAnchor icon={Download} href={exportUrl(log, 'json')} download="">
        {text('exportJson')}
      </ButtonAnchor>
    </>
  );
}

function NothingYet({ log }: { log: Log }) {
  const text = useText('log');
  const { features } = useMe();
  const isLongest = 'days' in log.range && log.range.days === 90;
  const isUsual = 'days' in log.range && log.range.days >= 30;
  return (
    <EmptyState
      icon={Download}
      action={
        <>
          {isLongest ? null : <Button onClick={() => log.choose({ days: 90 })}>{text('showLonger')}</Button>}
          {features.messages ? <ButtonLink to="/send">{text('send')}</ButtonLink> : null}
        </>
      }
    >
      {text(isUsual ? 'empty' : 'emptyRange')}
    </EmptyState>
  );
}

/** `82 downloads, 6 countries.` after each change of time or filters; not when the screen is first shown. */
function useFiguresSaid(log: Log, figures: { downloads: number; countries: number } | undefined): void {
  const text = useText('log');
  const said = useRef<string | null>(null);
  const key = JSON.stringify(log.query);
  const { downloads, countries } = figures ?? {};
  useEffect(() => {
    if (downloads === undefined || countries === undefined) return;
    if (said.current !== null && said.current !== key) announce(text('figuresSaid', { downloads, countries }));
    said.current = key;
  }, [key, downloads, countries, text]);
}
