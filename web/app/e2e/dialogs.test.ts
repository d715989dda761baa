import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const focusIsIn = (page: Page, label: string) =>
  until(async () => page.getByLabel(label, { exact: true }).evaluate((field) => field === document.activeElement));

describe('dialogs', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture(openMailbox().options);
  const send = (subject: string, person = 'ben@harbour.example') =>
    sendMessage(fixture.people.alice, {
      recipients: [person],
      subject,
      attachments: [inlineFile('plan.txt', 'plan')],
    });

  it('focus their first field: text typed immediately is not lost', async () => {
    const { id } = await send('Plans');
    const visit = await fixture.open(`/sent/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Add a recipient' }).click();
    await focusIsIn(page, 'Who else');
    await page.keyboard.type('dana@harbour.example');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove dana@harbour.example' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Extend' }).click();
    await focusIsIn(page, 'Available until');
    await visit.close();
  });

  it('close by Escape one at a time: a calendar, a list of people, the sign-in, then the dialog', async () => {
    await send('To a known person', 'dana@rossi.example');
    const { id } = await send('Sections');
    const visit = await fixture.open(`/sent/${id}`);
    const { page } = visit;
    visit.expectStatus(401);
    await page.getByRole('button', { name: 'Extend' }).click();
    const extend = page.getByRole('dialog', { name: 'Extend “Sections”' });
    await extend.getByRole('button', { name: 'Open calendar' }).click();
    await page.getByRole('button', { name: 'Next month' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Next month' }).waitFor({ state: 'hidden' });
    assert.ok(await extend.isVisible(), 'the calendar alone was closed');
    await page.keyboard.press('Escape');
    await extend.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Add a recipient' }).click();
    const add = page.getByRole('dialog', { name: 'Add a recipient' });
    await add.getByLabel('Who else').pressSequentially('da');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('option').first().waitFor({ state: 'hidden' });
    assert.equal(await add.getByLabel('Who else').inputValue(), 'da', 'the list alone was closed');

    await page.context().clearCookies();
    const signIn = page.getByRole('dialog', { name: 'Sign in again to continue' });
    await until(async () => {
      await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
      return signIn.isVisible();
    });
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('dialog').count(), 2, 'nothing behind the sign-in was closed');
    await visit.close();
  });

  it('close by Escape with input too, and the button that continues is the last', async () => {
    const { id } = await send('Details');
    const visit = await fixture.open(`/sent/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Add a recipient' }).click();
    const add = page.getByRole('dialog', { name: 'Add a recipient' });
    await add.getByLabel('Who else').fill('dana@rossi.example');
    await page.keyboard.press('Enter');
    await add.getByRole('button', { name: 'Remove dana@rossi.example' }).waitFor();
    await page.keyboard.press('Escape');
    await add.waitFor({ state: 'hidden' });
    await visit.go('/requests?new=1');
    const request = page.getByRole('dialog');
    await request.getByLabel('Subject').fill('Drawings');
    const [cancel, go] = ['Cancel', 'Send request'].map((name) => request.getByRole('button', { name }));
    const leftOf = async (button?: typeof go) => (await button!.boundingBox())!.x;
    assert.ok((await leftOf(cancel)) < (await leftOf(go)));
    await page.keyboard.press('Escape');
    await request.waitFor({ state: 'hidden' });
    await visit.close();
  });

  it('return the focus to the heading of the screen when nothing had it before', async () => {
    const visit = await fixture.open('/received');
    const { page } = visit;
    assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    await page.locator('main h1:focus').waitFor();
    await visit.close();
  });

  it('do not submit another day than the typed one', async () => {
    const { id, expires_at: before } = await send('Costs');
    const visit = await fixture.open(`/sent/${id}`);
    const { page } = visit;
    const tooLate = '1 January 2040';
    await page.getByRole('button', { name: 'Extend' }).click();
    const extend = page.getByRole('dialog', { name: 'Extend “Costs”' });
    await extend.getByLabel('Available until').fill(tooLate);
    await extend.getByRole('button', { name: 'Extend' }).click();
    await focusIsIn(page, 'Available until');
    await visit.announced(/^Enter a date up to /);
    const { body } = await fixture.people.alice.expect(200, 'getSentMessage', { params: { id } });
    assert.equal((body as { message: { expires_at: string } }).message.expires_at, before);
    await extend.getByRole('button', { name: 'Cancel' }).click();

    await visit.go('/send');
    await page.getByRole('combobox', { name: 'To' }).pressSequentially('ben@harbour.example,');
    await page.getByLabel('Message').fill('Nothing but words');
    await page.getByLabel('Available until').fill(tooLate);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('heading', { name: '1 thing needs attention' }).waitFor();
    await page.getByRole('link', { name: /^Enter a date up to/ }).click();
    await focusIsIn(page, 'Available until');
    for (const [place, label, button] of [
      ['links', 'Available until', 'Create and copy'],
      ['requests', 'Open until', 'Send request'],
    ] as const) {
      await visit.go(`/${place}?new=1`);
      await page.getByRole('dialog').getByLabel(label).fill('the day after');
      await page.getByRole('dialog').getByRole('button', { name: button }).click();
      await page
        .getByRole('dialog')
        .getByRole('link', { name: /^Enter a date/ })
        .waitFor();
    }
    await visit.close();
  });
});
