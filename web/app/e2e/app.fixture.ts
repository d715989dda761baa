// For journeys of the app: a real Waybill on a temporary folder with an administrator and two users, and a browser in
// which they are signed in. A journey of a screen needs a few lines; see README.md of the app.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser, BrowserContext, CDPSession, Locator, Page } from 'playwright-core';
import { type StartOptions, startTestApp, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { engines } from '#test/kit/engines.ts';
import { violationsOf } from '../../pages/e2e/axe.fixture.ts';
import {
  type BrowserOptions,
  launchBrowser,
  openContext,
  openPage,
  skipWithoutBrowser,
} from '../../pages/e2e/browser.fixture.ts';

export { skipWithoutBrowser };

export interface Look {
  /** 1280 × 800 unless said; `narrow` is 360 × 740. */
  width?: 'wide' | 'narrow' | number;
  scheme?: 'light' | 'dark';
}

export interface AppVisit {
  page: Page;
  /** Fails on errors of scripts, breaches of the policy and requests to other places; then closes. */
  close(): Promise<void>;
  /** Goes to another address of the app as a link does. Loading the app again costs ten times as much. */
  go(path: string): Promise<void>;
  /**
   * No finding of axe, nothing that scrolls sideways. `colours`: at the second look at the same elements at the same
   * width, where dark has followed light.
   */
  demandAccessible(asked?: 'everything' | 'colours'): Promise<void>;
  /** What the live regions say now, polite then urgent. */
  said(): Promise<[string, string]>;
  /** Cuts the line of this page, or joins it again. Of its context it would reach pages that share its process twice. */
  setOffline(isOffline: boolean): Promise<void>;
  /** Errors of refused calls that this journey provokes: their status, such as 404. */
  expectStatus(status: number): void;
}

export interface AppHouse {
  app: TestApp;
  /** API clients of the people, to make what a screen shows. */
  people: { admin: ApiClient; alice: ApiClient; ben: ApiClient } & Record<string, ApiClient>;
  /** One more, in a group of their own with these settings, by their wire names. */
  addPerson(name: string, groupSettings?: Record<string, unknown>): Promise<ApiClient>;
  /** Signs in and opens `/app` + path. */
  open(path: string, as?: string, look?: Look): Promise<AppVisit>;
  /**
   * The same in the window that an earlier `show` of this person has left, which costs a tenth. What the app keeps in
   * memory and in the browser is still there, so it is for screens that read everything from the server, and for a clock
   * that stands still: the session is the one of before.
   */
  show(path: string, as?: string, look?: Look): Promise<AppVisit>;
}

const adminPassword = 'quiet river under seven lamps';
const password = 'seven lamps under a quiet river';

export function passwordOf(person: string): string {
  return person === 'admin' ? adminPassword : password;
}

/** The h1 of a screen that is there; one that is still loading says only that. */
export const screenTitle = 'main h1:not([aria-busy="true"] h1)';

/** Inside a `describe`: starts before its tests, ends after them. */
export function useAppHouse(options: StartOptions = {}, browserOptions: BrowserOptions = {}): AppHouse {
  const house = {} as AppHouse;
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser(browserOptions);
    house.app = await startTestApp(engines[0]!, options);
    house.people = {
      admin: house.app.admin,
      alice: await house.app.person('alice', { password }),
      ben: await house.app.person('ben', { password }),
    };
    house.addPerson = async (name, groupSettings = {}) => {
      const group = await house.app.group(`group of ${name}`, groupSettings);
      const person = await house.app.person(name, { password, group });
      house.people[name] = person;
      return person;
    };
    const seats = keepSeats(browser, house.app.url);
    const left = new Map<string, Window>();
    house.open = async (path, as = 'alice', look = {}) => {
      const window = await openWindow(seats, house, { path, as, look });
      return visitOf(window, house, () => window.seat.leave());
    };
    house.show = async (path, as = 'alice', look = {}) => {
      const before = left.get(as);
      left.delete(as);
      const window = before ?? (await openWindow(seats, house, { path, as, look }));
      if (before) {
        await dress(before.page, look);
        await walk(before.page, house.app.url, path);
      }
      return visitOf(window, house, async () => {
        await forgetVisit(window.page);
        left.set(as, window);
      });
    };
  });
  after(async () => {
    await browser?.close();
    await house.app?.close();
  });
  return house;
}

/** A browser of its own for one person at a time: cookies, storage, permissions. */
interface Seat {
  context: BrowserContext;
  leave(): Promise<void>;
}

/**
 * Browsers that are used again, as new, by the next visit. In a fresh one the app would be compiled anew, which takes as
 * long as drawing it.
 */
