import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { confirmAddressSamples } from '#test/pages/confirm-address-samples.ts';
import { sampleDelivered, sampleDrop, sampleRequest } from '#test/pages/delivery-samples.ts';
import { loadPages } from '../load.ts';
import { launchBrowser, openVisit, reuseVisits, skipWithoutBrowser, type Visit } from './browser.fixture.ts';
import { type PageServer, startPageServer } from './page-server.fixture.ts';

const kib = 1024;
const upload = { ...sampleRequest.upload, url: '/upload', stateUrl: '/uploads/{id}', chunkSizeBytes: 100 * kib };

const pages = {
  '/request': { ...sampleRequest, form: { action: '/request', csrf: 'c' }, upload },
  '/drop': { ...sampleDrop, form: { action: '/drop', csrf: 'c' }, upload },
  '/done': sampleDelivered,
  '/wait': confirmAddressSamples['confirm-address, enough codes']!,
};

function fileOf(name: string, sizeBytes: number) {
  return { name, mimeType: 'text/plain', buffer: Buffer.alloc(sizeBytes, name) };
}

async function choose(page: Page, ...files: ReturnType<typeof fileOf>[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ]);
  await chooser.setFiles(files);
}

/** A chosen file gets the current time, so a file with an earlier time is dropped. */
async function dropFile(page: Page, name: string, size: number, modifiedAt: number): Promise<void> {
  await page.evaluate(
    ([fileName, sizeBytes, lastModified]) => {
      const files = new DataTransfer();
      const bytes = new Uint8Array(sizeBytes).map((_, at) => fileName.charCodeAt(at % fileName.length));
      files.items.add(new File([bytes], fileName, { type: 'text/plain', lastModified }));
      dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true }));
    },
    [name, size, modifiedAt] as const,
  );
}

async function dropHalfClosedFolder(page: Page): Promise<void> {
  await page.evaluate(() => {
    const fail = (_: unknown, refuse: () => void) => refuse();
    const fileEntry = (name: string, file: unknown) => ({ isFile: true, name, fullPath: `/plans/${name}`, file });
    const folderEntry = (fullPath: string, readEntries: unknown) => ({
      isFile: false,
      name: fullPath.slice(1),
      fullPath,
      createReader: () => ({ readEntries }),
    });
    const open = fileEntry('open.txt', (take: (file: File) => void) => take(new File(['0123456789'], 'open.txt')));
    const inner = [open, fileEntry('closed.txt', fail), folderEntry('/plans/locked', fail)];
    const folder = folderEntry('/plans', (take: (found: unknown[]) => void) => take(inner.splice(0)));
    const event = new DragEvent('drop', { bubbles: true });
    const item = { kind: 'file', webkitGetAsEntry: () => folder, getAsFile: () => null };
    Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'], items: [item] } });
    dispatchEvent(event);
  });
}

/** Delays answers until `release`. */
function gate(server: PageServer, only: string): () => void {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  server.hold = (name, chunk) => (`${name}:${chunk}` === only ? until : Promise.resolve());
  return () => release();
}

