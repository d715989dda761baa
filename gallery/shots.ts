// Photographs the gallery: `npm run shots -- --out /tmp/shots mails`. Words select samples; options: --out, --brand,
// --width, --locale.
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { repositoryRoot } from '#scripts/source-files.ts';
import { launchBrowser, openVisit, skipWithoutBrowser } from '#web/pages/e2e/browser.fixture.ts';
import { loadPages } from '#web/pages/load.ts';
import { galleryLocales, type Sample } from './samples.ts';
import { type Gallery, startGallery } from './server.ts';

const widths = ['360', '768', '1280'];
/** Equals the zone of the sample mails. */
const timezoneId = 'Europe/Stockholm';
const schemes = ['light', 'dark'] as const;

interface Options {
  out: string;
  brand: string;
  widths: string[];
  /** Null: English, and all languages for the first state of each kind. */
  locale: string | null;
}

async function takeShots(browser: Browser, gallery: Gallery, samples: Sample[], options: Options): Promise<number> {
  let count = 0;
  for (const width of options.widths) {
    for (const colorScheme of schemes) {
      const viewport = { width: Number(width), height: width === '360' ? 640 : 800 };
      const { page, context, complaints } = await openVisit(browser, gallery.origin, {
        viewport,
        colorScheme,
        timezoneId,
      });
      for (const { path, locale } of samples.flatMap((sample) => localesOf(sample, options))) {
        const query = new URLSearchParams({ locale, brand: options.brand });
        await page.goto(`${gallery.origin}${path}?${query}`);
        await page.evaluate(() => document.fonts.ready);
        const marks = [width, colorScheme, ...(locale === 'en' ? [] : [locale]), options.brand];
        const file = join(options.out, `${path.slice(1)}-${marks.filter((mark) => mark !== 'none').join('-')}.png`);
        await mkdir(dirname(file), { recursive: true });
        // In a viewport as high as the page, a fixed footer covers nothing.
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        await page.setViewportSize({ ...viewport, height: Math.max(viewport.height, height) });
        await page.screenshot({ path: file });
        await page.setViewportSize(viewport);
        count += 1;
      }
      await context.close();
      const real = complaints.filter((text) => !/status of [45]|^requested data:/.test(text));
      if (real.length > 0) throw new Error(`The browser complained:\n${real.join('\n')}`);
    }
  }
  return count;
}

/** One state of each kind shows whether a language fits. */
function localesOf({ path, name, kind }: Sample, { locale }: Options): { path: string; locale: string }[] {
  const locales = locale === null ? (name === kind ? galleryLocales : ['en']) : [locale];
  return locales.map((one) => ({ path, locale: one }));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: join(repositoryRoot, 'dist/shots') },
    brand: { type: 'string', default: 'none' },
    width: { type: 'string', multiple: true, default: widths },
    locale: { type: 'string' },
  },
});
if (skipWithoutBrowser !== false) throw new Error(skipWithoutBrowser);
const gallery = await startGallery(await loadPages());
const browser = await launchBrowser();
try {
  const chosen = gallery.samples.filter(({ path, name }) =>
    positionals.every((word) => `${path} ${name}`.includes(word)),
  );
  const count = await takeShots(browser, gallery, chosen, {
    out: values.out,
    brand: values.brand,
    widths: values.width,
    locale: values.locale ?? null,
  });
  console.log(`${count} pictures of ${chosen.length} samples in ${values.out}`);
} finally {
  await browser.close();
  await gallery.close();
}
