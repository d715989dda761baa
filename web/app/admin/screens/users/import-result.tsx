import { useEffect } from 'react';
import { visibleText } from '../../../../visible.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Card } from '../../../ui/card.tsx';
import { Stack } from '../../../ui/layout.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { Notice, ProblemNotice } from '../../../ui/states.tsx';
import type { ImportRun } from './import-run.ts';

/** Problems come first. */
const mostShown = 500;

export function ImportProgress({ run: { done, total, isDryRun } }: { run: ImportRun }) {
  const text = useText('admin/users');
  return (
    <Card>
      <Progress
        share={total === 0 ? 0 : done / total}
        label={text(isDryRun ? 'importChecking' : 'importAdding')}
        text={text('importDone', { done, total })}
      />
    </Card>
  );
}

const outcomes = {
  created: { label: 'outcomeCreated', tone: 'success' },
  would_create: { label: 'outcomeWould', tone: 'progress' },
  refused: { label: 'outcomeRefused', tone: 'danger' },
} as const;

export function ImportResult({ run }: { run: ImportRun }) {
  const text = useText('admin/users');
  const refused = run.outcomes.filter(({ outcome }) => outcome === 'refused');
  const fine = run.outcomes.filter(({ outcome }) => outcome !== 'refused');
  const sentence = text(run.isDryRun ? 'importWould' : 'importDid', { good: fine.length, bad: refused.length });
  useEffect(() => announce(sentence), [sentence]);
  const shown = [...refused, ...fine].slice(0, mostShown);
  return (
    <Card title={text(run.isDryRun ? 'importPreview' : 'importOutcome')}>
      <Stack>
        <Notice tone={refused.length > 0 || run.state !== 'done' ? 'warning' : 'success'}>
          {run.state === 'stopped' ? text('importStopped', { done: run.done, total: run.total }) : null} {sentence}
        </Notice>
        <ProblemNotice error={run.error} />
        <PlainTable
          caption={text('importByLine')}
          isCaptionHidden
          headers={[text('line'), text('address'), text('state'), text('problem')]}
          rows={shown.map(({ line, email, outcome, sentence: why }) => ({
            id: String(line),
            cells: [
              String(line),
              <bdi key="email">{visibleText(email)}</bdi>,
              <Pill key="outcome" tone={outcomes[outcome].tone}>
                {text(outcomes[outcome].label)}
              </Pill>,
              why ?? '',
            ],
          }))}
        />
      </Stack>
    </Card>
  );
}
