import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import type { TestApp } from '#test/kit/app.ts';
import { ApiClient } from '#test/kit/client.ts';
import {
  type AppVisit,
  passwordOf,
  refuseUntilClicked,
  screenTitle,
  skipWithoutBrowser,
  useAppFixture,
} from './app.fixture.ts';

const nextPassword = 'four unrelated stones on a shelf';

/** The code in the mail that is queued for an address. */
async function mailedCode(app: TestApp, address: string): Promise<string> {
  const { read } = app.app.ctx.db;
  const row = await read
    .selectFrom('outbox')
    .selectAll()
    .where('recipient', '=', address)
    .where('kind', '=', 'code')
    .executeTakeFirstOrThrow();
  return (JSON.parse(read.keys.openText('mail', row.payload_sealed, row.id)) as { code: string }).code;
}

describe('the account', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  const assertAnnounced = async (visit: AppVisit, sentence: string) => {
    await visit.page.locator('#announcer', { hasText: sentence }).waitFor({ state: 'attached' });
    await visit.announced(sentence);
  };
  const go = async (page: Page, section: string) => {
    await page.getByRole('navigation', { name: 'Sections of your account' }).getByText(section).click();
    await page.getByRole('heading', { level: 1, name: section }).waitFor();
  };

  it('changes name, theme, zone and keys; each change applies immediately and is announced', async () => {
    const visit = await fixture.open('/account');
    const { page } = visit;
    visit.expectStatus(422);
    // Appears after the app has refetched the user.
    const marked = (card: string) => page.getByRole('region', { name: card }).locator('[data-shown="true"]').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('x'.repeat(300));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('A name can have at most').or(page.locator('[aria-invalid="true"]')).first().waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Alice Lindqvist');
    await page.keyboard.press('Enter');
    await assertAnnounced(visit, 'Saved.');
    await page.getByRole('button', { name: 'Account menu of Alice Lindqvist' }).waitFor();
    await page.getByRole('radio', { name: 'Dark' }).check();
    assert.equal(await page.locator('html').getAttribute('data-mantine-color-scheme'), 'dark');
    await page.getByRole('switch', { name: 'Single-letter keys' }).uncheck({ force: true });
    await marked('Keyboard');
    await page.keyboard.press('Escape');
    await page.locator('main h1').focus();
    await page.keyboard.press('?');
    assert.equal(await page.getByRole('dialog').count(), 0, 'single letters do nothing any more');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Tokyo');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    await marked('Language and time');
    await page.reload();
    await page.getByRole('radio', { name: 'Dark' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('data-mantine-color-scheme'), 'dark');
    assert.equal(await page.getByRole('combobox', { name: 'Time zone' }).inputValue(), 'Asia/Tokyo');
    await visit.close();
  });

  const noSwedish = existsSync(join(import.meta.dirname, '../../../locales/sv/app/account.json'))
    ? false
    : 'the app has no Swedish sentences yet';
  it('switches language immediately, and the account keeps it', { skip: noSwedish }, async () => {
    const visit = await fixture.open('/account/you', 'ben');
    const { page } = visit;
    await page.getByRole('combobox', { name: 'Language' }).click();
    await page.getByRole('option', { name: 'Svenska' }).click();
    await page.locator('html[lang="sv"][dir="ltr"]').waitFor();
    assert.notEqual(await page.locator('main h1').textContent(), 'You');
    await page.reload();
    await page.locator(screenTitle).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'sv');
    assert.notEqual(await page.locator('main h1').textContent(), 'You');
    await visit.close();
  });

  it('chooses where messages are sent from, and which mails come', async () => {
    const ines = await fixture.addPerson('ines');
    await fixture.people.admin.expect(200, 'changeUser', {
      params: { id: 'ines-example-com' },
      body: { user: { sender_aliases: 'office@example.com', recipient_aliases: 'tender@example.com' } },
    });
    const visit = await fixture.open('/account/addresses', 'ines', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.getByText('tender@example.com').waitFor();
    await page.getByRole('radio', { name: 'office@example.com' }).check();
    await assertAnnounced(visit, 'Saved.');
    await visit.assertAccessible();
    await page.getByRole('link', { name: 'Account', exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await visit.assertAccessible();
    await page.getByRole('main').getByRole('link', { name: 'Notices' }).click();
    const saved = () => page.waitForResponse((answer) => answer.request().method() === 'PUT' && answer.ok());
    await Promise.all([saved(), page.getByRole('radio', { name: 'Every morning' }).check()]);
    const isOff = page.getByRole('switch', { name: 'E-mail me when files come' }).uncheck({ force: true });
    await Promise.all([saved(), isOff]);
    const { body } = await ines.expect(200, 'getNotices');
    assert.deepEqual((body as { notices: object }).notices, { receipts: 'daily', reminders: true, requests: false });
    await visit.assertAccessible();
    await visit.close();
  });

  it('confirms an assigned address with a code from the mail to it', async () => {
    await fixture.addPerson('otto');
    const administrator = await fixture.app.person('chief', { group: 'administrators' });
    const user = { email: 'otto@harbour.example' };
    await administrator.expect(200, 'changeUser', { params: { id: 'otto-example-com' }, body: { user } });
    fixture.people.otto = new ApiClient(fixture.people.otto!.url, fixture.people.otto!.key, user.email);
    const visit = await fixture.open('/sent', 'otto');
    const { page } = visit;
    visit.expectStatus(422);
    await page.getByRole('link', { name: 'Confirm it' }).click();
    await page.getByRole('button', { name: 'Confirm otto@harbour.example' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('We sent a code to').waitFor();
    await visit.assertAccessible();
    await dialog.getByLabel('Code').fill('AAAA-AAAA');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByText('That code isn’t right. You can try 4 more times.').waitFor();
    await dialog.getByLabel('Code').fill(await mailedCode(fixture.app, user.email));
    await page.keyboard.press('Enter');
    await assertAnnounced(visit, 'otto@harbour.example is confirmed.');
    await page.getByRole('link', { name: 'Confirm it' }).waitFor({ state: 'detached' });
    await page.getByText('You send from otto@harbour.example.').waitFor();
    await visit.close();
  });

  it('changes the password and ends other devices', async () => {
    await fixture.addPerson('petra');
    const elsewhere = await fixture.open('/received', 'petra');
    const visit = await fixture.open('/account/security', 'petra');
    const { page } = visit;
    visit.expectStatus(422);
    elsewhere.expectStatus(401);
    await page.getByRole('button', { name: 'Sign out Chrome' }).waitFor();
    await page.getByLabel('Current password').fill('not this one at all');
    await page.getByLabel('New password').fill(nextPassword);
    await page.keyboard.press('Enter');
    await page.getByText('That’s not your password.').waitFor();
    await page.getByLabel('Current password').fill(passwordOf('petra'));
    await page.getByLabel('New password').fill('short');
    await page.keyboard.press('Enter');
    await page.getByText('A password needs at least 12 characters.').waitFor();
    await visit.assertAccessible();
    await page.getByLabel('New password').fill(nextPassword);
    await page.keyboard.press('Enter');
    await assertAnnounced(visit, 'Your password is changed. Other devices are signed out.');
    await page.getByText('You are signed in on this device only.').waitFor();
    await elsewhere.close();
    await visit.close();
  });

  it('ends one device, then all others, and asks before the latter', async () => {
    const others = [await fixture.open('/received', 'admin'), await fixture.open('/received', 'admin')];
    const visit = await fixture.open('/account/security', 'admin');
    const { page } = visit;
    for (const other of others) other.expectStatus(401);
    await page.getByRole('button', { name: 'Sign out Chrome' }).first().click();
    await page.getByRole('button', { name: 'Sign out Chrome' }).nth(1).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign out 1 other device?' });
    await visit.assertAccessible();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    await dialog.getByRole('button', { name: 'Sign out all others' }).click();
    await assertAnnounced(visit, 'All other devices are signed out.');
    await page.getByText('In a browser').first().waitFor();
    for (const other of others) await other.close();
    await visit.close();
  });

  it('sets up the authenticator app by keyboard, and switches it off', async () => {
    await fixture.addPerson('tove', { require_second_factor: 'offered' });
    const visit = await fixture.open('/account/security', 'tove', { scheme: 'dark' });
    const { page } = visit;
    visit.expectStatus(422);
    await page.getByRole('button', { name: 'Set up' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Set up the authenticator app' });
    await dialog.getByLabel('Your password', { exact: true }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('wrong wrong wrong');
    await page.keyboard.press('Enter');
    await dialog.getByText('That’s not your password.').waitFor();
    await dialog.getByLabel('Your password', { exact: true }).fill(passwordOf('tove'));
    await page.keyboard.press('Enter');
    await dialog.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    await visit.assertAccessible();
    const secret = (await dialog.getByLabel('Or type this key').inputValue()).replaceAll(' ', '');
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: fixture.app.clock.now() });
    await page.keyboard.type(code === '000000' ? '000001' : '000000');
    await page.keyboard.press('Enter');
    await dialog.getByText('That code isn’t right.').waitFor();
    await dialog.getByLabel('Code from the app').fill(code);
    await page.keyboard.press('Enter');
    await assertAnnounced(visit, 'The second step is on.');
    const codes = page.getByRole('dialog', { name: 'Recovery codes' });
    await codes.getByLabel('Recovery codes').waitFor();
    await visit.assertAccessible();
    await codes.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('10 recovery codes are left.').waitFor();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('dialog').getByLabel('Your password', { exact: true }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type(passwordOf('tove'));
    await page.keyboard.press('Enter');
    await assertAnnounced(visit, 'The second step is off.');
    await visit.close();
  });

  it('creates, shows, replaces, renews and revokes API keys', async () => {
    const rolf = await fixture.addPerson('rolf');
    const visit = await fixture.open('/account/keys', 'rolf');
    const { page } = visit;
    visit.expectStatus(422);
    const dialog = page.getByRole('dialog');
    await page.getByText('root@example.com read it on').waitFor();
    await page.getByRole('button', { name: 'New key' }).click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Give the key a name of at most 100 characters').waitFor();
    await visit.assertAccessible();
    await dialog.getByLabel('Name', { exact: true }).fill('Nightly export');
    await dialog.getByRole('button', { name: '90 days' }).click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Store it now; we can’t show it again.').waitFor();
    await assertAnnounced(visit, 'Key created. Copy it now.');
    const key = await dialog.getByLabel('API key').inputValue();
    await new ApiClient(fixture.app.url, key, rolf.email).expect(200, 'getAccount');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.locator('#new-api-key:focus').waitFor();
    const lastDay = new Date(fixture.app.clock.now() + 90 * 86_400_000);
    const shownDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }).format(
      lastDay,
    );
    await page.getByText(`Works until ${shownDay}`).waitFor();
    const menu = (name: string) => page.getByRole('button', { name: `Actions for ${name}` });
    await menu('Main key').click();
    await page.getByRole('menuitem', { name: 'Show' }).click();
    await dialog.getByLabel('Your password', { exact: true }).fill(passwordOf('rolf'));
    await page.keyboard.press('Enter');
    assert.equal(await dialog.getByLabel('API key').inputValue(), rolf.key);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await menu('Nightly export').click();
    await page.getByRole('menuitem', { name: 'Replace; the old one works for 24 more hours' }).click();
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Replaced; works until').waitFor();
    await menu('Main key').click();
    await page.getByRole('menuitem', { name: 'Renew; the old one expires now' }).click();
    await dialog.getByRole('button', { name: 'Renew now' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await rolf.refused(401, 'credentials.invalid', 'getAccount');
    await menu('Nightly export').last().click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await assertAnnounced(visit, 'Nightly export is revoked.');
    await visit.assertAccessible();
    await visit.close();
  });

  it('shows what the group may do, in sentences', async () => {
    await fixture.addPerson('uma', {
      can_use_filelinks: false,
      message_limit_recipients: true,
      message_recipient_domains: ['harbour.example'],
      require_second_factor: 'off',
    });
    const visit = await fixture.open('/account', 'uma', { width: 'narrow' });
    const { page } = visit;
    await page.getByRole('link', { name: 'What you can do' }).click();
    await page.getByText('Your group can’t create links.').waitFor();
    await page.getByText('You can send to addresses at @harbour.example only.').waitFor();
    await visit.assertAccessible();
    await page.goBack();
    await page.getByRole('link', { name: 'Security' }).click();
    await page.getByText('Your group does not use a second step at sign-in.').waitFor();
    await visit.go('/account/nothing');
    await page.getByText('There is no such section.').waitFor();
    await visit.close();
  });

  it('shows retry in a part that failed, and the other parts', async () => {
    const visit = await fixture.open('/account/you');
    const { page } = visit;
    visit.expectStatus(404);
    const release = await refuseUntilClicked(page, '**/app-api/account/sessions', {
      status: 404,
      contentType: 'application/json',
      body: '{"errors":["Not now."],"code":"x.y"}',
    });
    await go(page, 'Security');
    await page.getByText('Not now.').waitFor();
    await release(page.getByRole('button', { name: 'Try again' }));
    await page.getByText('This device').waitFor();
    await visit.close();
  });
});
