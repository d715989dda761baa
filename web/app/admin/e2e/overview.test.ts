import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
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
  });

  it('shows problems first with their remedy; running transfers can be stopped; charts have a table alternative', async () => {
    const visit = await fixture.open('/admin', 'admin', { scheme: 'dark' });
    const { page } = visit;
    await page.waitForURL('**/app/admin/overview');
    await page.getByText('E-mail isn’t set up').waitFor();
    await page.getByText('Set WAYBILL_SMTP_URL and restart the server.').waitFor();
    assert.equal((await visit.announcements())[0], '1 thing needs attention.');
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Stop the transfer of alice' }).click();
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

  it('is read-only for auditors', async () => {
    const visit = await fixture.open('/admin/overview', 'watcher');
    const { page } = visit;
    await page.getByText('E-mail isn’t set up').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Stop/ }).count(), 0);
    assert.equal(await page.getByRole('link', { name: 'People', exact: true }).count(), 0);
    await visit.close();
  });
});
