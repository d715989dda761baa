import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { until } from '#test/kit/eventually.ts';
import { type AppVisit, passwordOf, screenTitle, skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('people in the console', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  before(async () => {
    const add = (user: object) => fixture.app.admin.expect(200, 'createUser', { body: { user } as never });
    for (let n = 10; n < 70; n++) await add({ email: `member${n}@many.example`, name: `Member ${n}` });
    await add({ email: 'zoe@harbour.example', name: 'Zoë <b>Long</b>', group: 'external-users', invite: true });
    await add({ email: 'dan@example.com', name: 'Dan Brown', disabled: true });
    fixture.people.boss = await fixture.app.person('boss', { password: passwordOf('boss'), group: 'administrators' });
  });

  const views = [
    { width: 'wide', scheme: 'dark' },
    { width: 'narrow', scheme: 'light' },
  ] as const;
  for (const path of [
    '/admin/people',
    '/admin/people/alice-example-com',
    '/admin/people/import',
    '/admin/people?new=1',
  ])
    it(`${path} is accessible and fits, wide and narrow, light and dark`, async () => {
      const visit = await fixture.show(path, 'admin', views[0]);
      for (const { width, scheme } of views) {
        await visit.page.setViewportSize({ width: width === 'wide' ? 1280 : 360, height: 740 });
        await visit.page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
        await settled(visit);
        await visit.assertAccessible();
      }
      await visit.close();
    });

  it('are found by text and filters that are in the URL, page by page', async () => {
    const visit = await fixture.show('/admin/people', 'admin');
    const { page } = visit;
    await page.getByRole('link', { name: 'Member 10' }).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL('**/app/admin/people?*after=*');
    await page.getByRole('link', { name: 'Member 69' }).waitFor();
    await page.getByRole('button', { name: 'Previous page' }).click();
    await page.getByRole('link', { name: 'Member 10' }).waitFor();
    await page.getByRole('searchbox', { name: 'Name or address' }).fill('ZOE');
    await page.waitForURL('**/app/admin/people?q=ZOE');
    await page.getByRole('link', { name: 'Zoë <b>Long</b>' }).waitFor();
    await page.getByText('1 result', { exact: true }).waitFor();
    await page.reload();
    assert.equal(await page.getByRole('searchbox', { name: 'Name or address' }).inputValue(), 'ZOE');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: '1 switched off' }).click();
    await page.getByRole('link', { name: 'Dan Brown' }).waitFor();
    await page.waitForURL('**/app/admin/people?state=disabled');
    await visit.close();
  });

  it('are added, and a refusal is shown at its field', async () => {
    const visit = await fixture.show('/admin/people?new=1', 'admin');
    const { page } = visit;
    visit.expectStatus(422);
    const dialog = page.getByRole('dialog', { name: 'Add a person' });
    await dialog.getByLabel('E-mail address').fill('alice@example.com');
    await dialog.getByLabel('E-mail address').press('Enter');
    await dialog.getByText('This e-mail address is already in use.').waitFor();
    await dialog.getByLabel('E-mail address').fill('nina@example.com');
    await dialog.getByRole('button', { name: 'Add person' }).click();
    await page.getByText('nina@example.com was added.').first().waitFor();
    await visit.close();
  });

  it('are changed, with the reason of their group and what protects them', async () => {
    const visit = await fixture.show('/admin/people/alice-example-com', 'admin');
    const { page } = visit;
    await page.getByText('People added without a group get it.').or(page.getByText('chose it when')).first().waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Alice Smith');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Alice Smith' }).waitFor();
    await visit.announced('Saved.');
    await visit.go('/admin/people/root-example-com');
    await page.getByText('This is your own account.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);
    await visit.close();
  });

  it("keep another administrator's changes while a form is open", async () => {
    const visit = await fixture.show('/admin/people/ben-example-com', 'admin');
    const { page } = visit;
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Ben Okafor');
    const [params, group] = [{ id: 'ben-example-com' }, await fixture.app.group('Readers')];
    await fixture.people.admin.expect(200, 'changeUser', { params, body: { user: { group } } });
    // Refetches everything.
    await page.getByRole('button', { name: 'Renew the key for clients' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Lost laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Renew the key for clients' }).click();
    await until(async () => (await page.getByRole('combobox', { name: 'Group' }).inputValue()) === 'Readers');
    assert.equal(await name.inputValue(), 'Ben Okafor');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ben Okafor' }).waitFor();
    const { body } = await fixture.people.admin.expect(200, 'getPerson', { params });
    assert.equal((body as { person: { group: { id: string } } }).person.group.id, group);
    await visit.close();
  });

  it('are signed out everywhere, and their key is revealed for a reason', async () => {
    const alice = await fixture.open('/received', 'alice');
    const visit = await fixture.show('/admin/people/alice-example-com', 'admin');
    const { page } = visit;
    visit.expectStatus(422);
    await page.getByRole('button', { name: 'Look up the key' }).click();
    const ask = page.getByRole('dialog');
    await ask.getByRole('button', { name: 'Look up the key' }).click();
    await ask.getByText('Say why: it is kept in the log.').waitFor();
    await visit.assertAccessible();
    await ask.getByLabel('Reason').fill('Moving the export');
    await ask.getByLabel('Reason').press('Enter');
    await page
      .getByRole('dialog', { name: /^Key of/ })
      .getByText('We told')
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByText('Not signed in anywhere.').waitFor();
    alice.expectStatus(401);
    await alice.close();
    await visit.close();
  });

  it('are imported from a list: first a check of each line, then the import', async () => {
    const visit = await fixture.show('/admin/people/import', 'admin');
    const { page } = visit;
    const list = ['Name;E-Mail', 'Ida;ida@import.example', 'Nobody;not an address', 'Olof;olof@import.example'];
    await page.getByLabel('CSV file').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(list.join('\r\n')),
    });
    await page.getByRole('button', { name: 'Check 3 lines' }).click();
    await page.getByText('2 can be added, 1 have a problem.').first().waitFor();
    const bad = page.getByRole('row').filter({ hasText: 'not an address' });
    await bad.getByText('Enter an e-mail address such as').waitFor();
    assert.match((await bad.getByRole('rowheader').textContent()) ?? '', /3/);
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Add 2 people' }).click();
    await page.getByText('2 added, 0 not.').first().waitFor();
    await fixture.app.admin.expect(200, 'getPerson', { params: { id: 'ida-import-example' } });
    await visit.close();
  });

  it('are disabled and moved in bulk: first a list of who, then the change, never oneself', async () => {
    const visit = await fixture.show('/admin/people?q=member2', 'admin');
    const { page } = visit;
    await page.getByRole('checkbox', { name: 'Member 20' }).check();
    await page.getByRole('checkbox', { name: 'Member 21' }).press('Space');
    await page.getByRole('button', { name: 'Change these people' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Change several people' });
    await dialog.getByText('Switch off', { exact: true }).click();
    await dialog.getByLabel('Reason').fill('Season over');
    await dialog.getByRole('button', { name: 'See what would happen' }).click();
    await dialog.getByText('2 people would change. Nothing has happened yet.').waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Change 2 people' }).click();
    await page.getByText('2 people were changed.').first().waitFor();
    await page.getByRole('button', { name: '3 switched off' }).waitFor();
    await visit.go('/admin/people?role=system_administrator');
    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
    await page.getByRole('button', { name: 'Change all of these' }).click();
    await dialog.getByText('Switch off', { exact: true }).click();
    await dialog.getByRole('button', { name: 'See what would happen' }).click();
    await dialog.getByText('No one here would change.').waitFor();
    await dialog.getByText('You can’t switch off, delete or move your own account').waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Change 0 people' }).isDisabled());
    await visit.close();
  });

  it('hand their shared files over to a colleague before they are deleted', async () => {
    const visit = await fixture.show('/admin/people/member30-many-example', 'admin');
    const { page } = visit;
    visit.expectStatus(422);
    // The event may arrive while the person's page is still open.
    visit.expectStatus(404);
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Member 30?' });
    await dialog.getByLabel('Type member30@many.example to continue').fill('member30@many.example');
    const go = dialog.getByRole('button', { name: 'Hand over and delete' });
    await go.click();
    await dialog.getByText('Say who gets it.').waitFor();
    await visit.assertAccessible();
    await dialog.getByLabel('Who gets them (address)').fill('boss@example.com');
    await go.click();
    await page.getByText('0 transfers were handed over. The account is deleted.').first().waitFor();
    await fixture.app.admin.expect(404, 'getPerson', { params: { id: 'member30-many-example' } });
    await visit.close();
  });

  it('are erased after their address was typed, with a list of what is kept', async () => {
    const visit = await fixture.show('/admin/people/member10-many-example', 'admin');
    const { page } = visit;
    // The event may arrive while the person's page is still open.
    visit.expectStatus(404);
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Member 10?' });
    await dialog.getByText('Erase everything about the person').click();
    await dialog.getByText('Lines of the log without name, address and id').waitFor();
    await visit.assertAccessible();
    await dialog.getByLabel('Reason').fill('Asked by letter');
    const go = dialog.getByRole('button', { name: 'Erase', exact: true });
    assert.ok(await go.isDisabled());
    await dialog.getByLabel('Type member10@many.example to continue').fill('member10@many.example');
    await go.click();
    await page.waitForURL('**/app/admin/people');
    await fixture.app.admin.expect(404, 'getPerson', { params: { id: 'member10-many-example' } });
    await visit.close();
  });

  it('of higher rank are hidden from administrators', async () => {
    const visit = await fixture.show('/admin/people/root-example-com', 'boss');
    visit.expectStatus(404);
    await visit.page.getByRole('heading', { level: 1, name: 'There’s nothing at this address' }).waitFor();
    await visit.close();
  });
});

async function settled({ page }: AppVisit): Promise<void> {
  await page.locator(screenTitle).waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
}