function keepSeats(browser: Browser, url: string): { take(): Promise<Seat> } {
  const free: Seat[] = [];
  return { take: async () => free.pop() ?? prepare() };

  async function prepare(): Promise<Seat> {
    const viewport = { width: 1280, height: 800 };
    const context = await openContext(browser, { viewport, reducedMotion: 'reduce', locale: 'en-GB' });
    // Stays open, so that the process stays which has compiled the app.
    const doorkeeper = await context.newPage();
    await doorkeeper.goto(`${url}/healthz`);
    const seat: Seat = {
      context,
      async leave() {
        for (const page of context.pages()) if (page !== doorkeeper) await page.close();
        await context.clearPermissions();
        await context.clearCookies();
        await doorkeeper.evaluate(clearStoredData);
        free.push(seat);
      },
    };
    return seat;
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

/** With the app in it, for one person. */
interface Window {
  seat: Seat;
  page: Page;
  complaints: string[];
}

async function openWindow(
  seats: ReturnType<typeof keepSeats>,
  house: AppHouse,
  { path, as, look }: { path: string; as: string; look: Look },
): Promise<Window> {
  const { url } = house.app;
  const seat = await seats.take();
  const { page, complaints } = await openPage(seat.context, url);
  await dress(page, look);
  await signInUnseen(page, house, as);
  await page.goto(`${url}/app${path}`);
  await page.locator(screenTitle).waitFor();
  return { seat, page, complaints };
}

/** By way of an address without a screen, so that the next one begins anew even where it is the same. */
async function walk(page: Page, url: string, path: string): Promise<void> {
  const nowhere = path.startsWith('/admin') ? '/admin/nowhere' : '/nowhere';
  for (const to of [nowhere, path]) {
    await page.evaluate((address) => {
      if (address === location.href) return;
      document.querySelector('main h1')?.setAttribute('data-left', '');
      // The router listens to it.
      history.pushState(null, '', address);
    }, `${url}/app${to}`);
    await page.locator(`${screenTitle}:not([data-left])`).waitFor();
  }
}

/** What would be taken for news of the next visit. */
async function forgetVisit(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate(() => {
    for (const id of ['announcer', 'announcer-urgent']) {
      const said = document.getElementById(id)?.firstChild;
      if (said) said.nodeValue = '';
    }
  });
}

function visitOf({ page, complaints }: Window, house: AppHouse, leave: () => Promise<void>): AppVisit {
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
    go: (path) => walk(page, house.app.url, path),
    async demandAccessible(asked) {
      const overflow = await overflowOf(page);
      assert.equal(overflow, 0, `scrolls sideways by ${overflow} px`);
      const found = (await violationsOf(page, asked)).map(({ id, nodes }) => {
        const places = nodes.map(({ target }) => target.join(' ')).join(', ');
        return `${id}: ${places}: ${nodes[0]?.failureSummary}`;
      });
      assert.deepEqual(found, []);
    },
    said: async () => [
      ((await page.locator('#announcer').textContent()) ?? '').trim(),
      ((await page.locator('#announcer-urgent').textContent()) ?? '').trim(),
    ],
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

async function dress(page: Page, { width: wanted = 'wide', scheme = 'light' }: Look): Promise<void> {
  const width = wanted === 'narrow' ? 360 : wanted === 'wide' ? 1280 : wanted;
  const size = { width, height: width < 768 ? 740 : 800 };
  if (page.viewportSize()?.width !== width) await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: scheme });
}

/** By how many pixels it scrolls sideways, once it has drawn itself for the size of the window. */
async function overflowOf(page: Page): Promise<number> {
  const measure = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  await page.waitForFunction(`(${measure})() === 0`, null, { timeout: 15_000 }).catch(() => {});
  return page.evaluate(measure);
}

/**
 * What the page asks for at this address is refused until somebody has pressed. Lifted before, the app might read again by
 * itself and take the button away; so what is asked from now on waits for the press.
 */
export async function refuseUntilPressed(
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

/** Without drawing the page: it has journeys of its own, and each time it is drawn takes half a second of work. */
export async function signInUnseen(
  { request }: Pick<Page | BrowserContext, 'request'>,
  house: AppHouse,
  as: string,
): Promise<void> {
  const { url } = house.app;
  const { email } = house.people[as]!;
  const form = await (await request.get(`${url}/sign-in`)).text();
  const csrf = /name="csrf" value="([^"]*)"/.exec(form)?.[1] ?? '';
  const answer = await request.post(`${url}/sign-in`, {
    form: { email, password: passwordOf(as), csrf },
    headers: { origin: url },
    maxRedirects: 0,
  });
  assert.equal(answer.status(), 303, `${email} was not signed in`);
}

/** Fills in the sign-in page that is open. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.locator('[name="email"]').fill(email);
  await page.locator('[name="password"]').fill(password);
  await page.locator('[name="password"]').press('Enter');
}
