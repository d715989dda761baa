import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { messageSamples, sampleMessage } from '#test/pages/message-samples.ts';
import { samplePages } from '#test/pages/samples.ts';
import { loadPages } from '../load.ts';
import type { MessageFile, MessagePage } from '../message-props.ts';
import type { Page } from '../page.ts';
import type { LinkPage } from '../props.ts';
import { launchBrowser, openVisit, reuseVisits, skipWithoutBrowser, type Visit } from './browser.fixture.ts';
import { type PageServer, startPageServer } from './page-server.fixture.ts';

const pages: Record<string, Page> = {
  '/message': sampleMessage,
  '/many': messageSamples['message, many files'] as Page,
  '/link': { ...(samplePages.link as LinkPage), download: { is: 'ready', form: { action: '/link/download' } } },
  '/reset': samplePages.reset as Page,
};

describe('small scripts', { skip: skipWithoutBrowser }, () => {
  let browser: Browser;
  let server: PageServer;
  let openReused: ReturnType<typeof reuseVisits>;
  before(async () => {
    browser = await launchBrowser();
    server = await startPageServer(await loadPages(), pages);
    openReused = reuseVisits(browser, server.origin);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  async function visit(
    path: string,
    steps: (visit: Visit) => Promise<void>,
    options?: BrowserContextOptions,
  ): Promise<void> {
    const opened = options ? await openAlone(options) : await openReused();
    try {
      await opened.page.goto(server.origin + path);
      await steps(opened);
      assert.deepEqual(opened.complaints, []);
    } finally {
      await opened.close();
    }
  }

  /** For another size, time zone, or no script. */
  async function openAlone(options: BrowserContextOptions) {
    const opened = await openVisit(browser, server.origin, options);
    return { ...opened, close: () => opened.context.close() };
  }

  it("times are written in the reader's time zone", () =>
    visit(
      '/message',
      async ({ page }) => {
        await page.getByText('Downloaded 12 Nov, 22:02').waitFor();
      },
      { timezoneId: 'Asia/Tokyo' },
    ));

  const after15Nov = (ids: string[], more: Partial<MessagePage> = {}): Page => ({
    ...sampleMessage,
    files: sampleMessage.files.map((file) =>
      ids.includes(file.id) ? { ...file, downloadedAt: '2026-11-15T09:30:00.000Z' } : file,
    ),
    ...more,
  });
  const [sections] = sampleMessage.files as [MessageFile];

  it('Download shows Started, then Downloaded and the new count, without moving the focus', () =>
    visit('/message', async ({ page }) => {
      server.fresh = sampleMessage;
      const row = page.locator('[data-file]').first();
      const button = page.getByRole('button', { name: 'Download Harbour-sections-rev-C.pdf, 48.2 MB' });
      assert.equal(await row.getByText('Downloaded').count(), 0);
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
      await download.delete();
      assert.equal(await page.locator('#announcer').textContent(), 'Download started.');
      await row.getByText('Started').waitFor();
      await page.getByText('3 downloads of each file left').waitFor();
      server.fresh = after15Nov([sections.id], { downloadsLeft: 2 });
      await row.getByText('Downloaded 15 Nov').waitFor();
      await page.getByText('2 downloads of each file left').waitFor();
      assert.equal(await row.getByText('Started').count(), 0);
      assert.match((await page.locator('#announcer').textContent()) ?? '', /^Downloaded 15 Nov/);
      assert.equal(await button.evaluate((element) => element === document.activeElement), true);
    }));

  it('a download that does not start shows what to do, until it runs', () =>
    visit('/message', async ({ page }) => {
      server.fresh = sampleMessage;
      const row = page.locator('[data-file]').first();
      await page.clock.install();
      const pressed = Promise.all([page.waitForEvent('download'), row.getByRole('button').click()]);
      await row.getByText('Started').waitFor();
      assert.equal(await row.getByText('Didn’t start?').count(), 0);
      await page.clock.runFor(7_000);
      await row.getByText('Didn’t start? Select Download again.').waitFor();
      const running = { ...sections, state: { ...sections.state, progress: 'running' } } as MessageFile;
      server.fresh = { ...sampleMessage, files: [running, ...sampleMessage.files.slice(1)] };
      await page.clock.runFor(30_000);
      await row.getByText('Didn’t start?').waitFor({ state: 'detached' });
      assert.equal(await row.getByText('Started').count(), 1);
      await (await pressed)[0].delete();
    }));

  it('the last permitted download removes the button, and an interrupted one says so', () =>
    visit('/message', async ({ page }) => {
      const row = page.locator('[data-file]').first();
      const [download] = await Promise.all([page.waitForEvent('download'), row.getByRole('button').click()]);
      await download.delete();
      const broken = { ...sections, state: { ...sections.state, progress: 'interrupted' } } as MessageFile;
      server.fresh = { ...sampleMessage, files: [broken, ...sampleMessage.files.slice(1)] };
      await row.getByText('The last download was interrupted').waitFor();
      assert.equal(await row.getByText('Started').count(), 0);
      const [again] = await Promise.all([page.waitForEvent('download'), row.getByRole('button').click()]);
      await again.delete();
      const usedUp = { ...sections, state: { is: 'used-up' }, downloadedAt: '2026-11-15T09:30:00.000Z' } as MessageFile;
      server.fresh = { ...sampleMessage, files: [usedUp, ...sampleMessage.files.slice(1)] };
      await row.getByText('No downloads left').waitFor();
      assert.equal(await row.getByRole('button').count(), 0);
    }));

  it('Download all says what it counts, shows its progress, and afterwards every file is marked', () =>
    visit('/message', async ({ page }) => {
      server.fresh = sampleMessage;
      await page.getByText('Counts as one download of each file.').locator('visible=true').waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download all, 1.2 GB' }).click(),
      ]);
      await download.delete();
      await page.locator('.card-strip').getByText('Started').locator('visible=true').waitFor();
      server.fresh = after15Nov(sampleMessage.files.map(({ id }) => id));
      await page.getByText('Downloaded 15 Nov').nth(2).waitFor();
      await page.locator('.card-strip').getByText('Started').waitFor({ state: 'detached' });
    }));

  it('on the page of a link, Download shows its progress', () =>
    visit('/link', async ({ page }) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: /^Download/ }).click(),
      ]);
      await download.delete();
      await page.getByText('Started', { exact: true }).waitFor();
    }));

  it('on a phone the focus order is the visual order', () =>
    visit(
      '/message',
      async ({ page }) => {
        const places = await page
          .locator('main button:visible')
          .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top + scrollY));
        assert.equal(places.length, 4);
        assert.deepEqual(
          places,
          [...places].sort((a, b) => a - b),
        );
      },
      { viewport: { width: 360, height: 2_000 } },
    ));

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

  it('a checksum is copied with one click', () =>
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

  it('a password can be shown, is rated, and is hidden again when it is sent', () =>
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
