// Two runners over one database stand for two processes; test/faults/workers.test.ts kills real ones.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import type { Job } from '#server/jobs/job.ts';
import { createJobRunner, type JobRunner } from '#server/jobs/runner.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { until } from '#test/kit/eventually.ts';
import { useApp } from '#test/kit/use-app.ts';

const beatMs = 5_000;
const leaseMs = 15_000;

onEachDatabase('the lease of a job', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  /** A job that runs until it is stopped, and the results of its steps. */
  function longJob() {
    const steps: string[] = [];
    let go = Promise.withResolvers<void>();
    const job: Job = {
      name: 'long',
      everyMs: 1000,
      async run(ctx) {
        steps.push('began');
        await go.promise;
        await ctx.db.write(async () => steps.push('wrote'));
        return 'done';
      },
    };
    const stepOn = () => {
      go.resolve();
      go = Promise.withResolvers<void>();
    };
    return { job, steps, stepOn };
  }

  const processWith = (job: Job): JobRunner => createJobRunner(app.app.ctx, [job], { upkeep: async () => {} });
  const leaseEnd = async () =>
    (await app.app.ctx.db.read
      .selectFrom('jobs')
      .select('lease_ends_at')
      .where('name', '=', 'long')
      .executeTakeFirst())!.lease_ends_at;

  test('is renewed while the job runs, so that a long one is not run twice', async () => {
    const { job, steps, stepOn } = longJob();
    const first = processWith(job).runOnce('long');
    await until(async () => steps.length === 1);
    for (let passedMs = 0; passedMs < 2 * 60_000; passedMs += beatMs) {
      app.clock.advance(beatMs);
      mock.timers.tick(beatMs);
      await until(async () => (await leaseEnd()) === app.clock.now() + leaseMs);
      if (passedMs % 20_000 === 0) assert.equal(await processWith(job).runOnce('long'), null);
    }
    stepOn();
    assert.equal(await first, 'done');
    assert.deepEqual(steps, ['began', 'wrote']);
    const again = processWith(job).runOnce('long');
    await until(async () => steps.length === 3);
    stepOn();
    assert.equal(await again, 'done', 'the lease was released immediately');
  });

  test('is taken over 15 seconds after the last heartbeat; the process that lost it changes nothing more', async () => {
    const { job, steps, stepOn } = longJob();
    const silent = processWith(job).runOnce('long');
    await until(async () => steps.length === 1);
    app.clock.advance(14_999);
    assert.equal(await processWith(job).runOnce('long'), null);
    app.clock.advance(1);
    const second = longJob();
    const next = processWith(second.job).runOnce('long');
    await until(async () => second.steps.length === 1);
    stepOn();
    assert.equal(await silent, null);
    assert.deepEqual(steps, ['began'], 'the old process does not write');
    assert.ok((await leaseEnd()) > app.clock.now(), 'the old process does not release the lease');
    second.stepOn();
    assert.equal(await next, 'done');
  });

  test('belongs to one run: a second one of the same process waits for the first', async () => {
    const { job, steps, stepOn } = longJob();
    const runner = processWith(job);
    const first = runner.runOnce('long');
    await until(async () => steps.length === 1);
    const second = runner.runOnce('long');
    stepOn();
    assert.equal(await first, 'done');
    await until(async () => steps.length === 3);
    stepOn();
    assert.equal(await second, 'done');
    assert.deepEqual(steps, ['began', 'wrote', 'began', 'wrote']);
  });

  test('ends immediately when another process has detected that its holder is dead', async () => {
    const { job, steps, stepOn } = longJob();
    const dead = processWith(job);
    const lost = dead.runOnce('long');
    await until(async () => steps.length === 1);
    const second = longJob();
    const runner = processWith(second.job);
    await runner.releaseLeasesOf('some other process');
    assert.equal(await runner.runOnce('long'), null);
    await runner.releaseLeasesOf(dead.holder);
    const next = runner.runOnce('long');
    await until(async () => second.steps.length === 1);
    second.stepOn();
    assert.equal(await next, 'done');
    stepOn();
    assert.equal(await lost, null);
  });
});
