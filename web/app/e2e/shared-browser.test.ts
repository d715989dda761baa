import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '#test/kit/eventually.ts';
import { passwordOf, screenTitle, skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

describe('a session that ends automatically', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();

  async function enter(page: Page, isShared: boolean): Promise<void> {
    await page.context().clearCookies();
    await page.goto(`${fixture.app.url}/sign-in?to=/app/send`);
    await page.getByLabel('E-mail address').fill(fixture.people.alice!.email);
    await page.locator('[name="password"]').fill(passwordOf('alice'));
    if (isShared) await page.getByLabel('This is a shared computer').check();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/app/send');
    await page.locator(screenTitle).waitFor();
  }

  const storedNames = (page: Page) =>
    page.evaluate(() => Object.keys(localStorage).filter((name) => name !== 'waybill:scheme'));

  async function storeTraces(page: Page): Promise<void> {
    await page.getByLabel('Subject').fill('Secret plans');
    await until(async () => (await storedNames(page)).some((name) => name.endsWith(':draft:send')));
    await page.evaluate(async () => {
      localStorage.setItem('waybill:upload:/requests/x', '[]');
      localStorage.setItem('waybill:someone-else:table:sent', '{}');
      const database = await new Promise<IDBDatabase>((resolve) => {
        const opening = indexedDB.open('waybill', 1);
        opening.onupgradeneeded = () => void opening.result.createObjectStore('handles');
        opening.onsuccess = () => resolve(opening.result);
      });
      const change = database.transaction('handles', 'readwrite');
      change.objectStore('handles').put({ handle: null, keptAt: Date.now() }, 'waybill:someone-else:uploads\n');
      await new Promise((resolve) => change.addEventListener('complete', resolve));
      database.close();
    });
  }

  const countHandles = (page: Page) =>
    page.evaluate(async () => {
      const database = await new Promise<IDBDatabase>((resolve) => {
        const opening = indexedDB.open('waybill', 1);
        opening.onsuccess = () => resolve(opening.result);
      });
      const counting = database.transaction('handles').objectStore('handles').count();
      const count = await new Promise<number>((resolve) => {
        counting.onsuccess = () => resolve(counting.result);
      });
      database.close();
      return count;
    });

  async function endSessions(): Promise<void> {
    const { id } = (
      (await fixture.app.admin.expect(200, 'getUser', { params: { id: fixture.people.alice!.email } })).body as {
        user: { id: string };
      }
    ).user;
    await fixture.app.admin.expect(200, 'endPersonSessions', { params: { id } });
  }

  async function holdsNothing(page: Page): Promise<void> {
    await until(async () => (await storedNames(page)).length === 0);
    await until(async () => (await countHandles(page)) === 0);
  }

  it('leaves the page on a shared browser, and removes drafts, saved uploads and handles', async () => {
    const visit = await fixture.open('/received');
    const { page } = visit;
    visit.expectStatus(401);
    await enter(page, true);
    await storeTraces(page);
    await endSessions();
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
    await page.waitForURL('**/sign-in?to=%2Fapp%2Fsend');
    await holdsNothing(page);
    await visit.close();
  });

  it('removes them when the tab was closed before and the app is opened again', async () => {
    const visit = await fixture.open('/received');
    const { page } = visit;
    await enter(page, true);
    await storeTraces(page);
    await page.goto(`${fixture.app.url}/healthz`);
    assert.ok((await storedNames(page)).length >= 3, 'they outlast the tab');
    await endSessions();
    await page.goto(`${fixture.app.url}/app/sent`);
    await page.waitForURL('**/sign-in?to=%2Fapp%2Fsent');
    await holdsNothing(page);
    await visit.close();
  });

  it('keeps the draft on any other browser', async () => {
    const visit = await fixture.open('/received');
    const { page } = visit;
    visit.expectStatus(401);
    await enter(page, false);
    await storeTraces(page);
    await endSessions();
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
    await page.getByRole('dialog', { name: 'Sign in again to continue' }).waitFor();
    await page.goto(`${fixture.app.url}/sign-in`);
    await page.getByLabel('E-mail address').waitFor();
    assert.ok((await storedNames(page)).some((name) => name.endsWith(':draft:send')));
    await visit.close();
  });
});
