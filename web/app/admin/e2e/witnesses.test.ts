import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openPolicyWitness } from '#test/kit/tlog-witness.ts';
import { skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('witnesses of the event log', { skip: skipWithoutBrowser }, () => {
  const environment: Record<string, string> = { WAYBILL_ROLE: 'web' };
  let opened: Awaited<ReturnType<typeof openPolicyWitness>>;
  let folder: string;
  before(async () => {
    opened = await openPolicyWitness('witness.example/w', () => fixture.app.clock.now());
    folder = mkdtempSync(join(tmpdir(), 'waybill-policy-'));
    environment.WAYBILL_EVIDENCE_WITNESS_POLICY = join(folder, 'policy');
    writeFileSync(environment.WAYBILL_EVIDENCE_WITNESS_POLICY, opened.policy);
  });
  after(async () => {
    await opened.witness.close();
    rmSync(folder, { recursive: true });
  });
  const fixture = useAppFixture({ environment });

  it('are tested with a button, and say why they do not sign', async () => {
    const { jobs } = fixture.app.app;
    await jobs.runOnce('seal-events');
    await jobs.runOnce('cosign-log');
    const visit = await fixture.open('/admin/evidence', 'admin', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    const test = page.getByRole('button', { name: 'Test witness.example/w' });
    await test.click();
    await page.getByText(/The test failed: the witness does not know/).waitFor();
    await visit.assertAccessible();
    await opened.learn(fixture.app);
    await test.click();
    await page.getByText('The witness signs.').waitFor();
    await visit.assertAccessible();
    await visit.close();
  });
});
