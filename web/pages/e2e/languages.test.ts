import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { shippedLanguages } from '#language/locale.ts';
import { frameOf, samplePages } from '#test/pages/samples.ts';
import { loadPages } from '../load.ts';
import { launchBrowser, openVisit, skipWithoutBrowser } from './browser.fixture.ts';
import { type PageServer, startPageServer } from './page-server.fixture.ts';

const names = Object.keys(samplePages);
const languageSwitch = { form: { action: '/language', hidden: { to: '/' } }, locales: [...shippedLanguages] };

describe('sample pages at 360 px', { skip: skipWithoutBrowser }, () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  for (const [locale, direction] of [
    ['en-XA', 'ltr'],
    ['ar-XB', 'rtl'],
    ['de', 'ltr'],
  ] as const) {
    it(`fit in ${locale}`, async () => {
      const pages = await loadPages();
      const first = samplePages[names[0]!]!;
      const server: PageServer = await startPageServer(pages, { '/': first }, { locale, languageSwitch });
      const { page, context } = await openVisit(browser, server.origin);
      await page.goto(server.origin);
      const shown = names.map((name) => {
        const sample = samplePages[name]!;
        return { name, html: pages.renderPage(sample, { ...frameOf(sample), locale, languageSwitch }) };
      });
      const found = await page.evaluate(checkEach, { shown, direction });
      await context.close();
      await server.close();
      assert.deepEqual(found, []);
    });
  }
});

/**
 * Runs in the page, because separate visits are many times slower. Does not yield, so that the browser does not paint
 * each document.
 */
async function checkEach(input: { shown: { name: string; html: string }[]; direction: string }): Promise<string[]> {
  const root = document.documentElement;
  const stylesOf = (from: Document) =>
    [...from.querySelectorAll('link[rel="stylesheet"]')].map((link) => link.getAttribute('href')).join();
  const isOut = (element: Element) => {
    const { left, right, width } = element.getBoundingClientRect();
    return width > 1 && (left < -1 || right > root.clientWidth + 1);
  };
  const found: string[] = [];
  for (const { name, html } of input.shown) {
    const other = new DOMParser().parseFromString(html, 'text/html');
    if (stylesOf(document) !== stylesOf(other)) throw new Error(`${name} has other styles than the first one`);
    for (const { name: key, value } of other.documentElement.attributes) root.setAttribute(key, value);
    document.body.replaceWith(other.body);
    await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
    for (const details of document.querySelectorAll('details')) details.open = true;
    const outside = [...document.querySelectorAll('main *, footer *, header *')]
      .filter((element) => isOut(element) && element.closest('.visually-hidden, pre, code, .skip') === null)
      .map((element) => `${element.tagName.toLowerCase()}.${element.className}`);
    const overflow = root.scrollWidth - root.clientWidth;
    if (overflow > 0 || outside.length > 0) found.push(`${name}: ${overflow} px, ${outside.slice(0, 3)}`);
    if (getComputedStyle(document.body).direction !== input.direction) found.push(`${name}: runs the wrong way`);
  }
  return found;
}
