import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '#test/kit/eventually.ts';
import { screenTitle, skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

/** Arrives in 1.5 s with 50 KB/s and a latency of 400 ms. */
const mostBytes = 50 * 1024;

describe('the first paint of the app', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();

  for (const width of ['wide', 'narrow'] as const)
    it(`needs no script and no style sheet, and does not shift: ${width}`, async () => {
      const visit = await fixture.open('/sent', 'alice', { width });
      const { page } = visit;
      const assets = await holdAssets(page);
      await page.goto(`${fixture.app.url}/app/send`, { waitUntil: 'commit' });
      await eventually('something is painted', () => page.evaluate(hasPainted));
      const title = page.locator('.frame-title');
      assert.equal(await title.textContent(), 'Send files');
      const first = { title: await placeOf(page, '.frame-title'), mark: await placeOf(page, '.frame-mark:visible') };
      const bytes = await page.evaluate(documentBytes);
      assert.ok(bytes <= mostBytes, `${bytes} bytes`);

      await assets.let();
      await page.locator(screenTitle).waitFor();
      assert.equal(await title.count(), 0);
      const now = { title: await placeOf(page, 'main h1'), mark: await placeOf(page, '[class*="mark"]:visible') };
      assert.deepEqual(now, first);
      await visit.close();
    });

  it('has the language, colour scheme and colour of the app', async () => {
    await fixture.people.ben.expect(200, 'changeProfile', { body: { theme: 'dark', language: 'de' } });
    await fixture.people.admin.expect(200, 'changeBranding', { body: { branding: { colour: '#FFCC00' } } });
    const visit = await fixture.open('/sent', 'ben');
    const { page } = visit;
    const colours = () =>
      page.evaluate(() => [
        getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.documentElement).getPropertyValue('--color-brand').trim().toLowerCase(),
      ]);
    const expected = await colours();
    const assets = await holdAssets(page);
    await page.goto(`${fixture.app.url}/app/received?q=x`, { waitUntil: 'commit' });
    await page.getByText('Empfangen', { exact: true }).waitFor();
    assert.deepEqual(await colours(), expected);
    // A detail's title is unknown before it is loaded.
    await page.goto(`${fixture.app.url}/app/sent/2hTtMxqpoLbvnjdhXNuFKs`, { waitUntil: 'commit' });
    await eventually('something is painted', () => page.evaluate(hasPainted));
    assert.equal(await page.locator('.frame-title').textContent(), '');
    visit.expectStatus(404);
    await assets.let();
    await page.locator(screenTitle).waitFor();
    await visit.close();
  });
});

async function holdAssets(page: Page): Promise<{ let(): Promise<void> }> {
  const isOpen = Promise.withResolvers<void>();
  await page.route('**/assets/**', async (route) => {
    await isOpen.promise;
    // The page may have been left.
    await route.continue().catch(() => {});
  });
  return {
    async let() {
      isOpen.resolve();
    },
  };
}

function hasPainted(): boolean {
  return performance.getEntriesByName('first-contentful-paint').length > 0;
}

function documentBytes(): number {
  return (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).transferSize;
}

async function placeOf(page: Page, selector: string): Promise<{ x: number; y: number }> {
  const { x, y } = (await page.locator(selector).first().boundingBox())!;
  return { x: Math.round(x), y: Math.round(y) };
}
