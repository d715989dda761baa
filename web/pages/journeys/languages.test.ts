// Every sample on a narrow phone, in a language with long words and in one from right to left (experience 12.1): nothing
// scrolls sideways, nothing is cut.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { shippedLanguages } from '#language/locale.ts';
import { loadPages } from '../load.ts';
import { samplePages } from '../samples.ts';
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
      const byPath = Object.fromEntries(names.map((name, index) => [`/s/${index}`, samplePages[name]!]));
      const server: PageServer = await startPageServer(await loadPages(), byPath, { locale, languageSwitch });
      const { page, context } = await openVisit(browser, server.origin);
      const found: string[] = [];
      for (const [index, name] of names.entries()) {
        await page.goto(`${server.origin}/s/${index}`, { waitUntil: 'load' });
        const seen = await page.evaluate(() => {
          for (const details of document.querySelectorAll('details')) details.open = true;
          const root = document.documentElement;
          const isOut = (element: Element) => {
            const { left, right, width } = element.getBoundingClientRect();
            return width > 1 && (left < -1 || right > root.clientWidth + 1);
          };
          const outside = [...document.querySelectorAll('main *, footer *, header *')].filter(
            (element) => isOut(element) && element.closest('.visually-hidden, pre, code, .skip') === null,
          );
          return {
            overflow: root.scrollWidth - root.clientWidth,
            outside: outside.map((element) => `${element.tagName.toLowerCase()}.${element.className}`).slice(0, 3),
            direction: getComputedStyle(document.body).direction,
          };
        });
        if (seen.overflow > 0 || seen.outside.length > 0) found.push(`${name}: ${seen.overflow} px, ${seen.outside}`);
        assert.equal(seen.direction, direction);
      }
      await context.close();
      await server.close();
      assert.deepEqual(found, []);
    });
  }
});
