import { type ReactNode, useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded, ProblemNotice } from '../../../ui/states.tsx';
import { useJobName } from '../../parts/names.ts';

type Job = CallAnswer<'listJobs'>['jobs'][number];

export function Jobs({ mayChange }: { mayChange: boolean }) {
  const text = useText('admin/system');
  const jobName = useJobName();
  const jobs = useApi('listJobs', {}, { everyMs: 15_000 });
  const run = useApiChange('runJob', ['admin']);
  const [selected, setSelected] = useState<Job | null>(null);
  const start = (name: string, is_confirmed: boolean) =>
    run.mutate(
      { params: { name }, body: { run: { is_confirmed } } },
      {
        onSuccess: ({ job }) => {
          announce(text(job.failures === 0 ? 'jobDone' : 'jobFailed', { name: jobName(name) }));
          setSelected(null);
        },
      },
    );
  const isBusy = ({ name }: Job) => run.isPending && run.variables?.params?.name === name;
  const startJob = (job: Job) => (job.held_because === null ? start(job.name, false) : setSelected(job));
  return (
    <Card title={text('jobs')}>
      <ProblemNotice error={selected === null ? run.error : null} />
      <Loaded query={jobs}>
        {({ jobs: all }) => (
          <JobList
            jobs={all}
            actionOf={mayChange ? (job) => <Run job={job} isBusy={isBusy(job)} onRun={startJob} /> : null}
          />
        )}
      </Loaded>
      {selected === null ? null : (
        <ConfirmDialog
          title={text('heldTitle', { name: jobName(selected.name) })}
          confirmLabel={text('heldGo')}
          change={run}
          onConfirm={() => start(selected.name, true)}
          onClose={() => setSelected(null)}
        >
          <p>{selected.held_because}</p>
          <p>{text('heldText')}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

interface ListProps {
  jobs: readonly Job[];
  actionOf: ((job: Job) => ReactNode) | null;
}

/** Jobs that work are shown on request. */
function JobList({ jobs, actionOf }: ListProps) {
  const text = useText('admin/system');
  const formats = useFormats();
  const jobName = useJobName();
  const [isAll, setAll] = useState(false);
  const shown = jobs.filter((job) => isAll || !isInOrder(job));
  return (
    <Stack gap={16}>
      {shown.length === jobs.length ? null : (
        <Row isSpread>
          <Pill tone="success">{text('jobsInOrder', { n: jobs.length - shown.length })}</Pill>
          <Button size="small" onClick={() => setAll(true)}>
            {text('jobsShow')}
          </Button>
        </Row>
      )}
      {shown.length === 0 ? null : (
        <PlainTable
          caption={text('jobsCaption')}
          isCaptionHidden
          headers={[text('job'), text('lastRun'), text('result'), ...(actionOf === null ? [] : [text('actions')])]}
          rows={shown.map((job) => ({
            id: job.name,
            cells: [
              jobName(job.name),
              job.last_run_at === null ? text('never') : formats.dateTime(job.last_run_at),
              <Result key="result" job={job} />,
              ...(actionOf === null ? [] : [actionOf(job)]),
            ],
          }))}
        />
      )}
    </Stack>
  );
}

function isInOrder({ held_because: heldBecause, failures }: Job): boolean {
  return heldBecause === null && failures === 0;
}

function Run({ job, isBusy, onRun }: { job: Job; isBusy: boolean; onRun(job: Job): void }) {
  const text = useText('admin/system');
  const name = useJobName()(job.name);
  return (
    <Button size="small" aria-label={text('runJob', { name })} isBusy={isBusy} onClick={() => onRun(job)}>
      {text('run')}
    </Button>
  );
}

function Result({ job }: { job: Job }) {
  const text = useText('admin/system');
  if (job.held_because !== null)
    return (
      <Stack gap={2}>
        <Pill tone="warning">{text('held')}</Pill>
        <Muted as="span">{job.held_because}</Muted>
      </Stack>
    );
  if (job.failures > 0)
    return (
      <Stack gap={2}>
        <Pill tone="danger">{text('failing', { n: job.failures })}</Pill>
        <Muted as="span">{job.failure}</Muted>
      </Stack>
    );
  if (job.is_running) return <Pill tone="progress">{text('running')}</Pill>;
  return job.last_run_at === null ? '–' : <Pill tone="success">{text('fine')}</Pill>;
}
