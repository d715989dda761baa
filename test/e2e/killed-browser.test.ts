// The operating system ends the browser in the middle of an upload; the same profile is opened again.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it, type TestContext } from 'node:test';
import { chromium, type Page } from 'playwright-core';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { engines } from '#test/kit/engines.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { chromiumFlags } from '#test/kit/servers/chromium.ts';
import { browserPath, skipWithoutBrowser } from '#web/pages/e2e/browser.fixture.ts';

const password = 'seven lamps under a quiet river';
const done = { name: 'done.txt', mimeType: 'text/plain', buffer: Buffer.alloc(2000, 'd') };
const half = { name: 'half.txt', mimeType: 'text/plain', buffer: Buffer.alloc(300_000, 'h') };

interface Killable {
  page: Page;
  kill(): Promise<void>;
}

async function openProfile(folder: string): Promise<Killable> {
  const flags = ['--headless', ...chromiumFlags, `--user-data-dir=${folder}`, '--remote-debugging-port=0'];
  const child = spawn(browserPath ?? '', [...flags, 'about:blank'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const browser = await chromium.connectOverCDP(await debuggingUrl(child));
  const [context] = browser.contexts();
  await context!.addInitScript('delete window.showOpenFilePicker');
  const page = await context!.newPage();
  page.setDefaultTimeout(120_000);
  return {
    page,
    async kill() {
      const ended = once(child, 'exit');
      process.kill(-child.pid!, 'SIGKILL');
      await ended;
    },
  };
}

async function debuggingUrl(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stderr! })) {
    const url = /^DevTools listening on (\S+)/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('Chromium has ended');
}

async function choose(page: Page, file: typeof done): Promise<void> {
  const button = page.getByRole('button', { name: 'Choose files' });
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()]);
  await chooser.setFiles(file);
}

/** One file arrives, and one chunk of another. */
async function sendHalf(page: Page, uploads: string): Promise<void> {
  await choose(page, done);
  await page.getByText('done.txt').waitFor();
  await page.getByText('ready').first().waitFor();
  let count = 0;
  const first = Promise.withResolvers<void>();
  await page.route(uploads, async (route) => {
    if (count++ > 0) return;
    await route.continue();
    first.resolve();
  });
  await choose(page, half);
  await first.promise;
  await page.getByText('half.txt').waitFor();
}

describe('a browser that was killed during an upload', { skip: skipWithoutBrowser }, () => {
  const mailbox = openMailbox();
  let app: TestApp;
  let alice: ApiClient;
  before(async () => {
    const environment = { ...mailbox.options.environment, WAYBILL_CHUNK_SIZE: '64KiB' };
    app = await startTestApp(engines[0]!, { ...mailbox.options, environment });
    alice = await app.person('alice', { password });
  });
  after(() => app?.close());

  async function reopenAfterKill(context: TestContext, work: (page: Page) => Promise<void>): Promise<Page> {
    const folder = await mkdtemp(join(tmpdir(), 'waybill-profile-'));
    const first = await openProfile(folder);
    try {
      await work(first.page);
    } finally {
      await first.kill();
    }
    const second = await openProfile(folder);
    context.after(async () => {
      await second.kill();
      await rm(folder, { recursive: true, force: true });
    });
    return second.page;
  }

  it('offers typed text and finished files of a request again', async (context) => {
    const { body } = await alice.expect(200, 'createFileRequest', {
      body: { request: { recipient: 'ben@harbour.example', subject: 'Plans', send_email: false } },
    });
    const { url } = (body as { request: { url: string } }).request;
    const page = await reopenAfterKill(context, async (opened) => {
      await opened.goto(url);
      await opened.getByRole('textbox').first().fill('Here they are');
      await sendHalf(opened, '**/attachments/upload*');
    });
    await page.goto(url);
    await page.getByText('This is what you added before.').waitFor();
    assert.equal(await page.getByRole('textbox').first().inputValue(), 'Here they are');
    await page.locator('#upload-list').getByText('done.txt').waitFor();
    await page.locator('[data-missing-list]').getByText('half.txt').waitFor();
  });

  it('offers and delivers what was added to a drop page, also without the cookie of the page', async (context) => {
    const { body } = await alice.expect(200, 'getAccount');
    const url = (body as { user: { filedrop_url: string } }).user.filedrop_url;
    const page = await reopenAfterKill(context, async (opened) => {
      await opened.goto(url);
      await opened.getByLabel('Subject').fill('Photos of the site');
      await sendHalf(opened, '**/keys/*/upload*');
    });
    await page.context().clearCookies();
    await page.goto(url);
    await page.getByText('This is what you added before.').waitFor();
    assert.equal(await page.getByLabel('Subject').inputValue(), 'Photos of the site');
    await page.locator('#upload-list').getByText('done.txt').waitFor();
    await page.getByRole('button', { name: 'Leave out' }).click();
    await page.getByLabel('Your e-mail').fill('ben@harbour.example');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.waitForURL(/verify|delivered/);
  });

  it('offers the message of a sender again', async (context) => {
    const signIn = async (page: Page) => {
      await page.goto(`${app.url}/sign-in?to=/app/send`);
      if (!page.url().includes('/sign-in')) return;
      await page.fill('[name=email]', alice.email);
      await page.fill('[name=password]', password);
      await page.keyboard.press('Enter');
      await page.getByLabel('Subject').waitFor();
    };
    const page = await reopenAfterKill(context, async (opened) => {
      await signIn(opened);
      await opened.getByLabel('Subject').fill('The whole model');
      await sendHalf(opened, '**/attachments/upload*');
    });
    await signIn(page);
    await page.getByText('You have an unfinished message from').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    assert.equal(await page.getByLabel('Subject').inputValue(), 'The whole model');
    await page.getByText('done.txt').waitFor();
    await page.getByText('half.txt').first().waitFor();
  });
});
