import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { sendMessage } from '#test/kit/messages.ts';
import { searched } from '#test/kit/references.ts';
import { passwordOf, skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('the event log', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  let message: string;
  before(async () => {
    const auditors = await fixture.app.group('Auditors', { role: 'auditor' });
    fixture.people.vera = await fixture.app.person('vera', { password: passwordOf('vera'), group: auditors });
    const { alice, admin } = fixture.people;
    message = (await sendMessage(alice, { recipients: ['cleo@harbour.example'], subject: '', send_email: false })).id;
    await admin.expect(200, 'stopTransfer', {
      params: await searched(admin, message),
      body: { reason: 'Wrong customer' },
    });
  });

  for (const view of [{}, { width: 'narrow', scheme: 'dark' }] as const) {
    it(`is accessible and fits the screen ${'width' in view ? 'of a phone in dark mode' : 'of a desktop'}`, async () => {
      const visit = await fixture.show('/admin/activity', 'admin', view);
      await visit.page.getByText('Message: stopped').first().waitFor();
      await visit.assertAccessible();
      await visit.close();
    });
  }

  it('shows auditors, by keyboard, what one event changed and why', async () => {
    const visit = await fixture.show(`/admin/activity?object=${message}`, 'vera');
    const { page } = visit;
    await page.getByText('Message: sent').waitFor();
    await page.getByRole('button', { name: /Message: stopped/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Show details' }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Message: stopped' });
    await dialog.getByText('Wrong customer').waitFor();
    const [row] = await dialog.getByRole('row').filter({ hasText: 'open' }).allInnerTexts();
    assert.match(row!, /open\s+stopped/);
    await visit.assertAccessible();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await visit.close();
  });

  it('is filtered by kind in the URL and saved as a file with the same events', async () => {
    const visit = await fixture.show('/admin/activity?action=message', 'vera');
    const { page } = visit;
    await page.getByText('Message: sent').waitFor();
    assert.equal(await page.getByText('Group: created').count(), 0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    const lines = readFileSync((await download.path())!, 'utf8')
      .trim()
      .split('\r\n');
    assert.equal(download.suggestedFilename(), 'activity.csv');
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',')[2]),
      ['message.revoked', 'message.sent'],
    );
    await visit.close();
  });
});
