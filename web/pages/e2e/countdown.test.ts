import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { confirmAddressSamples } from '#test/pages/confirm-address-samples.ts';
import { loadPages } from '../load.ts';
import type { Page } from '../page.ts';
import { launchBrowser, openVisit, skipWithoutBrowser } from './browser.fixture.ts';
import { type PageServer, startPageServer } from './page-server.fixture.ts';

const pages: Record<string, Page> = {
  '/code': confirmAddressSamples['confirm-address, code']!,
  '/wait': { kind: 'wait', seconds: 130 },
};

describe('waiting times', { skip: skipWithoutBrowser }, () => {
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

  it('a new code can be requested when the time is over, not before', async () => {
    const { page, context, complaints } = await openVisit(browser, server.origin);
    await page.clock.install();
    await page.goto(`${server.origin}/code`);
    const button = page.getByRole('button', { name: 'Get a new code' });
    const remaining = page.getByText(/You can get a new code in \d+ seconds\./);
    await remaining.waitFor();
    await page.clock.pauseAt(Date.now() + 5_000);
    const seconds = Number((await remaining.textContent())!.match(/in (\d+) seconds/)![1]);
    assert.ok(seconds > 2 && seconds < 30, `${seconds}`);
    await page.clock.runFor((seconds - 2) * 1000);
    await page.getByText('You can get a new code in 2 seconds.').waitFor();
    assert.equal(await button.isDisabled(), true);
    await page.clock.runFor(2000);
    assert.equal(await page.getByText('You can get a new code in').isVisible(), false);
    assert.equal(await page.locator('[aria-live], [role="status"]').filter({ hasText: 'seconds' }).count(), 0);
    await context.close();
    assert.deepEqual(complaints, []);
  });

  it('a page that says to wait reloads automatically', async () => {
    const { page, context } = await openVisit(browser, server.origin);
    await page.clock.install();
    await page.goto(`${server.origin}/wait`);
    await page.getByText('in 3 minutes').waitFor();
    await page.clock.runFor(30_000);
    await page.getByText('in 100 seconds').waitFor();
    pages['/wait'] = confirmAddressSamples['confirm-address']!;
    await page.clock.runFor(101_000);
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
    await context.close();
  });
});
