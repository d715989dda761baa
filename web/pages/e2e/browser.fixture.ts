// Chromium, if installed. It can only reach the test's own origin.
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumFlags, findChromium } from '#test/kit/servers/chromium.ts';

export const browserPath = findChromium();
export const skipWithoutBrowser = browserPath === null ? 'Chromium is not installed' : false;

/** Enough for a machine that is ten times slower. */
const timeoutMs = 120_000;

export interface BrowserOptions {
  /** As set in the reader's browser. */
  textPercent?: number;
  /** Optimising compilers slow short tests and help only with many megabytes. */
  isOptimising?: boolean;
}

/** Pages of one context share compiled scripts. */
export function launchBrowser({ textPercent = 100, isOptimising = false }: BrowserOptions = {}): Promise<Browser> {
  const text = `--blink-settings=defaultFontSize=${(16 * textPercent) / 100}`;
  const compilers = isOptimising ? [] : ['--js-flags=--no-opt,--no-maglev'];
  const args = [...chromiumFlags, '--process-per-site', ...compilers, text];
  return chromium.launch({ executablePath: browserPath ?? '', args });
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Script errors, policy violations, requests to other origins. Must stay empty. */
  complaints: string[];
}

export async function openVisit(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await openContext(browser, { viewport: { width: 360, height: 640 }, ...options });
  return { context, ...(await openPage(context, origin)) };
}

/** Reuses one window with fresh state, because a new browser would compile all scripts again. */
export function reuseVisits(browser: Browser, origin: string): () => Promise<Visit & { close(): Promise<void> }> {
  const free: { context: BrowserContext; keepAlive: Page }[] = [];
  return async () => {
    const reused = free.pop() ?? (await prepare());
    const { context, keepAlive } = reused;
    return {
      context,
      ...(await openPage(context, origin)),
      async close() {
        for (const page of context.pages()) if (page !== keepAlive) await page.close();
        await context.setOffline(false);
        await context.clearCookies();
        await keepAlive.evaluate(async () => {
          localStorage.clear();
          await new Promise((resolve) => {
            const deleting = indexedDB.deleteDatabase('waybill');
            deleting.onsuccess = resolve;
            deleting.onerror = resolve;
          });
        });
        free.push(reused);
      },
    };
  };

  async function prepare() {
    const context = await openContext(browser, { viewport: { width: 360, height: 640 } });
    // Keeps the process running.
    const keepAlive = await context.newPage();
    await keepAlive.goto(`${origin}/nothing`);
    return { context, keepAlive };
  }
}

export async function openContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  // Playwright supports only file inputs; without this API pages use one.
  await context.addInitScript('delete window.showOpenFilePicker');
  return context;
}

export async function openPage(context: BrowserContext, origin: string): Promise<Pick<Visit, 'page' | 'complaints'>> {
  const page = await context.newPage();
  page.setDefaultTimeout(timeoutMs);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Some tests cause lost connections.
    if (message.type() === 'error' && !message.text().includes('net::ERR_'))
      complaints.push(`${message.text()} ${message.location().url}`.trim());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) complaints.push(`requested ${request.url()}`);
  });
  return { page, complaints };
}
