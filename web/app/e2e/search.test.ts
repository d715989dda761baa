import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sendMessage } from '#test/kit/messages.ts';
import { passwordOf, refuseUntilClicked, skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

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
    fixture.people.boss = await fixture.app.person('boss', { password: passwordOf('boss'), group: 'administrators' });
  });

  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Search' });
  const field = (page: Page) => dialogOf(page).getByRole('combobox');
  const option = (page: Page, name: string | RegExp) => dialogOf(page).getByRole('option', { name });
  const groupsOf = async (page: Page) =>
    dialogOf(page)
      .getByRole('group')
      .evaluateAll((groups) => groups.map((group) => group.firstElementChild?.textContent));
  const settled = (page: Page, said: string) =>
    page.locator('#announcer', { hasText: said }).waitFor({ state: 'attached' });

  it('opens with Ctrl K, also in a field, and finds in groups; arrow keys select, Enter opens, Escape closes', async () => {
    const visit = await fixture.open('/sent');
    const { page } = visit;
    await page.getByRole('searchbox', { name: 'Subject or file' }).focus();
    await page.keyboard.press('Control+k');
    await option(page, 'Harbour tender').waitFor();
    assert.deepEqual(await groupsOf(page), ['Last sent', 'Last received', 'Screens']);
    await page.keyboard.type('harbour');
    await settled(page, '6 results.');
    assert.deepEqual(await groupsOf(page), ['Messages', 'Links', 'File requests', 'Files', 'Contacts']);
    assert.equal(await option(page, 'Harbour tender').locator('mark').first().innerText(), 'Harbour');
    await visit.assertAccessible();
    const chosen = () => dialogOf(page).locator('[aria-selected="true"]').innerText();
    const first = await chosen();
    await page.keyboard.press('ArrowDown');
    assert.notEqual(await chosen(), first);
    assert.equal(
      await field(page).getAttribute('aria-activedescendant'),
      await dialogOf(page).locator('[aria-selected="true"]').getAttribute('id'),
    );
    await page.keyboard.press('ArrowUp');
    assert.equal(await chosen(), first);
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    await field(page).fill(sentId);
    await option(page, 'Harbour tender').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/app/sent/${sentId}`);
    assert.equal(await dialogOf(page).count(), 0);
    await visit.close();
  });

  it('opens screens, settings at their place, and help', async () => {
    const visit = await fixture.open('/received');
    const { page } = visit;
    await page.keyboard.press('/');
    await page.keyboard.type('time zone');
    await option(page, 'Language and time').click();
    await page.waitForURL('**/app/account/you?at=*');
    await page.locator('section[data-revealed]', { hasText: 'Time zone' }).waitFor();
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.keyboard.type('download l');
    await option(page, 'Download log').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Download log' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('file from a script');
    await option(page, 'Send a file from a script').click();
    await page.waitForURL('**/docs/api/guides#send');
    await visit.close();
  });

  it('finds people, groups, transfers and settings of the console by rights', async () => {
    const visit = await fixture.open('/received', 'admin');
    const { page } = visit;
    await page.keyboard.press('Control+k');
    await page.keyboard.type('alice');
    await option(page, /alice@example.com · Local Users/).waitFor();
    await option(page, /Message of alice/)
      .first()
      .waitFor();
    await visit.assertAccessible();
    await field(page).fill('storage per person');
    await option(page, 'Storage per person').click();
    await field(page).fill('local');
    await option(page, 'Local Users').click();
    await page.waitForURL('**/app/admin/groups/local-users?section=people&at=storage_quota');
    await page.locator('#setting-storage_quota[data-revealed]').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('WAYBILL_BACKUP_DIR');
    await option(page, 'WAYBILL_BACKUP_DIR').click();
    await page.locator('tr[data-revealed]', { hasText: 'WAYBILL_BACKUP_DIR' }).waitFor();
    await visit.close();
    const boss = await fixture.open('/received', 'boss');
    await boss.page.keyboard.press('Control+k');
    await boss.page.keyboard.type('WAYBILL_BACKUP_DIR');
    await boss.page.getByText('No matches for “WAYBILL_BACKUP_DIR”').waitFor();
    await boss.close();
  });

  it('requests nothing while the user types, and shows no answer to what was typed before', async () => {
    const visit = await fixture.open('/received');
    const { page } = visit;
    const asked: string[] = [];
    const held: (() => void)[] = [];
    await page.route('**/app-api/search**', async (route) => {
      const q = new URL(route.request().url()).searchParams.get('q')!;
      asked.push(q);
      if (q === 'harbour') await new Promise<void>((resolve) => held.push(resolve));
      await route.continue().catch(() => {});
    });
    const request = page.waitForRequest('**/app-api/search**');
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.keyboard.type('harbour');
    assert.deepEqual(asked, []);
    await page.clock.resume();
    await request;
    await field(page).fill('photos');
    await option(page, 'Harbour photos').waitFor();
    for (const release of held) release();
    await settled(page, '2 results.');
    assert.equal(await option(page, 'Harbour tender').count(), 0);
    assert.deepEqual(asked, ['harbour', 'photos']);
    await visit.close();
  });

  it('says when there are no results, and when it failed', async () => {
    const visit = await fixture.open('/received', 'ben', { scheme: 'dark' });
    const { page } = visit;
    await page.keyboard.press('Control+k');
    await page.keyboard.type('zanzibar');
    await page.getByText('No matches for “zanzibar”').waitFor();
    await visit.announced('No results.');
    await visit.assertAccessible();
    visit.expectStatus(422);
    const release = await refuseUntilClicked(page, '**/app-api/search**', {
      status: 422,
      contentType: 'application/json',
      body: '{"errors":["Not now."],"code":"x.y"}',
    });
    await field(page).fill('harbour');
    await page.getByText('Search isn’t available right now.').waitFor();
    await release(page.getByRole('button', { name: 'Try again' }));
    await option(page, 'Photos of the harbour wall').waitFor();
    await visit.close();
  });

  it('fills the screen of a phone', async () => {
    const visit = await fixture.open('/received', 'alice', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.keyboard.type('harbour');
    await option(page, 'Harbour photos').waitFor();
    const { width, height } = (await dialogOf(page).boundingBox())!;
    assert.deepEqual([width, height], [360, 740]);
    assert.ok(!(await dialogOf(page).innerText()).includes('\u202e'), 'nothing reorders the adjacent text');
    await visit.assertAccessible();
    await dialogOf(page).getByRole('button', { name: 'Close' }).click();
    await dialogOf(page).waitFor({ state: 'hidden' });
    await visit.close();
  });
});
