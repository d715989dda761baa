import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '#test/kit/eventually.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const notices = (page: Page) => page.locator('[data-tone="warning"], [data-tone="danger"]').locator('visible=true');

describe('the connection', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  const send = (subject: string) =>
    sendMessage(fixture.people.ben, {
      recipients: [fixture.people.alice.email],
      subject,
      attachments: [inlineFile('plan.txt', 'plan')],
    });

  it('an unreachable server is announced once, and missed changes are shown when it is back', async () => {
    const visit = await fixture.open('/received');
    const { page } = visit;
    visit.expectStatus(503);
    const notice = page.getByText('The server is restarting, usually');
    await page.route(/\/(app-api|healthz)/, (route) => route.fulfill({ status: 503, body: 'unavailable' }));
    await page.getByRole('link', { name: 'Sent', exact: true }).click();
    await notice.waitFor();
    await page.getByRole('heading', { level: 1, name: 'Sent' }).waitFor();
    assert.equal(await notices(page).count(), 1, 'the list that waits says nothing of its own');
    await visit.announced('The server is restarting.');
    await visit.assertAccessible();
    await send('Sent while it was away');
    await page.unroute(/\/(app-api|healthz)/);
    await notice.waitFor({ state: 'hidden' });
    await page.getByText('Messages you send will be listed here').waitFor();
    await visit.announced('Back online.');
    await page.getByRole('link', { name: /^Received/ }).click();
    await page.getByText('Sent while it was away').waitFor();
    await visit.close();
  });

  it('a server that does not respond is unreachable, without the browser being offline', async () => {
    const visit = await fixture.open('/received', 'ben', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.route(/\/(app-api|healthz)/, (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'Sent', exact: true }).click();
    const notice = page.getByText(`We can’t reach ${new URL(fixture.app.url).host}.`);
    await notice.waitFor();
    assert.equal(await notices(page).count(), 1);
    assert.equal(await page.getByText('reach the server').count(), 0);
    await visit.assertAccessible();
    await page.unroute(/\/(app-api|healthz)/);
    await notice.waitFor({ state: 'hidden' });
    await visit.close();
  });

  for (const [who, link, title] of [
    ['alice', 'Links', 'Links'],
    ['admin', 'Administration', 'Overview'],
  ] as const)
    it(`a screen that was never opened waits for the connection, and the page stays: ${link}`, async () => {
      const visit = await fixture.open('/received', who);
      const { page } = visit;
      await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
      await visit.setOffline(true);
      await page.getByRole('link', { name: link, exact: true }).click();
      await notices(page)
        .filter({ hasText: /^(?:You’re offline\.|We can’t reach)/ })
        .waitFor();
      await page.getByRole('heading', { level: 1, name: 'Loading' }).waitFor();
      await until(() => page.evaluate(() => document.activeElement?.textContent === 'Loading'));
      await until(async () => (await page.title()).endsWith('Loading · Waybill'));
      assert.equal(await page.getByText('This didn’t work').count(), 0);
      assert.equal(await notices(page).count(), 1);
      await visit.setOffline(false);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await until(() => page.evaluate((words) => document.activeElement?.textContent === words, title));
      assert.equal(
        await page.evaluate('isSamePage'),
        true,
        'nothing was loaded anew, so no upload would have been lost',
      );
      await visit.close();
    });

  it('a language whose texts cannot be fetched is applied as soon as they can', async () => {
    const visit = await fixture.open('/account/you', 'ben');
    const { page } = visit;
    const files = /\/(assets|healthz)/;
    await page.route(files, (route) => route.abort('connectionrefused'));
    await page.getByRole('combobox', { name: 'Language' }).click();
    await page.getByRole('option', { name: 'Svenska' }).click();
    await page.getByText(`We can’t reach ${new URL(fixture.app.url).host}.`).waitFor();
    await page.unroute(files);
    await page.locator('html[lang="sv"]').waitFor();
    await visit.close();
  });

  it('a page of an older build, whose files are gone, becomes one of the new build; if that does not help, an error is shown', async () => {
    const visit = await fixture.open('/received');
    const { page } = visit;
    const files = '**/app/assets/file-links-*.js';
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    await page.route(files, (route) => route.fulfill({ status: 404, body: '' }));
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'This didn’t work' }).waitFor();
    assert.equal(await page.evaluate('globalThis.isSamePage'), undefined, 'it was loaded anew, once');
    await page.unroute(files);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor();
    await page.close(); // the router has logged the missing file, which would fail a visit
  });

  it('a page of an older build stays during uploads', async () => {
    const visit = await fixture.open('/send');
    const { page } = visit;
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    await page.route('**/attachments/upload?**', () => {}); // the chunk is in flight until the page is closed
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files' }).click(),
    ]);
    await page.route('**/app/assets/file-links-*.js', (route) => route.fulfill({ status: 404, body: '' }));
    const underWay = page.waitForRequest('**/attachments/upload?**');
    await chooser.setFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('plan') });
    await underWay;
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'This didn’t work' }).waitFor();
    assert.equal(await page.evaluate('globalThis.isSamePage'), true, 'nothing was loaded anew');
    await page.close();
  });
});
