import { before, describe, it } from 'node:test';
import { searched } from '#test/kit/references.ts';
import { share } from '#test/kit/shared-files.ts';
import { skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('storage', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  before(async () => {
    const { alice, admin } = fixture.people;
    await share(alice, { bytes: 5000 });
    const { linkId } = await share(alice, { bytes: 3000 });
    await admin.expect(200, 'stopTransfer', { params: await searched(admin, linkId), body: {} });
  });

  it('is accessible and fits the screen of a phone in dark mode', async () => {
    const visit = await fixture.show('/admin/storage', 'admin', { width: 'narrow', scheme: 'dark' });
    await visit.page.getByText('Largest files', { exact: true }).click();
    await visit.page.getByRole('table', { name: 'Largest files' }).waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('is freed by keyboard after a confirmation, then every file is checked, and each end is announced', async () => {
    const visit = await fixture.show('/admin/storage', 'admin');
    const { page } = visit;
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Show as table' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Files of all people, for each day' }).waitFor();
    await page.getByText('Still shared', { exact: true }).click();
    await page.getByRole('table', { name: 'Files that can still be opened, by age' }).waitFor();
    await page.getByRole('button', { name: 'Delete expired now' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete expired files now?' });
    await dialog.getByRole('button', { name: 'Delete expired now' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('1 file was deleted.').first().waitFor();
    await page
      .getByRole('button', { name: 'Dismiss' })
      .or(page.getByRole('button', { name: 'Close' }))
      .first()
      .click();
    await page.getByRole('button', { name: 'Check all files' }).click();
    await page.getByText('1 file is whole.').first().waitFor();
    await visit.close();
  });
});
