import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { newPerson, share } from '#test/kit/shared-files.ts';
import { skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('evidence', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  let linkId: string;
  before(async () => {
    ({ linkId } = await share(fixture.people.alice, { bytes: 5000 }));
    await share(await newPerson(fixture.app, 'leaver'), { bytes: 70 });
  });

  it('is accessible and fits the screen of a phone in dark mode', async () => {
    const visit = await fixture.show('/admin/evidence', 'admin', { width: 'narrow', scheme: 'dark' });
    await visit.page.getByText('No statement has been made yet.').waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('states what was exposed by keyboard, and the statement is in the list', async () => {
    const visit = await fixture.show('/admin/evidence', 'admin');
    const { page } = visit;
    await page.getByRole('textbox', { name: 'Person (e-mail address)' }).fill(fixture.people.alice.email);
    await page.getByRole('textbox', { name: 'From' }).fill('2026-01-01');
    await page.getByRole('textbox', { name: 'To' }).fill('2027-12-31');
    await page.getByRole('button', { name: 'Create statement' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(/Could have been opened: \d+ transfers?/).waitFor();
    await page.getByRole('link', { name: `Statement about ${fixture.people.alice.email} as PDF` }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: `Statement about ${fixture.people.alice.email} as JSON` }).click(),
    ]);
    const { statement } = JSON.parse(await readFile(await download.path(), 'utf8')) as { statement: { kind: string } };
    assert.equal(statement.kind, 'exposure');
    await visit.assertAccessible();
    await visit.close();
  });

  it('exports stored personal data, and offboards a person with a statement', async () => {
    const visit = await fixture.show('/admin/people/leaver-example-com', 'admin');
    const { page } = visit;
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export what is stored' }).click(),
    ]);
    assert.match(await readFile(await download.path(), 'utf8'), /leaver@example\.com/);
    await page.getByRole('button', { name: 'Is leaving…' }).click();
    const dialog = page.getByRole('dialog', { name: 'End leaver’s access?' });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Last day');
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'End access now' }).click();
    await page.getByText('0 transfers handed over, 1 ended (70 B in total).').waitFor();
    await page.getByRole('link', { name: 'Statement (PDF)' }).waitFor();
    await visit.close();
  });

  it('keeps the files of a person by a legal hold, and lifts it, by keyboard and with a reason each', async () => {
    const visit = await fixture.show('/admin/legal-holds', 'admin', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    // A hold without a reason is refused.
    visit.expectStatus(422);
    await page.getByText('Nothing is on hold.').waitFor();
    await page.getByRole('button', { name: 'New hold' }).click();
    await page.getByRole('textbox', { name: 'E-mail address or id of the person' }).fill(fixture.people.alice.email);
    await page.getByRole('button', { name: 'Place hold' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).and(page.locator('[aria-invalid="true"]')).waitFor();
    await visit.assertAccessible();
    await page.getByRole('textbox', { name: 'Reason' }).fill('Case 17');
    await page.getByRole('button', { name: 'Place hold' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Lift the hold on Person: alice/ }).waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: /^Lift the hold on Person: alice/ }).click();
    const dialog = page.getByRole('dialog', { name: /^Lift the hold on Person: alice/ });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Closed');
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Lift the hold' }).click();
    await page.getByText('Nothing is on hold.').waitFor();
    await page.getByText(/Closed$/).waitFor();
    await visit.close();
  });

  it('shows actions in the log as text', async () => {
    const visit = await fixture.show('/admin/activity', 'admin');
    for (const words of ['Legal hold: lifted', 'Legal hold: set', 'Statement: made', 'Account: left'])
      await visit.page.getByText(words).first().waitFor();
    await visit.close();
  });

  it('gives the sender a receipt with one click', async () => {
    const visit = await fixture.show(`/links/${linkId}`, 'alice');
    const [download] = await Promise.all([
      visit.page.waitForEvent('download'),
      visit.page.getByRole('link', { name: 'Receipt (PDF)' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), `${linkId}.pdf`);
    await visit.close();
  });
});
