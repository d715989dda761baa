import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sendMessage } from '#test/kit/messages.ts';
import { passwordOf, skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

const cleo = 'cleo@harbour.example';

describe('all transfers', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  before(async () => {
    const auditors = await fixture.app.group('Auditors', { role: 'auditor' });
    fixture.people.vera = await fixture.app.person('vera', { password: passwordOf('vera'), group: auditors });
    const { alice, ben } = fixture.people;
    await send(alice, cleo, 'The harbour plan');
    await send(ben, 'dan@quay.example', 'Invoice');
  });

  const send = (from: typeof fixture.people.alice, to: string, subject: string) =>
    sendMessage(from, { recipients: [to], subject, send_email: false });
  const rows = (page: Page) => page.getByRole('table', { name: 'All transfers' }).getByRole('row');
  const menuOf = (page: Page, name: RegExp) => page.getByRole('button', { name });

  for (const view of [{}, { width: 'narrow', scheme: 'dark' }] as const) {
    it(`are accessible and fit the screen ${'width' in view ? 'of a phone in dark mode' : 'of a desktop'}`, async () => {
      const visit = await fixture.show('/admin/transfers', 'admin', view);
      const { page } = visit;
      await page.getByText(cleo).first().waitFor();
      assert.equal(await page.getByText('The harbour plan').count(), 0, 'metadata only');
      await visit.assertAccessible();
      if ('width' in view) {
        await page.getByText('Messages 1', { exact: true }).first().waitFor();
      } else {
        await page.getByRole('tab', { name: 'Open outside' }).click();
        await page
          .getByRole('cell', { name: 'harbour.example' })
          .or(page.getByRole('rowheader', { name: 'harbour.example' }))
          .waitFor();
        await visit.assertAccessible();
        await page.getByRole('link', { name: 'quay.example' }).click();
        await page.getByText('dan@quay.example').waitFor();
        assert.match(page.url(), /domain=quay\.example/);
        assert.equal(await page.getByText(cleo).count(), 0);
      }
      await visit.close();
    });
  }

  it('are found by recipient and stopped by keyboard, after a confirmation', async () => {
    const { alice } = fixture.people;
    const { id } = await send(alice, 'stop@harbour.example', 'To stop');
    const visit = await fixture.show(`/admin/transfers?id=${id}`, 'admin');
    const { page } = visit;
    await page.getByText('stop@harbour.example').waitFor();
    await menuOf(page, /Message of alice/).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Stop' }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Stop this transfer?' });
    await dialog.getByLabel('Reason').fill('Wrong customer');
    await visit.assertAccessible();
    await page.keyboard.press('Enter');
    await page.getByText('Stopped.', { exact: true }).first().waitFor();
    await rows(page).getByText('Stopped').waitFor();
    await visit.announced('Stopped.');
    await visit.close();
  });

  it('are extended and handed over; a refusal is shown at its field', async () => {
    const { id } = await send(fixture.people.alice, 'move@harbour.example', 'To move');
    const visit = await fixture.show(`/admin/transfers?id=${id}`, 'admin');
    const { page } = visit;
    visit.expectStatus(404);
    await menuOf(page, /Message of alice/).click();
    await page.getByRole('menuitem', { name: 'Extend' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Extend' }).click();
    await page
      .getByText(/^Available until /)
      .first()
      .waitFor();
    await menuOf(page, /Message of alice/).click();
    await page.getByRole('menuitem', { name: 'Hand over' }).click();
    const dialog = page.getByRole('dialog', { name: 'Hand over this transfer' });
    await dialog.getByLabel('New owner (address)').fill('nobody@example.com');
    await dialog.getByRole('button', { name: 'Hand over' }).click();
    await dialog.getByText('There is no such user.').waitFor();
    await dialog.getByLabel('New owner (address)').fill(fixture.people.ben.email);
    await dialog.getByRole('button', { name: 'Hand over' }).click();
    await menuOf(page, /Message of ben/).waitFor();
    await visit.close();
  });

  it('are handed over to a new account once a second System Administrator has confirmed it', async () => {
    const { admin } = fixture.people;
    fixture.people.boss = await fixture.app.person('boss', {
      password: passwordOf('boss'),
      group: 'administrators',
    });
    const user = { email: 'nora@example.com', name: 'Nora', password: 'nine copper kettles whistling' };
    await fixture.people.boss.expect(200, 'createUser', { body: { user } });
    const asking = await fixture.show('/admin/transfers', 'boss');
    await asking.page.getByRole('tab', { name: 'Hand-overs' }).click();
    await asking.page.getByText('No confirmation has been requested.').waitFor();
    await asking.page.getByLabel('New owner (address)').fill(user.email);
    await asking.page.getByLabel('Reason').fill('Nora takes over');
    await asking.page.getByRole('button', { name: 'Request confirmation' }).click();
    await asking.page.getByRole('cell', { name: 'Waiting' }).waitFor();
    await asking.assertAccessible();
    await asking.close();
    const confirming = await fixture.show('/admin/transfers', 'admin');
    await confirming.page.getByRole('tab', { name: 'Hand-overs' }).click();
    await confirming.page.getByRole('button', { name: 'Confirm the hand-over to Nora' }).click();
    await confirming.page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
    await confirming.page.getByRole('cell', { name: 'Confirmed' }).waitFor();
    await confirming.assertAccessible();
    await confirming.close();
    const { body } = await admin.expect(200, 'listHandOverConfirmations');
    assert.equal((body as { confirmations: { state: string }[] }).confirmations[0]!.state, 'confirmed');
  });

  it('show their subject for a reason', async () => {
    const { id } = await send(fixture.people.alice, cleo, 'Something to look at');
    const visit = await fixture.show(`/admin/transfers?id=${id}`, 'admin');
    const { page } = visit;
    await menuOf(page, /Message of alice/).click();
    await page.getByRole('menuitem', { name: 'Show subject' }).click();
    await page.getByLabel('Reason').fill('Ticket 4711');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('dialog', { name: 'Subject' }).getByText('Something to look at').waitFor();
    await visit.close();
  });

  it('are stopped if they are selected', async () => {
    const fred = await fixture.addPerson('fred');
    for (const n of [1, 2, 3]) await send(fred, `f${n}@harbour.example`, 'Some');
    const visit = await fixture.show(`/admin/transfers?person=${fred.email}`, 'admin');
    const { page } = visit;
    for (const row of [1, 2]) await page.getByRole('row').nth(row).getByRole('checkbox').check();
    const bar = page.getByRole('region', { name: '2 selected' });
    await visit.assertAccessible();
    await bar.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('dialog', { name: '2 selected transfers' }).waitFor();
    await page.getByRole('button', { name: 'See what would happen' }).click();
    await page.getByRole('button', { name: 'Go on with 2 transfers' }).click();
    await page.getByText('2 transfers were changed.').first().waitFor();
    await bar.waitFor({ state: 'detached' });
    await visit.close();
  });

  it('are all stopped after a dry run, and the end is announced', async () => {
    const gina = await fixture.addPerson('gina');
    for (const n of [1, 2, 3]) await send(gina, `g${n}@harbour.example`, 'Many');
    const visit = await fixture.show(`/admin/transfers?person=${gina.email}`, 'admin');
    const { page } = visit;
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
    await page.getByRole('region', { name: '3 selected' }).getByRole('button', { name: 'Change all listed' }).click();
    await page.getByRole('button', { name: 'See what would happen' }).click();
    await page.getByText('3 open transfers would change. Nothing has happened yet.').last().waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Go on with 3 transfers' }).click();
    await page.getByText('3 transfers were changed.').first().waitFor();
    await page.waitForFunction(
      () => [...document.querySelectorAll('table td')].filter((cell) => cell.textContent === 'Stopped').length === 3,
    );
    await visit.close();
  });

  it('are read-only for auditors', async () => {
    const visit = await fixture.show('/admin/transfers', 'vera');
    const { page } = visit;
    await page.getByRole('heading', { level: 1, name: 'Transfers' }).waitFor();
    await page.getByText('You can look at this but not change it.').waitFor();
    await page.getByText(cleo).first().waitFor();
    await menuOf(page, /Message of/)
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Receipt (PDF)' }).waitFor();
    assert.equal(await page.getByRole('menuitem').count(), 1);
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem').waitFor({ state: 'detached' });
    await visit.assertAccessible();
    await visit.close();
  });
});
