// The optional scripts of pages that give files or ask for a password, in a real browser.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { loadPages } from '../load.ts';
import { messageSamples, sampleMessage } from '../message-samples.ts';
import type { Page } from '../props.ts';
import { samplePages } from '../samples.ts';
import { launchBrowser, openVisit, skipWithoutBrowser, type Visit } from './browser.fixture.ts';
import { type PageServer, startPageServer } from './page-server.fixture.ts';

const pages: Record<string, Page> = {
  '/message': sampleMessage,
  '/many': messageSamples['message, many files'] as Page,
  '/reset': samplePages.reset as Page,
};

describe('small scripts', { skip: skipWithoutBrowser }, () => {
  let browser: Browser;
  let server: PageServer;
  before(async () => {
    browser = await launchBrowser();
    server = await startPageServer(await loadPages(), pages);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  async function visit(path: string, walk: (visit: Visit) => Promise<void>, options = {}): Promise<void> {
    const opened = await openVisit(browser, server.origin, options);
    try {
      await opened.page.goto(server.origin + path);
      await walk(opened);
      assert.deepEqual(opened.complaints, []);
    } finally {
      await opened.context.close();
    }
  }

  it('times are written in the zone of the reader', () =>
    visit(
      '/message',
      async ({ page }) => {
        await page.getByText('Downloaded 12 Nov, 22:02').waitFor();
      },
      { timezoneId: 'Asia/Tokyo' },
    ));

  it('a download leaves the page where it is, is announced, and shows when someone comes back', () =>
    visit('/message', async ({ page }) => {
      const row = page.locator('[data-file]').first();
      assert.equal(await row.getByText('Downloaded').isVisible(), false);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download Harbour-sections-rev-C.pdf, 48.2 MB' }).click(),
      ]);
      await download.delete();
      assert.equal(await page.locator('#announcer').textContent(), 'Download started.');
      server.downloads = [[sampleMessage.files[0]!.id, '2026-11-15T09:30:00.000Z']];
      await page.evaluate(() => dispatchEvent(new Event('focus')));
      await row.getByText('Downloaded').waitFor();
      assert.match((await row.textContent()) ?? '', /Downloaded 15 Nov/);
    }));

  it('Download all says what it counts, is announced, and every file shows it when someone comes back', () =>
    visit('/message', async ({ page }) => {
      await page.getByText('Counts as one download of each file.').waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download all, 1.2 GB' }).click(),
      ]);
      await download.delete();
      assert.equal(await page.locator('#announcer').textContent(), 'Download started.');
      server.downloads = sampleMessage.files.map(({ id }) => [id, '2026-11-15T10:45:00.000Z']);
      await page.evaluate(() => dispatchEvent(new Event('focus')));
      await page.getByText('Downloaded 15 Nov').nth(2).waitFor();
      for (const row of await page.locator('[data-file]').all())
        assert.match((await row.textContent()) ?? '', /Downloaded 15 Nov/);
    }));

  it('on a phone Download all is at the bottom edge from the start, and the last file can be scrolled above it', () =>
    visit(
      '/many',
      async ({ page }) => {
        const button = page.getByRole('button', { name: 'Download all, 1.2 GB' });
        const box = (await button.boundingBox())!;
        assert.ok(box.y > 640 / 2 && box.y + box.height <= 640, `at ${box.y}`);
        const last = page.getByRole('button', { name: /^Download Sheet-24/ });
        await last.focus();
        const [lastBox, edge] = [(await last.boundingBox())!, (await button.boundingBox())!.y];
        assert.ok(lastBox.y + lastBox.height <= edge, `${lastBox.y} is under the button at ${edge}`);
      },
      { viewport: { width: 360, height: 640 } },
    ));

  it('a checksum is copied with one press', () =>
    visit(
      '/message',
      async ({ page }) => {
        await page.getByText('Check your files (SHA-256)').click();
        await page.getByRole('button', { name: 'Copy' }).first().click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        assert.equal(await page.locator('#announcer').textContent(), 'Copied');
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()), sampleMessage.files[0]!.sha256);
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    ));

  it('a password can be looked at, is measured in words, and is hidden again when it is sent', () =>
    visit('/reset', async ({ page }) => {
      const field = page.getByLabel('New password');
      await field.fill('too short');
      assert.equal(await page.locator('.measure').textContent(), 'Too short so far: at least 12 characters.');
      await field.fill('long enough now');
      assert.equal(await page.locator('.measure').textContent(), 'Long enough.');
      const show = page.getByRole('button', { name: 'Show password' });
      await show.click();
      assert.deepEqual([await field.getAttribute('type'), await show.getAttribute('aria-pressed')], ['text', 'true']);
      await page.evaluate(() => {
        const form = document.querySelector('form');
        form?.addEventListener('submit', (event) => event.preventDefault());
        form?.requestSubmit();
      });
      assert.equal(await field.getAttribute('type'), 'password');
    }));
});
