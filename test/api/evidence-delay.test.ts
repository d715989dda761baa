// Sealing that has stopped is reported everywhere, and so are times that run backwards.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { verifyLog } from '#server/actions/evidence/verify.ts';
import { admitWitness } from '#server/actions/evidence/witnesses.ts';
import { findInstallationAmounts } from '#server/actions/system/metrics.ts';
import { witnessOnce } from '#server/commands/witness.ts';
import { openWitnessFolder } from '#server/commands/witness-memory.ts';
import { takeLease } from '#server/db/system/jobs.ts';
import { operatorCaller } from '#server/domain/caller.ts';
import { checkSealing } from '#server/installation/doctor/database.ts';
import { verifierKey } from '#server/lib/tlog/notes.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { appendEvents } from '#test/kit/evidence.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const minuteMs = 60_000;

onEachDatabase('Sealing that has stopped', (start) => {
  // Only the test seals.
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let auditor: ApiClient;
  let folder: string;

  before(async () => {
    await app.group('Auditors', { role: 'auditor' });
    auditor = await newPerson(app, 'watch', { group: 'auditors' });
    folder = await mkdtemp(join(tmpdir(), 'witness-'));
    await writeFile(join(folder, 'api-key'), auditor.key!);
    const { signer } = await openWitnessFolder(folder);
    await admitWitness(app.app.ctx, operatorCaller(), verifierKey(signer));
  });
  after(() => rm(folder, { recursive: true }));

  const visit = () => witnessOnce({ url: app.url, folder, nowMs: app.clock.now() });
  const topics = async () => {
    const { body } = await app.admin.expect(200, 'getOverview');
    return (body as { overview: { attention: { topic: string }[] } }).overview.attention.map(({ topic }) => topic);
  };
  const ready = async () => (await fetch(`${app.url}/readyz`)).json();
  const delay = async () => (await findInstallationAmounts(app.app.ctx)).unsealedSeconds;
  const findings = async () => (await checkSealing(app.app.ctx.db, app.clock.now())).map(({ sentence }) => sentence);
  const appendAt = (at: number, count: number) => {
    const { ctx } = app.app;
    return appendEvents({ ...ctx, clock: { ...ctx.clock, now: () => at } }, count);
  };

  test('is no alarm for five minutes', async () => {
    await sealAll(app.app.ctx);
    app.clock.advance(60 * minuteMs);
    await appendEvents(app.app.ctx, 1);
    app.clock.advance(5 * minuteMs);
    assert.equal(await delay(), 300);
    assert.ok(!(await topics()).includes('events-unsealed'));
    assert.deepEqual(await ready(), { status: 'ready' });
    assert.deepEqual(await findings(), []);
    assert.equal((await visit()).isGood, true);
  });

  test('is then reported by overview, readiness, metrics, doctor, verification and witness, until events are sealed', async () => {
    // A lease that ends next year keeps every process from sealing.
    const now = app.clock.now();
    await app.app.ctx.db.write((tx) =>
      takeLease(tx, { name: 'seal-events', holder: 'thief' }, now, now + 365 * 86_400_000),
    );
    app.clock.advance(2 * minuteMs);
    assert.ok((await topics()).includes('events-unsealed'));
    assert.deepEqual(await ready(), {
      status: 'ready',
      warnings: [{ check: 'evidence', unsealed_seconds: 420 }],
    });
    assert.equal(await delay(), 420);
    assert.match((await findings()).join(), /waited for 7 minutes/);
    const { fault, warnings } = await verifyLog(app.app.ctx);
    assert.deepEqual([fault, warnings.length], [null, 1]);
    const { isGood, sentence } = await visit();
    assert.deepEqual([isGood, /sealing has stopped/.test(sentence)], [false, true]);
    await sealAll(app.app.ctx);
    assert.ok(!(await topics()).includes('events-unsealed'));
    assert.equal((await visit()).isGood, true);
  });

  test('times that run backwards by more than a minute are reported by verification and witness, once', async () => {
    const now = app.clock.now();
    await appendAt(now, 1);
    await appendAt(now - minuteMs, 2);
    await sealAll(app.app.ctx);
    assert.deepEqual((await verifyLog(app.app.ctx)).warnings, []);
    assert.equal((await visit()).isGood, true);
    await appendAt(now - 11 * minuteMs, 2);
    await appendAt(now, 1);
    await sealAll(app.app.ctx);
    const { fault, warnings } = await verifyLog(app.app.ctx);
    assert.equal(fault, null);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /11 minutes before an earlier event/);
    const { isGood, sentence } = await visit();
    assert.deepEqual([isGood, /a clock ran backwards/.test(sentence)], [false, true]);
    assert.equal((await visit()).isGood, true);
  });
});
