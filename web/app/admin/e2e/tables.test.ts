import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sendMessage } from '#test/kit/messages.ts';
import { addFilter, skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('tables of the console', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();

  before(async () => {
    const { alice, ben } = fixture.people;
    for (let n = 1; n <= 30; n += 1) {
      await sendMessage(n % 2 === 0 ? alice : ben, { recipients: [`person${n}@harbour.example`], subject: '' });
      fixture.app.clock.advance(1000);
    }
  });

  it('show set filters as chips that can be changed and removed, by keyboard too', async () => {
    const visit = await fixture.show('/admin/transfers', 'admin');
    const { page } = visit;
    await page.getByRole('row').nth(30).waitFor();
    assert.equal(await page.getByRole('combobox').count(), 0, 'nothing but chips');
    await addFilter(page, 'Belongs to (address)', fixture.people.alice.email);
    await page.getByText('15 results', { exact: true }).waitFor();
    await addFilter(page, 'Status', 'Expired');
    await page.getByText('Nothing matches these filters.').waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Status Expired' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Status' }).getByRole('button', { name: 'Open', exact: true }).focus();
    await visit.assertAccessible();
    await page.keyboard.press('Enter');
    await page.getByText('15 results', { exact: true }).waitFor();
    assert.match(page.url(), /state=open/);
    await page.getByRole('button', { name: 'Remove filter Belongs to (address)' }).click();
    await page.getByText('30 results', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal(await page.evaluate('document.activeElement.textContent.trim()'), 'Add filter');
    await visit.close();
  });

  it('keep their header in view, and have no scroll box of their own', async () => {
    const visit = await fixture.show('/admin/transfers', 'admin');
    const { page } = visit;
    const header = page.getByRole('columnheader', { name: 'To', exact: true });
    await header.waitFor();
    await page.getByRole('row').nth(28).scrollIntoViewIfNeeded();
    const { y } = (await header.boundingBox())!;
    assert.ok(y >= 0 && y < 120, `the header is at ${y}`);
    assert.deepEqual(await scrollBoxesOf(page), []);
    await visit.close();
  });

  it('have two lines for each row on phones, and selected rows there too', async () => {
    const visit = await fixture.show('/admin/people', 'admin', { width: 'narrow' });
    const { page } = visit;
    await page.getByRole('checkbox', { name: 'Select alice' }).check();
    await page.getByRole('region', { name: '1 selected' }).waitFor();
    await visit.assertAccessible();
    assert.equal(await page.getByRole('columnheader').count(), 0);
    await visit.close();
  });
});

function scrollBoxesOf(page: { evaluate(script: string): Promise<unknown> }): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll('main *')]
    .filter((one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowY) && one.tagName !== 'TEXTAREA')
    .map((one) => one.className)`);
}
