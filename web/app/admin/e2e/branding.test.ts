import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('branding in the console', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  const frame = (page: Page, name: RegExp) => page.frameLocator(`iframe[title*="${name.source}"]`);

  it('is previewed while typing: page, mail, phone and dark', async () => {
    const visit = await fixture.show('/admin/branding', 'admin');
    const { page } = visit;
    const shown = frame(page, /A message as/);
    await shown.getByText('Cost-sheet-2026-11.xlsx').first().waitFor();
    await page.getByLabel('Organisation').fill('Harbour Works');
    await shown.getByText('Harbour Works').first().waitFor();
    const background = () => shown.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
    const light = await background();
    await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
    await shown.getByText('Harbour Works').first().waitFor();
    await page.waitForFunction(() => document.querySelector('iframe')?.src.includes('scheme=dark'));
    await shown.getByText('Harbour Works').first().waitFor();
    assert.notEqual(await background(), light);
    await page.getByRole('radio', { name: 'Phone' }).check({ force: true });
    assert.ok((await page.locator('iframe').boundingBox())!.width <= 360);
    await page.getByRole('radio', { name: 'E-mail' }).check({ force: true });
    await frame(page, /The e-mail/)
      .getByText('Harbour Works')
      .first()
      .waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('warns about a colour that is hard to read, with its contrast and a readable tone', async () => {
    const visit = await fixture.open('/admin/branding', 'admin', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    const colour = page.getByRole('textbox', { name: 'Colour', exact: true });
    await colour.fill('#f5b301');
    await page.getByText(/Contrast only 1\.\d:1 on light pages; 4\.5:1 is needed\./).waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: /^Use #/ }).click();
    await page.getByText(/Contrast 4\.[5-9]:1 on light pages/).waitFor();
    assert.match(await colour.inputValue(), /^#[0-9a-f]{6}$/);
    await page.getByLabel('Choose a colour').fill('#123456');
    assert.equal(await colour.inputValue(), '#123456');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForFunction(() => document.querySelector('#announcer')?.textContent?.includes('Saved'));
    await visit.close();
  });

  it('gives plots its colour', async () => {
    const { body } = await fixture.people.admin.expect(200, 'getBranding');
    const { tones } = (body as { branding: { tones: { light: { primary: string } } } }).branding;
    const visit = await fixture.open('/admin/downloads', 'admin');
    const data = await visit.page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue('--color-data-1').trim(),
    );
    assert.equal(data, tones.light.primary);
    await visit.close();
  });
});
