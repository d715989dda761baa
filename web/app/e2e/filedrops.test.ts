import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { appDropAnswer } from '#contract/app/filedrops.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { until } from '#test/kit/eventually.ts';
import { wireForm } from '#test/kit/wire-form.ts';
import { skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

describe('the drop page of a person', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  const show = async (who: ApiClient) => wireForm(appDropAnswer, (await who.expect(200, 'getAppDrop')).body).drop;
  const statusOf = async (url: string) => (await fetch(url, { headers: { accept: 'text/html' } })).status;

  it('shows both URLs, copies them, closes and opens, and creates a new one after a confirmation', async () => {
    const gus = await fixture.addPerson('gus', { filedrop_random: true, filedrop_email: true });
    const before = await show(gus);
    const visit = await fixture.open('/drop', 'gus');
    const { page } = visit;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const random = page.getByRole('region', { name: 'Private address' });
    await random.getByRole('img', { name: `QR code for ${before.random_url}` }).waitFor();
    await visit.assertAccessible();
    await page
      .getByRole('region', { name: 'Address with your e-mail' })
      .getByRole('button', { name: 'Copy' })
      .press('Enter');
    await visit.announced('Address copied.');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), before.email_url);
    assert.equal(await random.getByRole('link', { name: 'Preview' }).getAttribute('href'), before.random_url);
    await page.getByRole('radio', { name: 'Address with your e-mail' }).check();
    assert.ok((await page.getByLabel('As HTML').inputValue()).includes(before.email_url));

    const open = page.getByRole('switch', { name: 'My drop page is open' });
    await open.press('Space');
    await page.getByText('No one can send you files through it until you open it again.').waitFor();
    await visit.announced('Your drop page is closed.');
    assert.equal(await statusOf(before.random_url), 404);
    await visit.assertAccessible();
    await open.press('Space');
    await until(async () => (await show(gus)).is_open);
    await random.getByRole('link', { name: 'Preview' }).waitFor();

    await random.getByRole('button', { name: 'Reset address' }).press('Enter');
    const ask = page.getByRole('dialog', { name: 'Create a new private address?' });
    await ask.waitFor();
    await page.keyboard.press('Escape');
    await ask.waitFor({ state: 'hidden' });
    assert.equal((await show(gus)).random_url, before.random_url);
    await random.getByRole('button', { name: 'Reset address' }).press('Enter');
    await ask.getByRole('button', { name: 'Create a new address' }).press('Enter');
    await page.getByText('The old address no longer works.').waitFor();
    await visit.announced('New address created.');
    const after = await show(gus);
    assert.equal(await random.getByLabel('Address').inputValue(), after.random_url);
    assert.notEqual(after.random_url, before.random_url);
    assert.equal(await statusOf(before.random_url), 404);
    await visit.close();
  });

  it('shows the refusal of the server, and reverts the switch', async () => {
    const visit = await fixture.open('/drop', 'alice', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    visit.expectStatus(422);
    await page.route('**/app-api/drop', (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({
            status: 422,
            contentType: 'application/json',
            body: JSON.stringify({ errors: ['Your group has no drop pages.'], code: 'filedrop.not_permitted' }),
          })
        : route.continue(),
    );
    const open = page.getByRole('switch', { name: 'My drop page is open' });
    await open.press('Space');
    await page.getByRole('main').getByText('Your group has no drop pages.').waitFor();
    assert.equal(await open.isChecked(), true);
    await visit.assertAccessible();
    await visit.close();
  });

  it('says so when the group has none', async () => {
    await fixture.addPerson('nora', { filedrop_random: false, filedrop_email: false });
    const visit = await fixture.open('/drop', 'nora');
    await visit.page.getByText('Your group has no drop page.').waitFor();
    await visit.assertAccessible();
    await visit.close();
  });
});
