// The first hour without a mail server: setup names the step that fails, sending offers links that open without a code, and mail
// is set up in the console later.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { TestApp } from '#test/kit/app.ts';
import { ApiClient } from '#test/kit/client.ts';
import { startWithStore } from '#test/kit/damage.ts';
import { engines } from '#test/kit/engines.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { startRelay, type TestRelay } from '#test/kit/smtp-relay.ts';
import { launchBrowser, openVisit, skipWithoutBrowser, type Visit } from '#web/pages/e2e/browser.fixture.ts';

describe('the first hour without a mail server', { skip: skipWithoutBrowser }, () => {
  let app: TestApp;
  let relay: TestRelay;
  let browser: Browser;
  let token: string;
  let admin: Page;
  let ada: ApiClient;
  const visits: Visit[] = [];
  before(async () => {
    browser = await launchBrowser();
    relay = await startRelay();
    const started = await startWithStore(engines[0]!, { isSetUp: false, environment: { WAYBILL_ROLE: 'web' } });
    app = started.app;
    token = (await readFile(join(started.store.WAYBILL_DATA_DIR!, 'setup-token'), 'utf8')).trim();
  });
  after(async () => {
    for (const { context } of visits) await context.close();
    await browser?.close();
    await app?.close();
    await relay?.close();
  });

  const open = async (url: string, more: object = {}): Promise<Page> => {
    const visit = await openVisit(browser, app.url, {
      locale: 'en-GB',
      viewport: { width: 1280, height: 800 },
      ...more,
    });
    visits.push(visit);
    await visit.page.goto(url);
    return visit.page;
  };
  const shot = async (name: string) => {
    if (process.env.SHOTS) await admin.screenshot({ path: join(process.env.SHOTS, `${name}.png`), fullPage: true });
  };

  it('setup tests the mail server, names the failed step, keeps what was typed but the password, and can be skipped', async () => {
    admin = await open(`${app.url}/setup`);
    const fields = {
      token,
      name: 'Ada Admin',
      email: 'ada@northlight.example',
      password: 'quiet river under seven lamps',
      organisation: 'Northlight',
    };
    for (const [name, value] of Object.entries(fields)) await admin.locator(`[name="${name}"]`).fill(value);
    await admin.getByRole('button', { name: 'Finish setup' }).click();
    await admin.getByRole('heading', { level: 1, name: 'Set up e-mail' }).waitFor();
    await shot('setup-mail');
    assert.equal(await admin.locator('[name="token_url"]').isVisible(), false);
    await admin.getByLabel('Microsoft Graph').check();
    assert.equal(await admin.locator('[name="token_url"]').isVisible(), true);
    assert.equal(await admin.locator('[name="host"]').isVisible(), false);
    await shot('setup-mail-graph');
    await admin.getByLabel('SMTP with user name and password').check();
    await admin.locator('[name="host"]').fill('127.0.0.1');
    await admin.locator('[name="port"]').fill('1');
    await admin.locator('[name="user"]').fill('files');
    await admin.locator('[name="password"]').fill('secret of the mail server');
    await admin.locator('[name="from"]').fill('files@northlight.example');
    await admin.getByRole('button', { name: 'Send test and save' }).click();
    await admin.getByText('127.0.0.1 refuses connections on port 1.').waitFor();
    assert.equal(await admin.locator('[name="user"]').inputValue(), 'files');
    assert.equal(await admin.locator('[name="password"]').inputValue(), '');
    await shot('setup-mail-failed');
    await admin.getByRole('link', { name: 'Skip for now' }).click();
    await admin.getByRole('heading', { level: 1, name: /Northlight/ }).waitFor();
    const key = await admin.locator('#api-key').inputValue();
    assert.match(key, /^[A-Za-z0-9]{22}$/);
    ada = new ApiClient(app.url, key, 'ada@northlight.example');
  });

  it('sending says that mail is not set up, and creates links that open without a code', async () => {
    await admin.getByRole('link', { name: 'Send a first file' }).click();
    await admin.getByText('Create links to your files instead: they open without a code').waitFor();
    await admin.getByRole('link', { name: 'Set up e-mail' }).waitFor();
    assert.equal(await admin.getByRole('button', { name: 'Send', exact: true }).count(), 0);
    await admin.getByRole('button', { name: 'Create links' }).click();
    await admin.getByRole('link', { name: 'Add at least one file.' }).waitFor();
    await admin.getByLabel('Subject').fill('Drawings');
    const [chooser] = await Promise.all([
      admin.waitForEvent('filechooser'),
      admin.getByRole('button', { name: 'Choose files' }).click(),
    ]);
    await chooser.setFiles({ name: 'Drawing.pdf', mimeType: 'application/pdf', buffer: Buffer.from('a drawing') });
    await shot('send-without-mail');
    await admin.getByRole('button', { name: 'Create links' }).click();
    const dialog = admin.getByRole('dialog', { name: 'New link' });
    await dialog.getByText('Drawing.pdf').waitFor();
    await dialog.getByRole('button', { name: 'Create and copy' }).click();
    const link = admin.getByRole('dialog').locator('input[readonly]').first();
    await link.waitFor();
    await shot('sent-without-mail');
    const outside = await open(await link.inputValue(), { acceptDownloads: true });
    const [download] = await Promise.all([
      outside.waitForEvent('download'),
      outside.getByRole('button', { name: /^Download/ }).click(),
    ]);
    assert.equal(await readFile(await download.path(), 'utf8'), 'a drawing');
    await admin.goto(`${app.url}/app/send`);
    await admin.getByText('You have an unfinished message').waitFor();
  });

  it('the mail of a message waits for the set-up, and is not on its way', async () => {
    await sendMessage(ada, {
      recipients: ['ben@harbour.example'],
      subject: 'Plans',
      message: 'Soon',
      send_email: true,
    });
    await admin.goto(`${app.url}/app/sent`);
    await admin.getByText('Plans').first().waitFor();
    await admin.getByText('Plans').first().click();
    await admin.getByRole('heading', { level: 1, name: 'Plans' }).waitFor();
    assert.doesNotMatch(await admin.locator('main').innerText(), /on its way/i);
  });

  it('the console sets mail up, and from then on the app sends', async () => {
    await admin.goto(`${app.url}/app/admin/mail`);
    await admin.getByRole('heading', { level: 2, name: 'Mail server', exact: true }).waitFor();
    await shot('console-mail');
    await admin.getByRole('radio', { name: 'SMTP without sign-in' }).check();
    await admin.getByRole('textbox', { name: 'Mail server' }).fill('127.0.0.1');
    await admin.getByRole('textbox', { name: 'Port' }).fill(String(relay.port));
    await admin.getByRole('textbox', { name: 'Sender address' }).fill('files@northlight.example');
    await admin.getByRole('button', { name: 'Send test and save' }).click();
    await admin.getByRole('button', { name: 'Remove settings' }).waitFor();
    await admin.getByText('Saved. The test e-mail was accepted').first().waitFor();
    await shot('console-mail-saved');
    assert.deepEqual(relay.received[0]!.envelopeTo, ['ada@northlight.example']);
    await admin.goto(`${app.url}/app/send`);
    await admin.getByRole('button', { name: 'Send', exact: true }).waitFor();
  });
});
