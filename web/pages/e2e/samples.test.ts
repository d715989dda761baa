import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { samplePages } from '#test/pages/samples.ts';
import { loadPages } from '../load.ts';
import { violationsOf } from './axe.fixture.ts';
import { launchBrowser, openVisit, skipWithoutBrowser, type Visit } from './browser.fixture.ts';
import { type PageServer, startPageServer } from './page-server.fixture.ts';

/** Enough to cover every part, few enough to be fast. */
const statesOfAKind = 3;

/** Half of them light on a phone, half dark on a desktop. */
const paths = new Map(chosenNames().map((name, index) => [`/s/${index}`, name]));
const screens = [
  { viewport: { width: 360, height: 640 }, colorScheme: 'light' },
  { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
] as const;

function chosenNames(): string[] {
  const byKind = Object.groupBy(Object.keys(samplePages), (name) => samplePages[name]!.kind);
  return Object.values(byKind).flatMap((names = []) => {
    const step = Math.max(1, Math.floor(names.length / statesOfAKind));
    return names.filter((_, index) => index % step === 0).slice(0, statesOfAKind);
  });
}

describe('sample pages', { skip: skipWithoutBrowser }, () => {
  let browser: Browser;
  let server: PageServer;
  before(async () => {
    browser = await launchBrowser();
    const pages = Object.fromEntries([...paths].map(([path, name]) => [path, samplePages[name]!]));
    server = await startPageServer(await loadPages(), pages);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  for (const [index, screen] of screens.entries()) {
    describe(`at ${screen.viewport.width} px, ${screen.colorScheme}`, () => {
      let visit: Visit;
      before(async () => {
        visit = await openVisit(browser, server.origin, screen);
        // It leaves the page at once, for a program that no sample has.
        await visit.page.route('**/assets/hand-over.*.js', (route) => route.abort());
      });
      after(() => visit?.context.close());

      for (const [path, name] of [...paths].filter((_, number) => number % screens.length === index)) {
        it(`${name} is accessible and fits`, async () => {
          await visit.page.goto(server.origin + path);
          assert.deepEqual(await findingsOf(visit.page), []);
        });
      }

      it('no page violated the policy or requested another origin', () => {
        const isStatus = (text: string) => text.includes('status of 4') || text.includes('status of 5');
        assert.deepEqual(
          visit.complaints.filter((text) => !isStatus(text)),
          [],
        );
      });
    });
  }
});

async function findingsOf(page: Page): Promise<string[]> {
  const overflow = await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  });
  const violations = await violationsOf(page);
  const found = violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.target.join(' ')}`);
  return overflow > 0 ? [`scrolls sideways by ${overflow} px`, ...found] : found;
}
