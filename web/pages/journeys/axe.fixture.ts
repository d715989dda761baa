// What axe finds wrong with the page a browser shows now, for every journey by the same rules.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, Result, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** All rules of these kinds run; what passed is not described, which takes a third of the time. */
const options: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
};

/** Over the protocol of the browser, which keeps what it compiled for other pages of the same process. */
async function bring(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: source });
  await session.detach();
}

/** The rules whose answer depends on colours. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/**
 * `colours` asks the rules about colours alone: for a second look at the same elements at the same width, in dark after
 * light, at which no other rule can find anything new.
 */
export async function violationsOf(page: Page, asked: 'everything' | 'colours' = 'everything'): Promise<Result[]> {
  if (!(await page.evaluate(`typeof axe === 'object'`))) await bring(page);
  return page.evaluate<Result[], RunOptions>(async (run) => {
    const { axe } = globalThis as unknown as { axe: { run(o: RunOptions): Promise<AxeResults> } };
    return (await axe.run(run)).violations;
  }, asked === 'colours' ? { ...options, runOnly: colourRules } : options);
}
