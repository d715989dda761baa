// What axe finds wrong with the page a browser shows now, for every journey by the same rules.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, Result, RunOptions, Spec } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** All rules of these kinds run; what passed is not described, which takes a third of the time. */
const options: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
};

interface Asked {
  exclude: string;
  run: RunOptions;
}

/** Over the protocol of the browser, which keeps what it compiled for other pages of the same process. */
async function bring(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: source });
  await session.detach();
}

/** Of a long list the first twelve rows are looked at: the others are like them, and each costs as much as a small page. */
const furtherRows = ':is(main [data-row], tbody tr, [role="option"]):nth-child(n + 13)';

/** The rules whose answer depends on colours. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * `colours` asks the rules about colours alone: for a second look at the same elements at the same width, in dark after
 * light, at which no other rule can find anything new.
 */
export async function violationsOf(page: Page, asked: 'everything' | 'colours' = 'everything'): Promise<Result[]> {
  if (!(await page.evaluate(`typeof axe === 'object'`))) await bring(page);
  return page.evaluate<Result[], Asked>(
    async ({ exclude, run }) => {
      const { axe } = globalThis as unknown as {
        axe: { run(c: object, o: RunOptions): Promise<AxeResults>; configure(spec: Spec): void };
      };
      // What lies dimmed behind a modal dialog has the colours it had before, where journeys look at it; they are the
      // dearest to find out. All other rules still see the whole page.
      const modal = '[aria-modal="true"]';
      const selector = document.querySelector(modal) ? `${modal} *` : '*';
      axe.configure({ rules: [{ id: 'color-contrast', selector }] });
      return (await axe.run(document.querySelector(exclude) ? { exclude: [exclude] } : document, run)).violations;
    },
    { exclude: furtherRows, run: asked === 'colours' ? { ...options, runOnly: colourRules } : options },
  );
}
