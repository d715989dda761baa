import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openMailbox } from '#test/kit/mailbox.ts';
import { readMessage } from '#test/kit/messages.ts';
import { skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const field = (page: Page) => page.getByRole('textbox', { name: /^Message/ });
const bar = (page: Page) => page.getByRole('toolbar', { name: 'Formatting' });
const tool = (page: Page, name: string) => bar(page).getByRole('button', { name, exact: true });
const focusedName = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

async function sendTo(page: Page, address: string): Promise<string> {
  await page.getByRole('combobox', { name: 'To' }).fill(address);
  await page.getByRole('combobox', { name: 'To' }).press('Enter');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Sent to 1 person' }).waitFor();
  return new URL(page.url()).searchParams.get('sent') ?? '';
}

async function paste(page: Page, formats: Record<string, string>): Promise<void> {
  await field(page).evaluate((element, data) => {
    const clipboardData = new DataTransfer();
    for (const [type, value] of Object.entries(data)) clipboardData.setData(type, value);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, formats);
}

describe('formatting the text of a message', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture(openMailbox().options);
  before(() => fixture.addPerson('frida', { message_can_use_html: true }));

  it('sends bold text, lists and links, on a phone and after a reload, and they arrive sanitised', async () => {
    const visit = await fixture.open('/send', 'frida', { width: 'narrow' });
    const { page } = visit;
    const { keyboard } = page;
    await field(page).click();
    await keyboard.type('The ');
    await tool(page, 'Bold').click();
    assert.equal(await tool(page, 'Bold').getAttribute('aria-pressed'), 'true');
    await keyboard.type('final');
    await keyboard.press('Control+b');
    assert.equal(await tool(page, 'Bold').getAttribute('aria-pressed'), 'false');
    await keyboard.type(' drawings:');
    await keyboard.press('Enter');
    await tool(page, 'Bulleted list').click();
    await keyboard.type('Section A');
    await keyboard.press('Enter');
    await paste(page, { 'text/html': '<img src="x" onerror="x"><h1>Section B</h1>', 'text/plain': 'Section B' });
    await keyboard.press('Enter');
    await keyboard.press('Enter');
    await keyboard.type('See ');
    await tool(page, 'Link').click();
    const dialog = page.getByRole('dialog', { name: 'Where should the link lead?' });
    await dialog.getByLabel('Web or e-mail address').fill('javascript:alert(1)');
    await keyboard.press('Enter');
    await dialog.getByText('Enter a web or e-mail address').waitFor();
    await dialog.getByLabel('Web or e-mail address').fill('quay.example/plans');
    await keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.id === 'send-text');
    await keyboard.type(' today.');
    // At the end, the bar with Send covers nothing.
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await visit.assertAccessible();

    await page.reload();
    await page.getByRole('button', { name: 'Continue' }).click();
    assert.equal(await field(page).locator('b').innerText(), 'final');
    const id = await sendTo(page, fixture.people.ben.email);
    const arrived = await readMessage(fixture.people.ben, id);
    assert.equal(
      arrived.message_html,
      [
        '<p>The <b>final</b> drawings:</p><ul><li>Section A</li><li>Section B</li></ul>',
        '<p>See <a href="https://quay.example/plans" rel="noopener noreferrer nofollow">quay.example/plans</a> today.</p>',
      ].join(''),
    );
    assert.match(arrived.message ?? '', /^The final drawings:\n\n- Section A\n- Section B\n/);
    await visit.close();
  });

  it('can be used by keyboard only, and formatting can be cleared', async () => {
    const visit = await fixture.open('/send', 'frida');
    const { page } = visit;
    const { keyboard } = page;
    await field(page).focus();
    await keyboard.type('Please read');
    await keyboard.press('Control+a');
    await keyboard.press('Shift+Tab');
    assert.equal(await focusedName(page), 'Bold');
    await keyboard.press('ArrowLeft');
    assert.equal(await focusedName(page), 'Clear formatting');
    await keyboard.press('Home');
    await keyboard.press('ArrowRight');
    assert.equal(await focusedName(page), 'Italic');
    await keyboard.press('Enter');
    assert.equal(await field(page).locator('i').innerText(), 'Please read');
    assert.equal(await tool(page, 'Italic').getAttribute('aria-pressed'), 'true');
    await keyboard.press('Control+k');
    await page.getByRole('dialog').getByLabel('Web or e-mail address').fill('https://quay.example');
    await keyboard.press('Enter');
    assert.equal(await field(page).getByRole('link').innerText(), 'Please read');
    await tool(page, 'Numbered list').click();
    await keyboard.press('End');
    await keyboard.press('Enter');
    await keyboard.type('And answer');
    assert.equal(await field(page).locator('ol > li').count(), 2);
    await tool(page, 'Numbered list').click();
    await keyboard.type(' soon');
    assert.equal(await field(page).locator('ol > li').innerText(), 'Please read');
    await field(page).press('Control+a');
    await tool(page, 'Clear formatting').click();
    assert.equal(await field(page).locator('i, a, ol').count(), 0);
    assert.deepEqual(await field(page).locator('p').allInnerTexts(), ['Please read', 'And answer soon']);
    await visit.assertAccessible();
    await visit.close();
  });

  it('sends text without formatting as typed', async () => {
    const visit = await fixture.open('/send', 'frida');
    const { page } = visit;
    await field(page).click();
    await page.keyboard.type('Is 1 < 2 <b>?');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Yes & no');
    const id = await sendTo(page, fixture.people.ben.email);
    const arrived = await readMessage(fixture.people.ben, id);
    assert.deepEqual([arrived.message, arrived.message_html], ['Is 1 < 2 <b>?\n\nYes & no', undefined]);
    await visit.close();
  });

  it('is hidden for a group that may not send HTML', async () => {
    const visit = await fixture.open('/send');
    const { page } = visit;
    await page.locator('textarea#send-text').waitFor();
    assert.equal(await bar(page).count(), 0);
    await visit.close();
  });
});
