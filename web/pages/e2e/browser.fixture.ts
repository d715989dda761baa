// A real browser for the journeys of pages, where there is one. Nothing it does may leave the machine.
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumFlags, findChromium } from '#test/kit/servers/chromium.ts';

export const browserPath = findChromium();
export const skipWithoutBrowser = browserPath === null ? 'Chromium is not installed' : false;

/** Long enough for a machine that has ten times as much to do. */
const timeoutMs = 120_000;

export interface BrowserOptions {
  /** The size of text that a reader chose in their settings. */
  textPercent?: number;
  /**
   * Pages of tests live for seconds: compilers that make scripts faster take a fifth of the time of a journey and give
   * little of it back, unless its page works on many megabytes.
   */
  isOptimising?: boolean;
}

/**
 * Pages of one context share a process, which has compiled the scripts already when a second page wants them.
 */
export function launchBrowser({ textPercent = 100, isOptimising = false }: BrowserOptions = {}): Promise<Browser> {
  const text = `--blink-settings=defaultFontSize=${(16 * textPercent) / 100}`;
  const compilers = isOptimising ? [] : ['--js-flags=--no-opt,--no-maglev'];
  const args = [...chromiumFlags, '--process-per-site', ...compilers, text];
  return chromium.launch({ executablePath: browserPath ?? '', args });
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Errors of scripts, breaches of the policy, requests to other places. Must stay empty. */
  complaints: string[];
}

export async function openVisit(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await openContext(browser, { viewport: { width: 360, height: 640 }, ...options });
  return { context, ...(await openPage(context, origin)) };
}

/**
 * Visits of small windows one after the other, each as new. A browser of its own for each would be a process of its own,
 * which compiles the scripts anew: that takes longer than drawing the page.
 */
export function keepVisits(browser: Browser, origin: string): () => Promise<Visit & { leave(): Promise<void> }> {
  const free: { context: BrowserContext; doorkeeper: Page }[] = [];
  return async () => {
    const kept = free.pop() ?? (await prepare());
    const { context, doorkeeper } = kept;
    return {
      context,
      ...(await openPage(context, origin)),
      async leave() {
        for (const page of context.pages()) if (page !== doorkeeper) await page.close();
        await context.setOffline(false);
        await context.clearCookies();
        await doorkeeper.evaluate(() => localStorage.clear());
        free.push(kept);
      },
    };
  };

  async function prepare() {
    const context = await openContext(browser, { viewport: { width: 360, height: 640 } });
    // Stays open, so that the process stays.
    const doorkeeper = await context.newPage();
    await doorkeeper.goto(`${origin}/nothing`);
    return { context, doorkeeper };
  }
}

export async function openContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  // Playwright can answer the window of an input only. Without the other one pages use the input, as in Firefox and Safari.
  await context.addInitScript('delete window.showOpenFilePicker');
  return context;
}

/** One more page of a browser that knows no other origin than this. */
export async function openPage(context: BrowserContext, origin: string): Promise<Pick<Visit, 'page' | 'complaints'>> {
  const page = await context.newPage();
  page.setDefaultTimeout(timeoutMs);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A lost connection is part of some journeys, and the browser writes it down by itself.
    if (message.type() === 'error' && !message.text().includes('net::ERR_'))
      complaints.push(`${message.text()} ${message.location().url}`.trim());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) complaints.push(`asked for ${request.url()}`);
  });
  return { page, complaints };
}
