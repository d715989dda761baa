import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sendMessage } from '#test/kit/messages.ts';
import { refuseUntilClicked, skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

describe('search', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  let sentId: string;
  before(async () => {
    const { alice, ben } = fixture.people;
    const { id: file } = await alice.upload('Harbour plan <b>\u202Efdp.pdf', 'plan');
    const sent = await sendMessage(alice, { recipients: [ben.email], subject: 'Harbour tender', attachments: [file] });
    sentId = sent.id;
    await sendMessage(ben, { recipients: [alice.email], subject: 'Photos of the harbour wall' });
    await alice.expect(200, 'createFileLink', { body: { link: { attachment: file } } });
    await alice.expect(200, 'createFileRequest', {
      body: { request: { recipient: 'sam@harbour.example', subject: 'Harbour photos', send_email: false } },
    });
  });

  it('finds while typing; arrow keys select, Escape closes, Enter shows everything', async () => {
    const visit = await fixture.open('/links');
    const { page } = visit;
    const field = page.getByRole('searchbox', { name: 'Search', exact: true });
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('heading', { name: 'Last sent' }).waitFor();
    await page.keyboard.type('harbour');
    await page.getByRole('heading', { name: 'File requests' }).waitFor();
    await page.locator('#announcer', { hasText: '6 results.' }).waitFor({ state: 'attached' });
    for (const group of ['Messages', 'Links', 'File requests', 'Files'])
      assert.equal(await page.getByRole('heading', { name: group, exact: true }).count(), group === 'Links' ? 2 : 1);
    await visit.assertAccessible();
    await page.keyboard.press('ArrowDown');
    assert.match(await focused(), /harbour/i);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'search-everything');
    assert.equal(await page.getByRole('heading', { name: 'Messages' }).count(), 0);
    await field.fill(sentId);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Harbour tender' }).click();
    await page.waitForURL(`**/app/sent/${sentId}`);
    await visit.close();
  });

  it('says when there are no results, and when it failed', async () => {
    const visit = await fixture.open('/search?q=zanzibar', 'ben', { scheme: 'dark' });
    const { page } = visit;
    await page.getByText('No matches for “zanzibar”').waitFor();
    assert.equal((await visit.announcements())[0], 'No results.');
    await visit.assertAccessible();
    visit.expectStatus(422);
    const release = await refuseUntilClicked(page, '**/app-api/search**', {
      status: 422,
      contentType: 'application/json',
      body: '{"errors":["Not now."],"code":"x.y"}',
    });
    await page.getByRole('searchbox').fill('harbour');
    await page.getByText('Search isn’t available right now.').waitFor();
    await release(page.getByRole('button', { name: 'Try again' }));
    await page.getByRole('link', { name: 'Photos of the harbour wall' }).waitFor();
    await page.waitForURL('**/app/search?q=harbour');
    await visit.close();
  });

  it('fills the screen of a phone, and starts with recent items', async () => {
    const visit = await fixture.open('/received', 'alice', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.getByRole('link', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Last received' }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'search-here');
    await visit.assertAccessible();
    await page.keyboard.type('harbour');
    await page.getByRole('link', { name: 'Harbour photos' }).waitFor();
    assert.ok(!(await page.getByRole('main').innerText()).includes('\u202e'), 'nothing reorders the adjacent text');
    await visit.assertAccessible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/*/*');
    await page.goBack();
    await page.getByRole('link', { name: 'Harbour photos' }).waitFor();
    await visit.close();
  });
});
