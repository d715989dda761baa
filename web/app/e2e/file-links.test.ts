import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload, fetchFile } from '#test/kit/downloads.ts';
import { until } from '#test/kit/eventually.ts';
import { type LinkBody, linkTo, listLinks } from '#test/kit/links.ts';
import { skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const dayMs = 86_400_000;

/** Delays the clipboard until a check has passed. */
async function holdClipboard(page: Page): Promise<(check: () => Promise<void>) => Promise<void>> {
  await page.evaluate(() => {
    const copy = navigator.clipboard.writeText.bind(navigator.clipboard);
    const held = globalThis as unknown as { release: () => void };
    navigator.clipboard.writeText = (text) =>
      new Promise((resolve) => {
        held.release = () => resolve(copy(text));
      });
  });
  return async (check) => {
    await page.waitForFunction(() => 'release' in globalThis);
    await check();
    await page.evaluate(() => (globalThis as unknown as { release: () => void }).release());
  };
}

describe('links', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  const inDays = (days: number) => new Date(fixture.app.clock.now() + days * dayMs).toISOString().slice(0, 10);
  const make = async (who: ApiClient, name: string, settings: Record<string, unknown> = {}): Promise<LinkBody> =>
    linkTo(who, (await who.upload(name, `content of ${name}`)).id, settings);
  const download = async (id: string) => {
    const { path } = await clickDownload(fixture.app.url, id);
    await fetchFile(fixture.app.url, path!);
  };

  it('creates links from new files and earlier ones, by keyboard only, and copies them', async () => {
    const visit = await fixture.open('/links');
    const { page } = visit;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('Create a link to one file and share it anywhere.').waitFor();
    await page.keyboard.press('l');
    const drawer = page.getByRole('dialog', { name: 'New link' });
    await drawer.waitFor();
    assert.ok(page.url().endsWith('/app/links?new=1'));
    await drawer.getByRole('button', { name: 'Create and copy' }).press('Enter');
    await drawer.getByRole('heading', { name: '1 thing needs attention' }).waitFor();
    await visit.assertAccessible();
    await choose(page, [
      { name: 'Sections rev C.pdf', text: 'sections' },
      { name: 'setup.exe', text: 'no' },
    ]);
    await drawer.getByText('.exe files can').waitFor();
    await drawer.getByText('8 B · ready').waitFor();
    const [, warning] = await visit.announcements();
    assert.match(warning, /^setup\.exe was not added\. \.exe files can’t be sent from your group\./);
    await drawer.getByRole('button', { name: 'Remove setup.exe' }).press('Enter');
    await drawer.getByRole('button', { name: 'Generate' }).press('Enter');
    const password = await drawer.getByLabel('Password').inputValue();
    assert.match(password, /^(\w{5}-){3}\w{5}$/);
    await drawer.getByRole('checkbox', { name: 'People confirm their e-mail address first' }).press('Space');
    await drawer.getByRole('button', { name: 'Create and copy' }).press('Enter');
    await page.getByRole('dialog', { name: 'Link created' }).waitFor();
    await visit.assertAccessible();
    await visit.announced('Link created and copied.');
    const [link] = await listLinks(fixture.people.alice);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link!.url);
    assert.equal(link!.require_authentication, true);
    assert.equal((await clickDownload(fixture.app.url, link!.id)).path, null, 'it asks for the password');
    const result = page.getByRole('dialog');
    assert.equal(await result.getByLabel('Password for this link').inputValue(), password);
    await result.getByRole('button', { name: 'Create another' }).press('Enter');
    await result.getByRole('button', { name: 'Add from earlier' }).press('Enter');
    const stored = page.getByRole('dialog', { name: 'Add files from earlier' });
    await stored.getByRole('button', { name: 'Add Sections rev C.pdf' }).press('Enter');
    await stored.getByRole('button', { name: 'Done' }).press('Enter');
    // The focus returns a moment after the dialog has closed.
    await result.getByRole('button', { name: 'Add from earlier' }).and(page.locator(':focus')).waitFor();
    await choose(page, [{ name: 'Plan.txt', text: 'plan' }]);
    await result.getByText('4 B · ready').waitFor();
    await result.getByText('Each file gets its own link.').waitFor();
    const releaseCopy = await holdClipboard(page);
    await result.getByRole('button', { name: 'Create and copy' }).press('Enter');
    await releaseCopy(async () => assert.equal(await result.getByText('before this happened').count(), 0));
    await page.getByRole('dialog', { name: '2 links created' }).waitFor();
    await visit.announced('2 links created and copied.');
    await result.getByRole('button', { name: 'Copy all' }).press('Enter');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const known = (await listLinks(fixture.people.alice)).map(({ url }) => url);
    assert.equal(copied.split('\n').length, 2);
    assert.ok(copied.split('\n').every((url) => known.includes(url)));
    await result.getByRole('button', { name: 'Done' }).press('Enter');
    await result.waitFor({ state: 'hidden' });
    assert.equal(await page.getByRole('row').count(), 4);
    await visit.close();
  });

  it('lists, sorts, copies and deletes, and collapses expired ones', async () => {
    const cleo = await fixture.addPerson('cleo');
    await make(cleo, 'Old prices.xlsx', { expires_at: inDays(0) });
    fixture.app.clock.advance(2 * dayMs);
    const deleted = await make(cleo, 'Gone.txt', { expires_at: inDays(30) });
    const remaining = await make(cleo, 'Cost sheet.xlsx', { expires_at: inDays(1), password: 'lamps under a river' });
    await make(cleo, `${'a'.repeat(120)}\u202e<b>x.pdf`, { expires_at: inDays(20) });
    const visit = await fixture.open('/links', 'cleo');
    const { page } = visit;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('3 results').waitFor();
    await page.getByText('tomorrow').waitFor();
    await page.getByRole('button', { name: 'Copy the link to Cost sheet.xlsx' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    assert.deepEqual(await visit.announcements(), ['Link copied.', '']);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), remaining.url);
    await page.getByRole('button', { name: '1 expired link' }).click();
    await page.getByText('Expired 16 Nov 2026 · never downloaded').waitFor();
    await visit.assertAccessible();
    await page.getByRole('columnheader', { name: 'Available until' }).getByRole('button').click();
    await page.waitForURL(/sort=expires_at/);
    await until(async () => /Cost sheet/.test((await page.getByRole('row').nth(1).textContent()) ?? ''));
    await page.getByLabel('Find a link').fill('cost');
    await page.waitForURL(/q=cost/);
    await page.getByText('1 result', { exact: true }).waitFor();
    await visit.announced('1 result.');
    await page.getByLabel('Find a link').fill('');
    await page.getByText('3 results', { exact: true }).waitFor();

    // Deleted elsewhere; this tab gets no event.
    await page.route('**/app-api/events', (route) => route.abort());
    const remove = async (file: string) => {
      await page.getByRole('button', { name: `Actions for ${file}` }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      const ask = page.getByRole('dialog', { name: `Delete the link to “${file}”?` });
      await ask.getByRole('button', { name: 'Delete link' }).click();
      await ask.waitFor({ state: 'hidden' });
    };
    visit.expectStatus(404);
    await page.getByRole('button', { name: 'Actions for Gone.txt' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await cleo.expect(200, 'deleteFileLink', { params: { id: deleted.id } });
    await page.getByRole('dialog').getByRole('button', { name: 'Delete link' }).click();
    await page.getByRole('main').getByText('The link to “Gone.txt” had been deleted already.').waitFor();
    await remove('Cost sheet.xlsx');
    await page.getByRole('main').getByText('The link to “Cost sheet.xlsx” was deleted.').waitFor();
    await page.getByText('1 result', { exact: true }).waitFor();
    assert.equal((await clickDownload(fixture.app.url, remaining.id)).path, null);
    await visit.close();
  });

  it('shows one link: saves each setting, reverts a refused one, and shows new downloads', async () => {
    const dana = await fixture.addPerson('dana');
    const link = await make(dana, 'Sections.pdf', { expires_at: inDays(30) });
    await download(link.id);
    const visit = await fixture.open(`/links/${link.id}`, 'dana');
    const { page } = visit;
    await page.getByRole('heading', { level: 1, name: 'Sections.pdf' }).waitFor();
    await page.getByText('1 download', { exact: true }).waitFor();
    await page.getByRole('img', { name: 'QR code for' }).waitFor();
    await download(link.id);
    await page.getByText('2 downloads', { exact: true }).waitFor();
    const bars = page.getByRole('group', { name: 'Downloads per day' });
    await bars.getByText(/^2 downloads between/).waitFor();
    await bars.getByRole('button', { name: '18 Nov 2026: 2 downloads' }).waitFor();
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('table', { name: 'Downloads per day' }).getByRole('row', { name: '18 Nov 2026 2' }).waitFor();
    await visit.assertAccessible();
    const forScripts = page.getByLabel('For scripts');
    assert.equal(await forScripts.inputValue(), `curl -LOJ -d '' ${link.url}/download`);

    await page.getByRole('switch', { name: 'People confirm their e-mail address first' }).press('Space');
    await visit.announced('Saved.');
    // A script could not confirm an address.
    await forScripts.waitFor({ state: 'hidden' });
    assert.equal((await listLinks(dana))[0]!.require_authentication, true);
    await page.getByRole('button', { name: 'Set a password' }).click();
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByText('Type a password, or generate one.').waitFor();
    await page.getByLabel('New password').fill('seven lamps');
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByText('Protected with a password').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No password').waitFor();

    // The group loses the right while the screen is open.
    visit.expectStatus(422);
    await page.route('**/update_download_confirmation', (route) =>
      route.fulfill({
        status: 422,
        contentType: 'application/json',
        body: JSON.stringify({ errors: ['Your group decides this.'], code: 'link.setting_locked' }),
      }),
    );
    const notification = page.getByRole('switch', { name: 'Tell me when it is downloaded' });
    const before = await notification.isChecked();
    await notification.press('Space');
    await page.getByRole('main').getByText('Your group decides this.').waitFor();
    assert.equal(await notification.isChecked(), before);
    await visit.announced('Your group decides this.');
    await visit.close();
  });

  it('opens an expired link again or creates a new one, on a phone in dark mode', async () => {
    const erin = await fixture.addPerson('erin', {
      filelink_can_change_require_authentication: false,
      filelink_can_set_password: false,
    });
    const link = await make(erin, 'Late.pdf', { expires_at: inDays(0) });
    fixture.app.clock.advance(dayMs);
    const visit = await fixture.open(`/links/${link.id}`, 'erin', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.getByText('This link expired on').waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: '7 days' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await visit.announced('The link works again.');
    await page.getByText('Set by your administrator: no confirmation of addresses and no passwords.').waitFor();
    await visit.assertAccessible();
    await visit.go(`/links?new=1&again=${link.id}`);
    await page.getByRole('heading', { level: 1, name: 'New link' }).waitFor();
    await page.getByText('stored already').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0, 'a page, not a drawer');
    // At the end, the bar of buttons covers nothing.
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Create and copy' }).click();
    await page.getByRole('heading', { level: 1, name: 'Link created' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('list', { name: 'Links' }).getByRole('listitem').nth(1).waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('queues a submit during uploads, and continues after a failed chunk', async () => {
    const visit = await fixture.open('/links?new=1', 'ben');
    const { page } = visit;
    const drawer = page.getByRole('dialog');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/link/attachments/upload**', async (route) => {
      await held;
      await route.continue();
    });
    await choose(page, [{ name: 'Slow.txt', text: 'slow' }]);
    await drawer.getByRole('button', { name: 'Create when upload finishes' }).click();
    await visit.announced('The link will be created when the upload is finished.');
    visit.expectStatus(422);
    await page.route(
      '**/link',
      (route) =>
        route.fulfill({
          status: 422,
          contentType: 'application/json',
          body: JSON.stringify({ errors: ['Not today.'], code: 'link.not_permitted' }),
        }),
      { times: 1 },
    );
    release();
    await drawer.getByText('Not today.').waitFor();
    await drawer.getByRole('button', { name: 'Create and copy' }).click();
    await page.getByRole('dialog', { name: 'Link created' }).waitFor();
    assert.equal((await listLinks(fixture.people.ben)).length, 1);
    await visit.close();
  });

  it('creates a link once when the response was lost, also after a reload', async () => {
    const fred = await fixture.addPerson('fred');
    const visit = await fixture.open('/links?new=1', 'fred');
    const { page } = visit;
    const drawer = page.getByRole('dialog');
    const create = drawer.getByRole('button', { name: 'Create and copy' });
    visit.expectStatus(502);
    // The server creates the link; the response is lost.
    await page.route('**/link', async (route) => {
      await route.fetch();
      await route.fulfill({ status: 502, body: '' });
    });
    await choose(page, [{ name: 'Once.txt', text: 'once' }]);
    await drawer.getByText('4 B · ready').waitFor();
    for (let press = 0; press < 2; press += 1) {
      const answer = page.waitForResponse('**/link');
      await create.click();
      await answer;
      await drawer.getByText('Something went wrong').waitFor();
    }
    await page.unroute('**/link');
    await page.reload();
    await drawer.getByRole('button', { name: 'Continue' }).click();
    await drawer.getByText('4 B · ready').waitFor();
    await create.click();
    await page.getByRole('dialog', { name: 'Link created' }).waitFor();
    assert.equal((await listLinks(fred)).length, 1);
    await visit.close();
  });

  it('leaves the unfinished message of Send unchanged when a file is added', async () => {
    await fixture.addPerson('gina');
    const visit = await fixture.open('/send', 'gina');
    const { page } = visit;
    await choose(page, [{ name: 'Letter.txt', text: 'letter' }]);
    await page.getByText('6 B · ready').waitFor();
    await page.goto(`${fixture.app.url}/app/links?new=1`);
    await choose(page, [{ name: 'Plan.txt', text: 'plan' }]);
    await page.getByRole('dialog').getByText('4 B · ready').waitFor();
    await page.getByRole('button', { name: 'Create and copy' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Send files' }).click();
    await page.getByText('You have an unfinished message from').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('6 B · ready').waitFor();
    await visit.close();
  });

  it('refuses files that do not fit into the storage before uploading', async () => {
    const rosa = await fixture.addPerson('rosa', { storage_quota: 1 });
    await rosa.upload('Old plans.zip', 'x'.repeat(600 * 1024));
    const visit = await fixture.open('/links?new=1', 'rosa');
    const { page } = visit;
    await page.getByText('600 KB of 1.0 MB storage used').waitFor({ state: 'attached' });
    const uploads: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/attachments/upload')) uploads.push(request.url());
    });
    await choose(page, [{ name: 'model.zip', text: 'x'.repeat(700 * 1024) }]);
    await page.getByRole('dialog').getByText('Your storage has 424 KB of 1.0 MB left.').first().waitFor();
    assert.deepEqual(uploads, []);
    await visit.close();
  });

  it('shows people whose group has no links what they can use', async () => {
    await fixture.addPerson('rita', { can_use_filelinks: false });
    const visit = await fixture.open('/links', 'rita');
    await visit.page.getByText('Your group can’t use this').waitFor();
    await visit.go(`/links/${'A'.repeat(22)}`);
    await visit.page.getByText('Your group can’t use this').waitFor();
    await visit.close();
  });
});

async function choose(page: Page, files: { name: string; text: string }[]): Promise<void> {
  const opened = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).press('Enter');
  const chooser = await opened;
  await chooser.setFiles(
    files.map(({ name, text }) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) })),
  );
}
