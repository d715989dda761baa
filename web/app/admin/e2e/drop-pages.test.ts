import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { passwordOf, skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('drop pages of functions', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  before(async () => {
    const group = await fixture.app.group('Auditors', { role: 'auditor' });
    fixture.people.watcher = await fixture.app.person('watcher', { password: passwordOf('watcher'), group });
  });

  it('are created by keyboard with a search for receivers, changed, closed and deleted', async () => {
    const visit = await fixture.open('/admin/drop-pages', 'admin');
    const { page } = visit;
    await page.getByText('Make a page for a function').waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'New drop page' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New drop page' });
    await dialog.getByLabel('Title').fill('Accounts payable');
    assert.equal(await dialog.getByRole('textbox', { name: 'Address', exact: true }).inputValue(), 'accounts-payable');
    const receivers = dialog.getByRole('combobox', { name: 'Receivers' });
    const alice = page.getByRole('option', { name: /alice/ });
    await receivers.fill('ali');
    await alice.waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await alice.waitFor({ state: 'detached' });
    assert.equal(await receivers.getAttribute('aria-activedescendant'), null, 'what is closed is not read out');
    await receivers.fill('');
    await receivers.fill('ali');
    await alice.waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Create' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Accounts payable' }).waitFor();

    await page.getByLabel('Text on the page').fill('One bill in each delivery.');
    await page.getByRole('button', { name: 'Save', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Undo changes' }).waitFor({ state: 'hidden' });
    const shown = await (await fetch(`${fixture.app.url}/filedrop/accounts-payable`)).text();
    assert.match(shown, /One bill in each delivery\./);

    await page.getByRole('button', { name: 'Close page' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close page' }).click();
    await page.getByText('This page is closed.').waitFor();
    assert.equal((await fetch(`${fixture.app.url}/filedrop/accounts-payable`)).status, 404);
    await page.getByRole('button', { name: 'Open page' }).click();
    await page.getByText('This page is closed.').waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Make a page for a function').waitFor();
    await visit.close();
  });

  it('fit the screen of a phone in dark mode, show errors at the field, and are read-only for auditors', async () => {
    const filedrop = {
      name: 'claims',
      title: 'Claims office',
      intro: 'Photos and a short note.',
      receivers: ['ben@example.com'],
    };
    const { body } = await fixture.people.admin.expect(200, 'createSystemDrop', { body: { filedrop } });
    const { id } = (body as { filedrop: { id: string } }).filedrop;
    const visit = await fixture.open('/admin/drop-pages', 'admin', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.getByRole('link', { name: 'Claims office' }).waitFor();
    await visit.assertAccessible();
    await page.getByRole('link', { name: 'Claims office' }).click();
    await page.getByRole('heading', { level: 1, name: 'Claims office' }).waitFor();
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill('no good');
    visit.expectStatus(422);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('An address has 2 to 60 letters').waitFor();
    await visit.assertAccessible();
    await visit.close();

    const view = await fixture.open(`/admin/drop-pages/${id}`, 'watcher');
    await view.page.getByText('You can look at this but not change it.').waitFor();
    await view.page.getByText('Photos and a short note.').waitFor();
    assert.equal(await view.page.getByRole('button', { name: /Save|Delete|Close page/ }).count(), 0);
    await view.assertAccessible();
    await view.close();
  });
});
