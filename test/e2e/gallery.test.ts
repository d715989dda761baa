// All gallery samples in a browser: no request to other origins, no CSP violation, no sideways scrolling at 400 % zoom or
// text size 200 %.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Sample } from '#gallery/samples.ts';
import { type Gallery, startGallery } from '#gallery/server.ts';
import { launchBrowser, openVisit, skipWithoutBrowser } from '#web/pages/e2e/browser.fixture.ts';
import { loadPages } from '#web/pages/load.ts';

/** Shows several samples in frames, each under its own policy, and measures them. Navigating takes twice as long. */
async function measureInFrames(addresses: string[]): Promise<{ overflow: number; textPx: string; text: string }[]> {
  const frames = addresses.map((src) => {
    const frame = document.createElement('iframe');
    frame.style.cssText = 'border: 0; width: 100vw; height: 100vh; display: block';
    frame.src = src;
    return frame;
  });
  const loaded = frames.map((frame) => new Promise((resolve) => frame.addEventListener('load', resolve)));
  document.body.style.margin = '0';
  document.body.replaceChildren(...frames);
  await Promise.all(loaded);
  return frames.map((frame) => {
    const shown = frame.contentDocument!;
    for (const details of shown.querySelectorAll('details')) details.open = true;
    const { scrollWidth, clientWidth } = shown.documentElement;
    if (clientWidth !== innerWidth) throw new Error(`the frame is ${clientWidth} px wide`);
    const textPx = frame.contentWindow!.getComputedStyle(shown.documentElement).fontSize;
    return { overflow: scrollWidth - clientWidth, textPx, text: shown.body.innerText.trim() };
  });
}

/** The first state of each kind, and a few others. */
function someOf(samples: Sample[]): Sample[] {
  return samples.filter(({ kind }, at) => at % 10 === 0 || samples.findIndex((other) => other.kind === kind) === at);
}

/** As many as fit into the memory of a small machine. */
const framesAtOnce = 12;

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
    it(`make no foreign request, keep their policy and fit: ${name}`, async () => {
      const browser = await launchBrowser({ textPercent });
      try {
        const options = { viewport: { width, height: 640 }, colorScheme };
        const chosen = textPercent === 100 ? gallery.samples : someOf(gallery.samples);
        const { page, complaints } = await openVisit(browser, gallery.origin, options);
        // It leaves the page at once, for a program that no sample has.
        await page.route('**/assets/hand-over.*.js', (route) => route.abort());
        await page.goto(`${gallery.origin}/nothing-but-frames`);
        for (let from = 0; from < chosen.length; from += framesAtOnce) {
          const paths = chosen.slice(from, from + framesAtOnce).map(({ path }) => path);
          const addresses = paths.map((path) => `${gallery.origin}${path}?brand=${brand}`);
          const seen = await page.evaluate(measureInFrames, addresses);
          for (const [at, { overflow, textPx, text }] of seen.entries()) {
            assert.equal(textPx, `${(16 * textPercent) / 100}px`, 'the text has the size that was asked for');
            assert.notEqual(text, '', `${paths[at]} is shown`);
            if (overflow > 0) complaints.push(`${paths[at]}: ${overflow} px too wide`);
          }
        }
        const unexpected = complaints.filter((text) => !/status of [45]|^requested data:/.test(text));
        assert.deepEqual(unexpected, []);
      } finally {
        await browser.close();
      }
    });
  }
});
