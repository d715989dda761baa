// Before the scripts of the app are there: the server's frame is painted with what the page itself brings, says which
// screen it is, and nothing jumps when the app takes over.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '#test/kit/patience.ts';
import { screenTitle, skipWithoutBrowser, useAppHouse } from './app.fixture.ts';

/** At 50 KB a second and 400 ms until an answer begins, 1.5 seconds are over after this much. */
const mostBytes = 50 * 1024;

describe('the first paint of the app', { skip: skipWithoutBrowser }, () => {
  const house = useAppHouse();

  for (const width of ['wide', 'narrow'] as const)
    it(`waits for no script and no style sheet, and does not jump: ${width}`, async () => {
      const visit = await house.open('/sent', 'alice', { width });
      const { page } = visit;
      const assets = await holdAssets(page);
      await page.goto(`${house.app.url}/app/send`, { waitUntil: 'commit' });
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

  it('has the language, the light and the colour that the app will have', async () => {
    await house.people.ben.expect(200, 'changeProfile', { body: { theme: 'dark', language: 'de' } });
    await house.people.admin.expect(200, 'changeBranding', { body: { branding: { colour: '#FFCC00' } } });
    const visit = await house.open('/sent', 'ben');
    const { page } = visit;
    const colours = () =>
      page.evaluate(() => [
        getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.documentElement).getPropertyValue('--color-brand').trim().toLowerCase(),
      ]);
    const wanted = await colours();
    const assets = await holdAssets(page);
    await page.goto(`${house.app.url}/app/received?q=x`, { waitUntil: 'commit' });
    await page.getByText('Empfangen', { exact: true }).waitFor();
    assert.deepEqual(await colours(), wanted);
    // What a detail is called is not known before it was read.
    await page.goto(`${house.app.url}/app/sent/2hTtMxqpoLbvnjdhXNuFKs`, { waitUntil: 'commit' });
    await eventually('something is painted', () => page.evaluate(hasPainted));
    assert.equal(await page.locator('.frame-title').textContent(), '');
    visit.expectStatus(404);
    await assets.let();
    await page.locator(screenTitle).waitFor();
    await visit.close();
  });
});

/** Files of the app wait until they are let through. */
async function holdAssets(page: Page): Promise<{ let(): Promise<void> }> {
  const isOpen = Promise.withResolvers<void>();
  await page.route('**/assets/**', async (route) => {
    await isOpen.promise;
    // The page may have been left in the meantime.
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
