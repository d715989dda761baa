// An administrator's first day without a terminal: setup, console, an invitation, and the first file for an outside
// recipient.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { OutgoingMail } from '#server/domain/ports.ts';
import type { TestApp } from '#test/kit/app.ts';
import { startWithStore } from '#test/kit/damage.ts';
import { engines } from '#test/kit/engines.ts';
import { codeIn, openMailbox } from '#test/kit/mailbox.ts';
import { launchBrowser, openVisit, skipWithoutBrowser, type Visit } from '#web/pages/e2e/browser.fixture.ts';

const drawing = randomBytes(200_000);
const colleague = 'cleo@northlight.example';
const outside = 'ben@harbour.example';

describe('an administrator’s first day', { skip: skipWithoutBrowser }, () => {
  const mailbox = openMailbox();
  let app: TestApp;
  let browser: Browser;
  let token: string;
  const visits: Visit[] = [];
  before(async () => {
    browser = await launchBrowser();
    const started = await startWithStore(engines[0]!, { ...mailbox.options, isSetUp: false });
    app = started.app;
    token = (await readFile(join(started.store.WAYBILL_DATA_DIR!, 'setup-token'), 'utf8')).trim();
  });
  after(async () => {
    for (const { context } of visits) await context.close();
    await browser?.close();
    await app?.close();
  });

  const open = async (path: string): Promise<Page> => {
    const visit = await openVisit(browser, app.url, {
      acceptDownloads: true,
      locale: 'en-GB',
      viewport: { width: 1280, height: 800 },
    });
    visits.push(visit);
    await visit.page.goto(path.startsWith('http') ? path : app.url + path);
    return visit.page;
  };
  const mailTo = async (address: string): Promise<OutgoingMail> => {
    const [mail] = await mailbox.postTo(app, address);
    assert.ok(mail !== undefined, `no mail to ${address}`);
    return mail;
  };
  const linkIn = ({ text }: OutgoingMail, path: string) => new RegExp(`${app.url}/${path}/\\S+`).exec(text)![0];

  let admin: Page;
  it('begins on the setup page and continues in the console', async () => {
    admin = await open('/setup');
    const fields = {
      token,
      name: 'Ada Admin',
      email: 'ada@northlight.example',
      password: 'quiet river under seven lamps',
      organisation: 'Northlight',
    };
    for (const [name, value] of Object.entries(fields)) await admin.locator(`[name="${name}"]`).fill(value);
    await admin.getByRole('button', { name: 'Finish setup' }).click();
    await admin.getByRole('heading', { level: 1, name: /Northlight/ }).waitFor();
    await admin.getByRole('link', { name: 'Finish setting up' }).click();
    await admin.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await admin.getByRole('heading', { name: 'Finish setting up' }).waitFor();
  });

  it('a colleague is invited and chooses a password', async () => {
    await admin.getByRole('link', { name: 'People', exact: true }).click();
    await admin.getByRole('button', { name: 'Add person' }).click();
    const dialog = admin.getByRole('dialog', { name: 'Add a person' });
    await dialog.getByLabel('E-mail address').fill(colleague);
    await dialog.getByRole('button', { name: 'Send invitation' }).click();
    await admin.getByText(`Invitation sent to ${colleague}.`).first().waitFor();
    const cleo = await open(linkIn(await mailTo(colleague), 'invite'));
    await cleo.locator('[name="name"]').fill('Cleo Coast');
    await cleo.locator('[name="password"]').fill('seven lamps under a quiet river');
    await cleo.getByRole('button', { name: 'Create account' }).click();
    await cleo.waitForURL('**/sign-in');
    await cleo.locator('[name="email"]').fill(colleague);
    await cleo.locator('[name="password"]').fill('seven lamps under a quiet river');
    await cleo.locator('[name="password"]').press('Enter');
    await cleo.getByRole('heading', { level: 1, name: 'Send files' }).waitFor();
    await admin.reload();
    await admin.getByRole('link', { name: 'Cleo Coast' }).click();
    await admin.getByRole('heading', { level: 1, name: 'Cleo Coast' }).waitFor();
    await admin.getByText('Ada Admin chose it when the account was created').waitFor();
    await sendFirstFile(cleo);
  });

  async function sendFirstFile(cleo: Page): Promise<void> {
    await cleo.goto(`${app.url}/app/send`);
    await cleo.getByRole('combobox', { name: 'To' }).pressSequentially(`${outside} `);
    await cleo.getByLabel('Subject').fill('Drawings for the Harbour');
    const [chooser] = await Promise.all([
      cleo.waitForEvent('filechooser'),
      cleo.getByRole('button', { name: 'Choose files' }).click(),
    ]);
    await chooser.setFiles({ name: 'Drawing.pdf', mimeType: 'application/pdf', buffer: drawing });
    await cleo.getByRole('button', { name: 'Send', exact: true }).click();
    await cleo.getByRole('heading', { level: 1, name: 'Sent to 1 person' }).waitFor();
  }

  it('an outside recipient gets the mail, confirms their address, and has the exact file', async () => {
    const ben = await open(linkIn(await mailTo(outside), 'message'));
    await ben.getByRole('button', { name: 'Send code' }).click();
    await ben.locator('[name="code"]').waitFor();
    await ben.locator('[name="code"]').fill(codeIn(await mailTo(outside)));
    await ben.getByRole('button', { name: 'Continue' }).click();
    await ben.getByRole('heading', { level: 1, name: 'Drawings for the Harbour' }).waitFor();
    const [download] = await Promise.all([
      ben.waitForEvent('download'),
      ben.getByRole('button', { name: /^Download Drawing\.pdf/ }).click(),
    ]);
    assert.deepEqual(await readFile(await download.path()), drawing);
  });

  it('and the administrator sees the transfer, and the statistics of the day', async () => {
    await admin.getByRole('link', { name: 'Transfers', exact: true }).click();
    await admin.getByText(outside).first().waitFor();
    await admin.getByRole('link', { name: 'Overview', exact: true }).click();
    await admin.getByText('1 more than usual by now').first().waitFor();
  });

  it('has caused no script error and no request to another origin', () => {
    assert.deepEqual(
      visits.flatMap(({ complaints }) => complaints).filter((text) => !text.endsWith('/app-api/events')),
      [],
    );
  });
});
