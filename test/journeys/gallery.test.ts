// Every sample of the gallery in a real browser: nothing leaves our own origin, breaks its policy, or scrolls sideways,
// neither at 400 % zoom nor with text twice as large (experience 12).
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Sample } from '#scripts/gallery-samples.ts';
import { type Gallery, startGallery } from '#scripts/gallery-server.ts';
import { launchBrowser, openVisit, skipWithoutBrowser } from '#web/pages/journeys/browser.fixture.ts';
import { loadPages } from '#web/pages/load.ts';

/** Runs in the page. */
function measure(): { overflow: number; textPx: string } {
  for (const details of document.querySelectorAll('details')) details.open = true;
  const { scrollWidth, clientWidth } = document.documentElement;
  return { overflow: scrollWidth - clientWidth, textPx: getComputedStyle(document.documentElement).fontSize };
}

/** The first state of each kind, and of others a few. */
function someOf(samples: Sample[]): Sample[] {
  return samples.filter(({ kind }, at) => at % 10 === 0 || samples.findIndex((other) => other.kind === kind) === at);
}

describe('samples in a browser', { skip: skipWithoutBrowser }, () => {
  let gallery: Gallery;
  before(async () => {
    gallery = await startGallery(await loadPages());
  });
  after(() => gallery?.close());

  const screens = [
    { name: '400 % zoom, light, yellow', width: 320, textPercent: 100, colorScheme: 'light', brand: 'yellow' },
    { name: 'text at 200 %, dark, red', width: 768, textPercent: 200, colorScheme: 'dark', brand: 'red' },
  ] as const;

  for (const { name, width, textPercent, colorScheme, brand } of screens) {
    it(`ask nobody else, keep their policy and fit: ${name}`, async () => {
      const browser = await launchBrowser({ textPercent });
      try {
        const options = { viewport: { width, height: 640 }, colorScheme };
        const chosen = textPercent === 100 ? gallery.samples : someOf(gallery.samples);
        const lanes = Array.from({ length: 4 }, (_, lane) => chosen.filter((_sample, at) => at % 4 === lane));
        const found = await Promise.all(
          lanes.map(async (samples) => {
            const { page, complaints } = await openVisit(browser, gallery.origin, options);
            for (const { path } of samples) {
              await page.goto(`${gallery.origin}${path}?brand=${brand}`);
              const { overflow, textPx } = await page.evaluate(measure);
              assert.equal(textPx, `${(16 * textPercent) / 100}px`, 'the text has the size that was asked for');
              if (overflow > 0) complaints.push(`${path}: ${overflow} px too wide`);
            }
            return complaints.filter((text) => !/status of [45]|^asked for data:/.test(text));
          }),
        );
        assert.deepEqual(found.flat(), []);
      } finally {
        await browser.close();
      }
    });
  }
});
