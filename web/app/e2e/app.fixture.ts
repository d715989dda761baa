// The service with three users, and a browser with their sessions (see web/app/README.md).
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser, BrowserContext, CDPSession, Locator, Page } from 'playwright-core';
import { type StartOptions, startTestApp, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { engines } from '#test/kit/engines.ts';
import { until } from '#test/kit/eventually.ts';
import { violationsOf } from '../../pages/e2e/axe.fixture.ts';
import {
  type BrowserOptions,
  launchBrowser,
  openContext,
  openPage,
  skipWithoutBrowser,
} from '../../pages/e2e/browser.fixture.ts';

export { skipWithoutBrowser };

export interface View {
  /** 1280 × 800 by default; `narrow` is 360 × 740. */
  width?: 'wide' | 'narrow' | number;
  scheme?: 'light' | 'dark';
}

export interface AppVisit {
  page: Page;
  /** Fails on script errors, policy violations and requests to other origins. */
  close(): Promise<void>;
  /** Navigates like a link, ten times faster than a reload. */
  go(path: string): Promise<void>;
  /** No axe violations, no horizontal scrolling. `colours` checks only colours. */
  assertAccessible(checks?: 'everything' | 'colours'): Promise<void>;
  /** Contents of the live regions, polite then assertive. */
  announcements(): Promise<[string, string]>;
  /** Waits until a live region contains this. */
  announced(text: string | RegExp): Promise<void>;
  /** Affects this page only; a context would affect pages that share its process twice. */
  setOffline(isOffline: boolean): Promise<void>;
  /** Expects refused calls with this status. */
  expectStatus(status: number): void;
}

export interface AppFixture {
  app: TestApp;
  /** API clients, to create data. */
  people: { admin: ApiClient; alice: ApiClient; ben: ApiClient } & Record<string, ApiClient>;
  /** Adds a person, in a group with these settings. */
  addPerson(name: string, groupSettings?: Record<string, unknown>): Promise<ApiClient>;
  /** Signs in and opens `/app` + path. */
  open(path: string, as?: string, view?: View): Promise<AppVisit>;
  /** Reuses the window of the last `show`, which is ten times faster. Memory, storage and session remain. */
  show(path: string, as?: string, view?: View): Promise<AppVisit>;
}

const adminPassword = 'quiet river under seven lamps';
const password = 'seven lamps under a quiet river';

export function passwordOf(person: string): string {
  return person === 'admin' ? adminPassword : password;
}

/** The h1 of a loaded screen. */
export const screenTitle = 'main h1:not([aria-busy="true"] h1)';

/** Call inside a `describe`. */
export function useAppFixture(options: StartOptions = {}, browserOptions: BrowserOptions = {}): AppFixture {
  const fixture = {} as AppFixture;
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser(browserOptions);
    fixture.app = await startTestApp(engines[0]!, options);
    fixture.people = {
      admin: fixture.app.admin,
      alice: await fixture.app.person('alice', { password }),
      ben: await fixture.app.person('ben', { password }),
    };
    fixture.addPerson = async (name, groupSettings = {}) => {
      const group = await fixture.app.group(`group of ${name}`, groupSettings);
      const person = await fixture.app.person(name, { password, group });
      fixture.people[name] = person;
      return person;
    };
    const slots = reuseContexts(browser, fixture.app.url);
    const left = new Map<string, Window>();
    fixture.open = async (path, as = 'alice', view = {}) => {
      const window = await openWindow(slots, fixture, { path, as, view });
      return visitOf(window, fixture, () => window.slot.leave());
    };
    fixture.show = async (path, as = 'alice', view = {}) => {
      const before = left.get(as);
      left.delete(as);
      const window = before ?? (await openWindow(slots, fixture, { path, as, view }));
      if (before) {
        await applyView(before.page, view);
        await navigateTo(before.page, fixture.app.url, path);
      }
      return visitOf(window, fixture, async () => {
        await forgetVisit(window.page);
        left.set(as, window);
      });
    };
  });
  after(async () => {
    await browser?.close();
    await fixture.app?.close();
  });
  return fixture;
}

/** A browser context for one person at a time. */
interface Slot {
  context: BrowserContext;
  leave(): Promise<void>;
}

/** Reuses contexts, because a new one compiles the app again. */
function reuseContexts(browser: Browser, url: string): { take(): Promise<Slot> } {
  const free: Slot[] = [];
  return { take: async () => free.pop() ?? prepare() };

  async function prepare(): Promise<Slot> {
    const viewport = { width: 1280, height: 800 };
    const context = await openContext(browser, { viewport, reducedMotion: 'reduce', locale: 'en-GB' });
    // Keeps the process with the compiled app running.
    const keepAlive = await context.newPage();
    await keepAlive.goto(`${url}/healthz`);
    const slot: Slot = {
      context,
      async leave() {
        for (const page of context.pages()) if (page !== keepAlive) await page.close();
        await context.clearPermissions();
        await context.clearCookies();
        await keepAlive.evaluate(clearStoredData);
        free.push(slot);
      },
    };
    return slot;
  }
}

/** Runs in a page of the origin. */
async function clearStoredData(): Promise<void> {
  localStorage.clear();
  for (const { name } of await indexedDB.databases())
    await new Promise<void>((resolve, reject) => {
      const deleting = indexedDB.deleteDatabase(name!);
      deleting.onsuccess = () => resolve();
      deleting.onerror = () => reject(deleting.error);
    });
}

interface Window {
  slot: Slot;
  page: Page;
  complaints: string[];
}

