import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, Result, RunOptions, Spec } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Describing passes takes a third of the time. */
const options: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
};

interface Arguments {
  exclude: string;
  run: RunOptions;
}

/** Evaluated by CDP, which reuses compiled scripts. */
async function injectAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: source });
  await session.detach();
}

/** The other rows are similar. */
const furtherRows = ':is(main [data-row], tbody tr, [role="option"]):nth-child(n + 13)';

const colourRules = ['color-contrast', 'link-in-text-block'];

/** `colours`: a second check of the same elements in dark mode. */
export async function violationsOf(page: Page, checks: 'everything' | 'colours' = 'everything'): Promise<Result[]> {
  if (!(await page.evaluate(`typeof axe === 'object'`))) await injectAxe(page);
  return page.evaluate<Result[], Arguments>(
    async ({ exclude, run }) => {
      const { axe } = globalThis as unknown as {
        axe: { run(c: object, o: RunOptions): Promise<AxeResults>; configure(spec: Spec): void };
      };
      // Colours behind a modal dialog were checked before, and the check is slow.
      const modal = '[aria-modal="true"]';
      const selector = document.querySelector(modal) ? `${modal} *` : '*';
      axe.configure({ rules: [{ id: 'color-contrast', selector }] });
      return (await axe.run(document.querySelector(exclude) ? { exclude: [exclude] } : document, run)).violations;
    },
    { exclude: furtherRows, run: checks === 'colours' ? { ...options, runOnly: colourRules } : options },
  );
}
