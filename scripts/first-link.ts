// Follows docs/start/first-link.md in a browser, from the link to the set-up page to the downloaded file.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { launchBrowser, openVisit } from '#web/pages/e2e/browser.fixture.ts';

const content = 'The first file of this server.';
const setupPattern = /https?:\/\/[^\s"]+\/setup\?token=[\w-]+/;

/** The link that a starting server prints. */
export function setupLinkIn(output: string): string {
  const link = setupPattern.exec(output)?.[0];
  if (link === undefined) throw new Error('no link to the set-up page yet');
  return link;
}

export async function shareFirstFile(setupLink: string): Promise<void> {
  const { origin } = new URL(setupLink);
  const browser = await launchBrowser();
  try {
    const options = { locale: 'en-GB', viewport: { width: 1280, height: 800 }, acceptDownloads: true };
    const { page } = await openVisit(browser, origin, options);
    await setUp(page, setupLink);
    const link = await createLink(page, origin);
    const recipient = await openVisit(browser, origin, options);
    await recipient.page.goto(link);
    const [download] = await Promise.all([
      recipient.page.waitForEvent('download'),
      recipient.page.getByRole('button', { name: 'Download' }).first().click(),
    ]);
    const received = readFileSync(await download.path(), 'utf8');
    if (received !== content) throw new Error(`received ${JSON.stringify(received)}`);
    await page.goto(`${origin}/app/links/${new URL(link).pathname.split('/').at(-1)}`);
    await page.getByText('Newest downloads').first().waitFor();
  } finally {
    await browser.close();
  }
}

async function setUp(page: Page, setupLink: string): Promise<void> {
  await page.goto(setupLink);
  const fields = {
    name: 'Ada Admin',
    email: 'ada@northlight.example',
    password: 'quiet river under seven lamps',
    organisation: 'Northlight',
  };
  for (const [name, value] of Object.entries(fields)) await page.locator(`[name="${name}"]`).fill(value);
  await page.getByRole('button', { name: 'Finish setup' }).click();
  await page.getByRole('link', { name: 'Skip for now' }).click();
  await page.getByRole('heading', { level: 1, name: /Northlight/ }).waitFor();
}

async function createLink(page: Page, origin: string): Promise<string> {
  await page.goto(`${origin}/app/links`);
  await page.getByRole('button', { name: 'New link' }).first().click();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('dialog').getByRole('button', { name: 'Choose files' }).click(),
  ]);
  await chooser.setFiles({ name: 'first.txt', mimeType: 'text/plain', buffer: Buffer.from(content) });
  await page.getByRole('button', { name: 'Create and copy' }).click();
  await page.getByRole('dialog', { name: 'Link created' }).waitFor();
  return page.getByRole('dialog').locator('input[readonly]').first().inputValue();
}