async function openWindow(
  slots: ReturnType<typeof reuseContexts>,
  fixture: AppFixture,
  { path, as, view }: { path: string; as: string; view: View },
): Promise<Window> {
  const { url } = fixture.app;
  const slot = await slots.take();
  const { page, complaints } = await openPage(slot.context, url);
  await applyView(page, view);
  await signInUnseen(page, fixture, as);
  await page.goto(`${url}/app${path}`);
  await page.locator(screenTitle).waitFor();
  return { slot, page, complaints };
}

/** Passes a URL without a screen, so that the same screen opens again. */
async function navigateTo(page: Page, url: string, path: string): Promise<void> {
  const noScreen = path.startsWith('/admin') ? '/admin/nowhere' : '/nowhere';
  for (const to of [noScreen, path]) {
    await page.evaluate((address) => {
      if (address === location.href) return;
      document.querySelector('main h1')?.setAttribute('data-left', '');
      // The router listens to it.
      history.pushState(null, '', address);
    }, `${url}/app${to}`);
    await page.locator(`${screenTitle}:not([data-left])`).waitFor();
  }
}

async function forgetVisit(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate(() => {
    for (const id of ['announcer', 'announcer-urgent']) {
      const announcements = document.getElementById(id)?.firstChild;
      if (announcements) announcements.nodeValue = '';
    }
  });
}

function visitOf({ page, complaints }: Window, fixture: AppFixture, leave: () => Promise<void>): AppVisit {
  const expected = new Set<number>();
  return {
    page,
    async close() {
      await leave();
      const unexpected = complaints
        .splice(0)
        .filter(
          (text) =>
            ![...expected].some((status) => text.includes(`status of ${status}`)) && !text.endsWith('/app-api/events'),
        );
      assert.deepEqual(unexpected, []);
    },
    go: (path) => navigateTo(page, fixture.app.url, path),
    async assertAccessible(checks) {
      const overflow = await overflowOf(page);
      assert.equal(overflow, 0, `scrolls sideways by ${overflow} px`);
      const found = (await violationsOf(page, checks)).map(({ id, nodes }) => {
        const places = nodes.map(({ target }) => target.join(' ')).join(', ');
        return `${id}: ${places}: ${nodes[0]?.failureSummary}`;
      });
      assert.deepEqual(found, []);
    },
    announcements: async () => [
      ((await page.locator('#announcer').textContent()) ?? '').trim(),
      ((await page.locator('#announcer-urgent').textContent()) ?? '').trim(),
    ],
    announced: async (text) => {
      const regions = page.locator('#announcer, #announcer-urgent');
      await until(async () =>
        (await regions.allTextContents()).some((found) =>
          typeof text === 'string' ? found.trim() === text : text.test(found),
        ),
      );
    },
    setOffline: lineOf(page),
    expectStatus: (status) => void expected.add(status),
  };
}

function lineOf(page: Page): AppVisit['setOffline'] {
  let session: CDPSession | null = null;
  return async (offline) => {
    session ??= await page.context().newCDPSession(page);
    await session.send('Network.enable');
    const unlimited = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await session.send('Network.emulateNetworkConditions', { offline, ...unlimited });
  };
}

async function applyView(page: Page, { width: requestedWidth = 'wide', scheme = 'light' }: View): Promise<void> {
  const width = requestedWidth === 'narrow' ? 360 : requestedWidth === 'wide' ? 1280 : requestedWidth;
  const size = { width, height: width < 768 ? 740 : 800 };
  if (page.viewportSize()?.width !== width) await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: scheme });
}

/** Measured after rendering for the window's size. */
async function overflowOf(page: Page): Promise<number> {
  const measure = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  await page.waitForFunction(`(${measure})() === 0`, null, { timeout: 15_000 }).catch(() => {});
  return page.evaluate(measure);
}

/** Typed, or chosen from the filter's choices. */
export async function addFilter(page: Page, name: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Add filter' }).click();
  const choice = page.getByRole('button', { name, exact: true });
  const dialog = page.getByRole('dialog', { name, exact: true });
  await choice.or(dialog).first().waitFor();
  if (!(await dialog.isVisible())) await choice.click();
  await dialog.waitFor();
  const field = dialog.getByRole('searchbox', { name, exact: true });
  if ((await field.count()) === 0) return dialog.getByRole('button', { name: value, exact: true }).click();
  await field.fill(value);
  await field.press('Enter');
}

/** Refuses requests until a click, then holds them: an automatic refetch would remove the button. */
export async function refuseUntilClicked(
  page: Page,
  address: string,
  refusal: { status: number; contentType?: string; body: string },
): Promise<(button: Locator) => Promise<void>> {
  const pressed = Promise.withResolvers<void>();
  let isRefused = true;
  await page.route(address, async (route) => {
    if (isRefused) return route.fulfill(refusal);
    await pressed.promise;
    return route.fallback();
  });
  return async (button) => {
    isRefused = false;
    await button.click();
    pressed.resolve();
  };
}

/** Skips the sign-in page, which takes half a second. */
export async function signInUnseen(
  { request }: Pick<Page | BrowserContext, 'request'>,
  fixture: AppFixture,
  as: string,
): Promise<void> {
  const { url } = fixture.app;
  const { email } = fixture.people[as]!;
  const form = await (await request.get(`${url}/sign-in`)).text();
  const csrf = /name="csrf" value="([^"]*)"/.exec(form)?.[1] ?? '';
  const answer = await request.post(`${url}/sign-in`, {
    form: { email, password: passwordOf(as), csrf },
    headers: { origin: url },
    maxRedirects: 0,
  });
  assert.equal(answer.status(), 303, `${email} was not signed in`);
}

/** Fills in the open sign-in page. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.locator('[name="email"]').fill(email);
  await page.locator('[name="password"]').fill(password);
  await page.locator('[name="password"]').press('Enter');
}
