import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sendMessage } from '#test/kit/messages.ts';
import { passwordOf, skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('the overview of the console', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  before(async () => {
    const group = await fixture.app.group('Auditors', { role: 'auditor' });
    fixture.people.watcher = await fixture.app.person('watcher', { password: passwordOf('watcher'), group });
    await fixture.people.alice.fetch('/attachments/binary_upload?filename=big.bin&chunk=1&chunks=3', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'a'.repeat(500),
    });
    await sendMessage(fixture.people.alice, { recipients: ['ben@harbour.example'], subject: 'Drawings' });
    const { jobs, ctx } = fixture.app.app;
    await jobs.runOnce('tidy');
    await ctx.db.write((tx) => tx.updateTable('jobs').set({ failures: 1 }).where('name', '=', 'tidy').execute());
  });

  it('shows problems first with their remedy; running transfers can be stopped; charts have a table alternative', async () => {
    const visit = await fixture.open('/admin', 'admin', { scheme: 'dark' });
    const { page } = visit;
    await page.waitForURL('**/app/admin/overview');
    await page.getByText('1 background job has failed').waitFor();
    assert.equal(await page.getByText('E-mail isn’t set up').count(), 0, 'the steps of the set-up show it');
    assert.equal(await page.getByText('Everything is in order.').count(), 0);
    await visit.announced(/^\d things need attention\.$/);
    await page.getByText('1 more than usual by now').waitFor();
    await page.getByRole('progressbar').waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Actions for alice' }).click();
    await page.getByRole('menuitem', { name: 'Stop' }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop this transfer of alice?' });
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Nothing is being transferred right now.').waitFor();
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('columnheader', { name: 'Downloads' }).waitFor();
    assert.equal(
      await page.getByRole('table', { name: 'Each day of the last four weeks' }).getByRole('row').count(),
      30,
    );
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await visit.assertAccessible();
    await visit.close();
  });

  it('does not claim that everything is in order while the server does not answer', async () => {
    const visit = await fixture.open('/admin/overview', 'watcher');
    const { page } = visit;
    await page.getByText('E-mail isn’t set up').waitFor();
    visit.expectStatus(500);
    await page.route('**/admin/overview', (route) => route.fulfill({ status: 500, body: '' }));
    await page.getByText('What is shown may be out of date.').waitFor();
    await visit.close();
  });

  it('is read-only for auditors', async () => {
    const visit = await fixture.open('/admin/overview', 'watcher');
    const { page } = visit;
    await page.getByText('E-mail isn’t set up').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Actions/ }).count(), 0);
    assert.equal(await page.getByRole('link', { name: 'People', exact: true }).count(), 0);
    await visit.close();
  });
});
