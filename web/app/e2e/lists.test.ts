import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { ApiClient } from '#test/kit/client.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { downloadAs, track } from '#test/kit/sent.ts';
import { type AppVisit, skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const longSubject = 'Drawings, sections and the revised cost sheet for the Harbour tender, third round, with comments';

function send(sender: ApiClient, colleague: string, subject: string): Promise<{ id: string }> {
  return sendMessage(sender, {
    recipients: [colleague, 'chiara@rossi.example', 'dana@example.net'],
    subject,
    attachments: [inlineFile('sections.pdf', 'the sections')],
    bcc_myself: false,
  });
}

/** The row's link covers the text of the element. */
async function clickAt(page: Page, target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await target.boundingBox())!;
  await page.mouse.click(x + width / 2, y + height / 2);
}

describe('lists', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();

  before(async () => {
    const { alice, ben } = fixture.people;
    await sendMessage(alice, {
      recipients: ['chiara.rossi@harbour.example', 'dana@example.net'],
      subject: 'Addresses',
      send_email: false,
    });
    fixture.app.clock.advance(1000);
    for (let n = 1; n <= 26; n += 1) await send(alice, ben.email, n % 3 === 0 ? longSubject : `Message ${n}`);
    fixture.app.clock.advance(1000);
    const { id } = await send(alice, ben.email, 'Message 27');
    const { files } = await track(alice, id);
    await downloadAs(fixture.app, 'dana@example.net', id, [files[0]!.id]);
    await alice.expect(200, 'createFileRequest', {
      body: { request: { recipient: ben.email, subject: 'Your report' } },
    });
  });

  /** Heights of the fully visible rows. */
  const seenRows = (visit: AppVisit) =>
    visit.page.evaluate(() => {
      const bars = [...document.querySelectorAll('nav')]
        .filter((nav) => nav.offsetHeight > 0 && getComputedStyle(nav).position === 'fixed')
        .map((nav) => nav.getBoundingClientRect().top);
      const end = Math.min(innerHeight, ...bars);
      return [...document.querySelectorAll('main [data-row]')]
        .map((row) => row.getBoundingClientRect())
        .filter(({ bottom }) => bottom <= end)
        .map(({ height }) => Math.round(height));
    });

  it('show ten rows and more on a screen of 1280 × 800, with two fifths of the width for the subject', async () => {
    for (const path of ['/sent', '/received'] as const) {
      const visit = await fixture.show(path, path === '/sent' ? 'alice' : 'ben');
      await visit.page.locator('main [data-row]').first().waitFor();
      const heights = await seenRows(visit);
      assert.ok(heights.length >= 10, `${path}: ${heights.length} rows`);
      assert.ok(
        heights.every((height) => height >= 44 && height <= 56),
        `${path}: ${heights}`,
      );
      const share = await visit.page.evaluate(() => {
        const header = [...document.querySelectorAll('th')].find((one) => one.textContent === 'Subject')!;
        return header.offsetWidth / header.closest('table')!.offsetWidth;
      });
      assert.ok(share >= 0.395, `${path}: the subject has ${share}`);
      await visit.close();
    }
  });

  it('show names, and separate columns for progress and last day', async () => {
    const visit = await fixture.show('/sent');
    const row = visit.page.getByRole('row').nth(1);
    await row.getByText('ben', { exact: true }).waitFor();
    await row.getByText('and 2 others').waitFor();
    await row.getByText('1 of 3', { exact: true }).waitFor();
    await row.locator('time').waitFor();
    await visit.go('/requests');
    const request = visit.page.getByRole('row').nth(1);
    await request.getByText(fixture.people.ben.email).waitFor();
    const headers = await visit.page.getByRole('columnheader').allTextContents();
    const sent = request.getByRole('cell').nth(headers.indexOf('Sent'));
    assert.doesNotMatch(await sent.innerText(), /until/, 'the last day is not under the day of sending');
    await visit.close();
  });

  it('show whole addresses at 1280', async () => {
    const visit = await fixture.show('/sent?q=Addresses');
    const row = visit.page.getByRole('row').filter({ hasText: 'Addresses' });
    const person = row.getByText('chiara.rossi');
    const isCut = await person.evaluate((element) => {
      const cell = element.closest('td')!;
      const { right, bottom } = cell.getBoundingClientRect();
      const boxes = [...cell.querySelectorAll('bdi, [aria-hidden]')].map((one) => one.getBoundingClientRect());
      return boxes.some((box) => box.right > right || box.bottom > bottom) || cell.firstElementChild!.scrollHeight > 42;
    });
    assert.equal(isCut, false);
    await visit.close();
  });

  it('show a tick in selected rows', async () => {
    const visit = await fixture.show('/sent');
    const box = visit.page.getByRole('row').nth(1).getByRole('checkbox');
    await box.check();
    const isTickAbove = await box.evaluate((input) => {
      const tick = input.parentElement!.querySelector('svg')!;
      tick.style.pointerEvents = 'bounding-box';
      const { x, y, width, height } = tick.getBoundingClientRect();
      return tick.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    });
    assert.equal(isTickAbove, true);
    await visit.close();
  });

  it('open with a click anywhere on the row', async () => {
    const visit = await fixture.show('/sent');
    const { page } = visit;
    await clickAt(page, page.getByRole('row').nth(1).getByText('and 2 others'));
    await page.waitForURL(/\/sent\/\w{22}$/);
    await visit.go('/log');
    await clickAt(page, page.locator('main tr[data-row]').first().locator('time'));
    await page.getByRole('dialog', { name: 'sections.pdf' }).waitFor();
    await visit.close();
  });

  it('scroll to the top after a page change', async () => {
    const visit = await fixture.show('/sent');
    const { page } = visit;
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL('**/sent?page=2');
    await page.getByText('Page 2 of 2', { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => scrollY), 0);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), 'View');
    await visit.close();
  });

  it('filter while typing, also in the log', async () => {
    const visit = await fixture.show('/log');
    const { page } = visit;
    await page.getByLabel('Person').fill('DANA');
    await page.waitForURL('**/log?person=DANA');
    await page.getByText('1 result', { exact: true }).waitFor();
    await page.getByLabel('Person').fill('ben@');
    await page.getByText('Nothing matches these filters.').waitFor();
    await visit.close();
  });

  it('have two lines per row on phones, seven rows on a screen, and a search field above them', async () => {
    for (const path of ['/sent', '/received'] as const) {
      const visit = await fixture.show(path, path === '/sent' ? 'alice' : 'ben', { width: 'narrow' });
      const { page } = visit;
      await page.locator('main [data-row]').first().waitFor();
      const heights = await seenRows(visit);
      assert.ok(heights.length >= 7, `${path}: ${heights.length} rows of ${heights}`);
      await page.getByRole('searchbox', { name: /Subject or file|Find in Received/ }).fill('Message 2');
      await page.getByRole('button', { name: 'Clear filters' }).first().waitFor();
      await visit.assertAccessible();
      await visit.close();
    }
  });
});