describe('uploading from a page', { skip: skipWithoutBrowser }, () => {
  let browser: Browser;
  let server: PageServer;
  let openReused: ReturnType<typeof reuseVisits>;
  before(async () => {
    browser = await launchBrowser();
    server = await startPageServer(await loadPages(), pages);
    openReused = reuseVisits(browser, server.origin);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  beforeEach(() => {
    server.chunks.length = 0;
    server.forms.length = 0;
    server.uploads.clear();
    server.hold = null;
    server.refuseForm = null;
  });

  async function visit(
    path: string,
    steps: (visit: Visit) => Promise<void>,
    options?: BrowserContextOptions,
  ): Promise<void> {
    const opened = options ? await openAlone(options) : await openReused();
    try {
      await opened.page.goto(server.origin + path);
      await steps(opened);
      assert.deepEqual(opened.complaints, []);
    } finally {
      await opened.close();
    }
  }

  /** For another size, time zone, or no script. */
  async function openAlone(options: BrowserContextOptions) {
    const opened = await openVisit(browser, server.origin, options);
    return { ...opened, close: () => opened.context.close() };
  }

  it('says what is missing when nothing was added, and sends nothing', () =>
    visit('/request', async ({ page }) => {
      await page.getByRole('button', { name: 'Send to Alice Smith' }).click();
      await page.getByText('Add at least one file.').first().waitFor();
      assert.equal(await page.locator('#announcer-urgent').textContent(), 'Add at least one file.');
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Choose files');
      assert.equal(server.forms.length, 0);
    }));

  it('refuses forbidden files before a byte is sent, with the reason', () =>
    visit('/request', async ({ page }) => {
      await choose(page, fileOf('setup.exe', 10), fileOf('empty.txt', 0));
      await page.locator('.upload-list .row').nth(1).waitFor();
      assert.match(
        (await page.locator('#announcer-urgent').textContent()) ?? '',
        /^setup\.exe was not added\. \.exe files can’t be sent here\..* empty\.txt was not added\. It is empty\.$/,
      );
      assert.deepEqual(server.chunks, []);
    }));

  it('folds twenty files and more, keeps refused ones visible, and removes all after a confirmation', () =>
    visit(
      '/request',
      async ({ page }) => {
        const rows = page.locator('.upload-list .row:visible');
        await choose(page, ...Array.from({ length: 19 }, (_, n) => fileOf(`sheet-${n}.txt`, 1 * kib)));
        await rows.nth(18).waitFor();
        assert.equal(await page.getByRole('button', { name: 'Remove all' }).isVisible(), false);
        const release = gate(server, 'large.txt:0');
        await choose(page, fileOf('large.txt', 1 * kib), fileOf('setup.exe', 10));
        await page.getByText('21 files · 20 KB').waitFor();
        await page.getByText('setup.exe', { exact: true }).waitFor();
        assert.equal(await rows.count(), 1);
        await page.getByRole('button', { name: 'Show all files' }).click();
        assert.equal(await rows.count(), 21);
        await rows.nth(5).scrollIntoViewIfNeeded();
        const total = (await page.getByRole('button', { name: 'Pause all' }).boundingBox())!;
        assert.ok(total.y + total.height <= 600, `the total is in sight, at ${total.y}`);
        await page.getByRole('button', { name: 'Remove all' }).click();
        await page.getByRole('heading', { name: 'Remove all 21 files?' }).waitFor();
        await page.keyboard.press('Escape');
        assert.equal(await rows.count(), 21);
        await page.getByRole('button', { name: 'Remove all' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Remove all' }).click();
        assert.equal(await rows.count(), 0);
        assert.equal(await page.locator('#announcer').textContent(), 'All files removed.');
        assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Choose files');
        release();
        await page.reload();
        await page.getByRole('button', { name: 'Choose files' }).waitFor();
        assert.equal(await page.getByText('This is what you added before').isVisible(), false);
      },
      { viewport: { width: 1_000, height: 600 } },
    ));

  it('shows every state of a file with an icon and a word', () =>
    visit('/request', async ({ page }) => {
      const iconOf = (name: string) => page.locator('.row', { hasText: name }).locator('[data-icon]:visible');
      await choose(page, fileOf('setup.exe', 10), fileOf('one.txt', 10));
      await page.getByText('10 B · ready').waitFor();
      assert.equal(await iconOf('one.txt').getAttribute('data-icon'), 'ready');
      assert.equal(await iconOf('setup.exe').getAttribute('data-icon'), 'bad');
      const release = gate(server, 'slow.txt:0');
      await choose(page, fileOf('slow.txt', 300 * kib));
      await page.getByRole('button', { name: 'Pause slow.txt' }).click();
      await iconOf('slow.txt').waitFor();
      assert.equal(await iconOf('slow.txt').getAttribute('data-icon'), 'paused');
      release();
    }));

  it('shows a hostile name as text', () =>
    visit('/request', async ({ page }) => {
      await choose(page, fileOf('<img src=x onerror=alert(1)>\u202Efdp.exe.txt', 10));
      await page.getByText('10 B · ready').waitFor();
      assert.equal(await page.locator('.upload-list img').count(), 0);
      assert.equal(await page.locator('.upload-list .mark').textContent(), 'U+202E');
    }));

  it('sends files as they are added, then the form with their ids, and follows its redirect', () =>
    visit('/request', async ({ page }) => {
      await choose(page, fileOf('one.txt', 250 * kib), fileOf('two.txt', 10));
      await page.getByText('250 KB · ready').waitFor();
      await page.getByText('10 B · ready').waitFor();
      assert.equal(await page.locator('#announcer').textContent(), 'All files are ready.');
      await page.getByLabel('Note to Alice Smith').fill('Here & there');
      await page.getByRole('button', { name: 'Send to Alice Smith' }).click();
      await page.getByRole('heading', { name: 'Delivered' }).waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Delivered');
      const [form] = server.forms;
      assert.equal(form?.type, 'application/x-www-form-urlencoded;charset=UTF-8');
      const ids = [...server.uploads].map(([id, { name }]) => [name, `attachment-${id}`]);
      const expected = ['one.txt', 'two.txt'].map((name) => ids.find(([known]) => known === name)?.[1]);
      assert.deepEqual(
        [...new URLSearchParams(form?.body)],
        [
          ['csrf', 'c'],
          ['note', 'Here & there'],
          ['attachments', expected[0]],
          ['attachments', expected[1]],
        ],
      );
      assert.equal(await page.evaluate(() => localStorage.length), 0);
    }));

  it('queues a click on Send until everything has arrived, shows it, and lets it be undone', () =>
    visit('/request', async ({ page }) => {
      const release = gate(server, 'one.txt:1');
      await choose(page, fileOf('one.txt', 250 * kib));
      const send = page.getByRole('button', { name: 'Send to Alice Smith' });
      await send.click();
      await page.locator('[data-pending-text]', { hasText: 'Everything will be sent as soon as' }).waitFor();
      assert.equal(await send.isVisible(), false);
      await page.getByRole('button', { name: 'Don’t send yet' }).click();
      assert.equal(await page.locator('#announcer').textContent(), 'Not sent. Everything is still here.');
      await send.click();
      assert.match(await page.title(), /^\d+% · Alice Smith asks you for files/);
      assert.equal(server.forms.length, 0);
      release();
      await page.getByRole('heading', { name: 'Delivered' }).waitFor();
      assert.equal(server.forms.length, 1);
    }));

  it('pauses and continues', () =>
    visit('/request', async ({ page }) => {
      const release = gate(server, 'one.txt:1');
      await choose(page, fileOf('one.txt', 250 * kib));
      await page.getByRole('button', { name: 'Pause all' }).click();
      await page.getByText('· paused').waitFor();
      assert.equal(await page.locator('#announcer').textContent(), 'Sending paused.');
      release();
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await page.getByText('250 KB · ready').waitFor();
    }));

  it('waits while offline and continues automatically', () =>
    visit('/request', async ({ page, context }) => {
      const release = gate(server, 'one.txt:1');
      await choose(page, fileOf('one.txt', 250 * kib));
      await page.getByText(' of 250 KB').first().waitFor();
      await context.setOffline(true);
      await page.getByText('You’re offline. Sending continues automatically').waitFor();
      assert.equal(await page.locator('#announcer').textContent(), 'Offline. Sending is paused.');
      release();
      await context.setOffline(false);
      await page.getByText('250 KB · ready').waitFor();
      assert.equal(await page.getByText('You’re offline.').isVisible(), false);
    }));

  it('restores everything after a reload: text, files that arrived, files that did not', () =>
    visit('/request', async ({ page }) => {
      gate(server, 'one.txt:2');
      page.on('dialog', (dialog) => void dialog.accept());
      await page.getByLabel('Note to Alice Smith').fill('Two of three');
      await choose(page, fileOf('one.txt', 450 * kib), fileOf('two.txt', 10));
      await page.getByText('10 B · ready').waitFor();
      // Saved state counts arrived chunks only.
      await page.waitForFunction(() => {
        const saved: { upload?: { nextPiece: number } }[] = JSON.parse(
          localStorage.getItem('waybill:upload:/request') ?? '[]',
        );
        return saved.some((one) => one.upload?.nextPiece === 2);
      });
      server.hold = null;
      await page.reload();
      await page.getByText('This is what you added before. Nothing has been sent yet.').waitFor();
      assert.equal(await page.getByLabel('Note to Alice Smith').inputValue(), 'Two of three');
      assert.deepEqual(await page.locator('.upload-list [data-state]').allTextContents(), ['10 B · ready']);
      await page.getByText('Choose this file again to continue:').waitFor();
      assert.deepEqual(await page.locator('[data-missing-list] li').allTextContents(), ['one.txt (44% has arrived)']);
      await page.getByRole('button', { name: 'Send to Alice Smith' }).click();
      await page.getByText('Choose the missing files again, or leave them out.').first().waitFor();
      assert.equal(server.forms.length, 0, 'nothing is left out silently');
      const modifiedAt = await page.evaluate(() => {
        const saved = JSON.parse(localStorage.getItem('waybill:upload:/request') ?? '[]');
        return saved.find((one: { is: string }) => one.is === 'under-way').upload.modifiedAt as number;
      });
      server.chunks.length = 0;
      const opening = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Choose again' }).click();
      await opening;
      await dropFile(page, 'one.txt', 450 * kib, modifiedAt);
      await page.getByText('450 KB · ready').waitFor();
      assert.equal(await page.getByText('Choose this file again').isVisible(), false);
      assert.deepEqual(server.chunks, ['one.txt:2', 'one.txt:3', 'one.txt:4']);
      await page.getByRole('button', { name: 'Send to Alice Smith' }).click();
      await page.getByRole('heading', { name: 'Delivered' }).waitFor();
      const form = new URLSearchParams(server.forms[0]?.body);
      assert.equal(form.getAll('attachments').length, 2);
      assert.equal(form.get('note'), 'Two of three');
      assert.equal(await page.evaluate(() => localStorage.length), 0);
    }));

  it('asks again after a crash for a file of which nothing had arrived, and forgets it on request', () =>
    visit('/request', async ({ page }) => {
      const release = gate(server, 'one.txt:0');
      page.on('dialog', (dialog) => void dialog.accept());
      await choose(page, fileOf('one.txt', 450 * kib));
      await page.locator('.upload-list .row').waitFor();
      await page.reload();
      await page.getByText('This is what you added before.').waitFor();
      assert.deepEqual(await page.locator('[data-missing-list] li').allTextContents(), ['one.txt']);
      await page.getByRole('button', { name: 'Start over' }).click();
      release();
      await page.reload();
      assert.equal(await page.getByText('This is what you added before.').isVisible(), false);
    }));

  it('keeps a queued Send while the server is unreachable, and sends it when it is back', () =>
    visit('/drop', async ({ page }) => {
      let attempts = 0;
      server.refuseForm = () => {
        attempts += 1;
        return 'lost';
      };
      await page.getByLabel('Your e-mail address').fill('ben@harbour.example');
      await page.getByLabel('Subject').fill('Offer');
      await choose(page, fileOf('one.txt', 10));
      await page.getByText('10 B · ready').waitFor();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('The server can’t be reached right now.').waitFor();
      assert.ok(attempts >= 1);
      assert.equal(await page.getByLabel('Subject').inputValue(), 'Offer');
      assert.ok((await page.evaluate(() => localStorage.length)) > 0, 'nothing is forgotten before it is through');
      server.refuseForm = null;
      await page.getByRole('heading', { name: 'Delivered' }).waitFor();
      assert.equal(await page.evaluate(() => localStorage.length), 0);
    }));

  it("shows the server's errors at each field, and keeps everything", () =>
    visit('/drop', async ({ page, complaints }) => {
      const problems = [
        { field: 'email', reason: 'invalid' } as const,
        { field: 'files', sentence: 'Too late.' } as const,
      ];
      server.refuseForm = () => ({ status: 422, page: { ...pages['/drop'], problems } });
      await page.getByLabel('Your e-mail address').fill('ben');
      await page.getByLabel('Subject').fill('Offer');
      await choose(page, fileOf('one.txt', 10));
      await page.getByText('10 B · ready').waitFor();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('Enter an e-mail address like name@example.com.').waitFor();
      await page.locator('[data-problems]', { hasText: 'Too late.' }).waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.id), 'email');
      assert.equal(await page.getByLabel('Your e-mail address').inputValue(), 'ben');
      await page.getByText('10 B · ready').waitFor();
      server.refuseForm = null;
      await page.getByLabel('Your e-mail address').fill('ben@harbour.example');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByRole('heading', { name: 'Delivered' }).waitFor();
      assert.equal(new URLSearchParams(server.forms[1]?.body).get('subject'), 'Offer');
      complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('status of 422')));
    }));

  it('names the empty address together with the missing file', () =>
    visit('/drop', async ({ page, complaints }) => {
      const problems = [{ field: 'email', reason: 'missing' } as const, { field: 'files', reason: 'missing' } as const];
      server.refuseForm = () => ({ status: 422, page: { ...pages['/drop'], problems } });
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('Enter your e-mail address.').first().waitFor();
      await page.locator('[data-problems]', { hasText: 'Add at least one file.' }).waitFor();
      complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('status of 422')));
    }));

  it('does not take a returned form for a delivery, as with blocked cookies, and keeps everything', () =>
    visit('/drop', async ({ page }) => {
      server.refuseForm = () => ({ location: '/drop' });
      await page.getByLabel('Subject').fill('Offer');
      await choose(page, fileOf('one.txt', 10));
      await page.getByText('10 B · ready').waitFor();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.locator('[data-problems]', { hasText: 'That could not be sent.' }).waitFor();
      assert.equal(await page.getByLabel('Subject').inputValue(), 'Offer');
      await page.getByText('10 B · ready').waitFor();
      assert.ok((await page.evaluate(() => localStorage.length)) > 0, 'nothing is forgotten');
    }));

  it("follows the server's redirect even when the code has to wait there", () =>
    visit('/drop', async ({ page, complaints }) => {
      server.refuseForm = () => ({ location: '/wait' });
      await choose(page, fileOf('one.txt', 10));
      await page.getByText('10 B · ready').waitFor();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('Enough codes were requested for now.').waitFor();
      assert.equal(server.forms.length, 1);
      complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('status of 429')));
    }));

  it('lets Send be undone while the form is in flight', () =>
    visit('/request', async ({ page }) => {
      await choose(page, fileOf('one.txt', 10));
      await page.getByText('10 B · ready').waitFor();
      const release = gate(server, 'form:0');
      const send = page.getByRole('button', { name: 'Send to Alice Smith' });
      await Promise.all([page.waitForRequest((request) => request.method() === 'POST'), send.click()]);
      await page.getByRole('button', { name: 'Don’t send yet' }).click();
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
      assert.equal(await page.getByText('The server can’t be reached right now.').isVisible(), false);
      release();
      await send.click();
      await page.getByRole('heading', { name: 'Delivered' }).waitFor();
    }));

  it('sends nothing when everything is removed after the click on Send', () =>
    visit('/request', async ({ page }) => {
      const send = page.getByRole('button', { name: 'Send to Alice Smith' });
      const first = gate(server, 'slow.txt:0');
      await choose(page, fileOf('slow.txt', 10), ...Array.from({ length: 19 }, (_, n) => fileOf(`${n}.txt`, 10)));
      await page.waitForFunction(() => document.querySelectorAll('.upload-list .state-good').length === 19);
      await send.click();
      await page.getByRole('button', { name: 'Remove all' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove all' }).click();
      await send.waitFor();
      first();
      // Only the next form may arrive.
      await choose(page, fileOf('other.txt', 10));
      await page.getByText('10 B · ready').waitFor();
      await send.click();
      await page.getByRole('heading', { name: 'Delivered' }).waitFor();
      assert.equal(server.forms.length, 1);
      assert.equal(new URLSearchParams(server.forms[0]?.body).getAll('attachments').length, 1);
    }));

  it('sends nothing of an earlier visit that is discarded while the server is unreachable', () =>
    visit('/request', async ({ page }) => {
      await choose(page, fileOf('one.txt', 10));
      await page.getByText('10 B · ready').waitFor();
      await page.reload();
      server.refuseForm = () => 'lost';
      const send = page.getByRole('button', { name: 'Send to Alice Smith' });
      await send.click();
      await page.getByText('The server can’t be reached right now.').waitFor();
      await page.getByRole('button', { name: 'Start over' }).click();
      await send.waitFor();
    }));

  it('sends the current list, also when it changes while the server is unreachable', () =>
    visit('/drop', async ({ page }) => {
      const sent = () => new URLSearchParams(server.forms.at(-1)?.body).getAll('attachments');
      const idOf = (name: string) => `attachment-${[...server.uploads].find(([, file]) => file.name === name)?.[0]}`;
      server.refuseForm = () => 'lost';
      await page.getByLabel('Subject').fill('Offer');
      await choose(page, fileOf('one.txt', 10), fileOf('wrong.txt', 10));
      await page.getByText('10 B · ready').nth(1).waitFor();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('The server can’t be reached right now.').waitFor();
      assert.equal(await page.getByLabel('Subject').isEditable(), false, 'what was typed goes out as it is');
      const release = gate(server, 'two.txt:0');
      await page.getByRole('button', { name: 'Remove wrong.txt' }).click();
      await choose(page, fileOf('two.txt', 10));
      await page.locator('[data-pending-text]', { hasText: 'Everything will be sent as soon as' }).waitFor();
      server.refuseForm = null;
      release();
      await page.getByRole('heading', { name: 'Delivered' }).waitFor();
      assert.deepEqual(sent(), [idOf('one.txt'), idOf('two.txt')]);
    }));

  it('says that a drop page with an expired key must be reloaded, and restores everything', () =>
    visit('/drop', async ({ page, complaints }) => {
      page.on('dialog', (dialog) => void dialog.accept());
      const isUpload = (url: URL) => url.pathname === '/upload';
      await page.route(isUpload, (route) => route.fulfill({ status: 401, json: { errors: ['Used.'] } }));
      await page.getByLabel('Subject').fill('Offer');
      await choose(page, fileOf('one.txt', 10));
      const notice = page.locator('[data-trouble]');
      await notice.getByText('This page can’t take files any more').waitFor();
      assert.equal(await notice.getByRole('button').isVisible(), false, 'going on would lead nowhere');
      await page.unroute(isUpload);
      await page.reload();
      await page.getByText('This is what you added before.').waitFor();
      assert.equal(await page.getByLabel('Subject').inputValue(), 'Offer');
      assert.deepEqual(await page.locator('[data-missing-list] li').allTextContents(), ['one.txt']);
      complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('status of 401')));
    }));

  it('restores a file after a reload that failed and then arrived', () =>
    visit('/request', async ({ page, complaints }) => {
      const isUpload = (url: URL) => url.pathname === '/upload';
      await page.route(isUpload, (route) => route.fulfill({ status: 404, json: { errors: ['Nothing here.'] } }));
      await choose(page, fileOf('one.txt', 10));
      await page.getByText('Nothing here.').waitFor();
      await page.unroute(isUpload);
      await page.getByRole('button', { name: 'Continue one.txt' }).click();
      await page.getByText('10 B · ready').waitFor();
      await page.reload();
      await page.getByText('This is what you added before.').waitFor();
      await page.getByText('10 B · ready').waitFor();
      complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('status of 404')));
    }));

  it('names unreadable parts of a dropped folder, and sends the rest once Send is clicked', () =>
    visit('/request', async ({ page }) => {
      await dropHalfClosedFolder(page);
      await page.getByText('10 B · ready').waitFor();
      for (const name of ['plans/closed.txt', 'plans/locked']) {
        const row = page.getByRole('listitem').filter({ hasText: name });
        await row.getByText('Your browser can’t read this').waitFor();
      }
      await page.locator('[data-send]').click();
      await page.waitForURL('**/done');
    }));

  it('is complete without script: one multipart form', () =>
    visit(
      '/drop',
      async ({ page }) => {
        await page.getByLabel('Choose files').setInputFiles([fileOf('one.txt', 5), fileOf('two.txt', 5)]);
        await page.getByLabel('More files, from another folder').setInputFiles([fileOf('three.txt', 5)]);
        await page.getByLabel('Your e-mail address').fill('ben@harbour.example');
        await page.getByLabel('Subject').fill('Offer');
        await page.getByRole('button', { name: 'Send', exact: true }).click();
        await page.getByRole('heading', { name: 'Delivered' }).waitFor();
        const [form] = server.forms;
        assert.match(form?.type ?? '', /^multipart\/form-data/);
        const names = [...(form?.body.matchAll(/ name="(\w+)"(?:; filename="([^"]*)")?/g) ?? [])];
        assert.deepEqual(
          names.map(([, name, file]) => (file === undefined ? name : `${name}=${file}`)),
          [
            'csrf',
            'files=one.txt',
            'files=two.txt',
            'files=three.txt',
            'files=',
            'email',
            'name',
            'subject',
            'message',
          ],
        );
      },
      { javaScriptEnabled: false },
    ));
});
