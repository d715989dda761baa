import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sentMessageAnswer } from '#contract/app/messages.ts';
import { eventually } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { wireForm } from '#test/kit/wire-form.ts';
import { type AppFixture, type AppVisit, skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const chunkBytes = 64 * 1024;
const uploads = '**/attachments/upload**';

describe('an upload whose file the browser can read again', { skip: skipWithoutBrowser }, () => {
  const mailbox = openMailbox();
  const fixture = useAppFixture({ ...mailbox.options, environment: { WAYBILL_CHUNK_SIZE: '64KiB' } });
  let folder: string;
  let path: string;
  const content = Buffer.alloc(2 * chunkBytes, 'waybill ');
  const savedAt = new Date('2026-03-01T10:00:00Z');
  const write = () => {
    writeFileSync(path, content);
    utimesSync(path, savedAt, savedAt);
  };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'waybill-handles-'));
    path = join(folder, 'model.zip');
    content.writeUInt8(1, chunkBytes);
    write();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('names the reason while the file may not be read, has changed or is gone; then one click continues it', async () => {
    const visit = await openCutOff(fixture, '/send', (page) => drop(page, path));
    const { page } = visit;
    await answerPermission(page, 'denied');
    await clickContinue(page);
    await page.getByText('Your browser was not allowed to read it. Choose it again to continue at 50%.').waitFor();
    await page.getByRole('button', { name: 'Choose again: model.zip' }).waitFor();
    await visit.assertAccessible();

    await answerPermission(page, null);
    appendFileSync(path, 'more');
    await clickContinue(page);
    await page.getByText('It has changed since then. Choose it again to upload it from the start.').waitFor();

    rmSync(path);
    await clickContinue(page);
    await page.getByText('It is no longer where it was. Choose it again to continue at 50%.').waitFor();

    write();
    const chunks = await release(page);
    await clickContinue(page);
    await page.getByText('· ready').waitFor();
    assert.equal(chunks.length, 1, 'the chunk that had arrived is not sent again');
    await page.getByRole('combobox', { name: 'To' }).fill('ben@harbour.example');
    await page.getByLabel('Subject').fill('The model');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sent to 1 person' }).waitFor();
    const id = new URL(page.url()).searchParams.get('sent') ?? '';
    const { body } = await fixture.people.alice.expect(200, 'getSentMessage', { params: { id } });
    const [file] = wireForm(sentMessageAnswer, body).message.files;
    assert.equal(file?.sha256, createHash('sha256').update(content).digest('hex'));
    await eventually('no handle is kept of a message that was sent', async () => (await handleCount(page)) === 0);
    await visit.close();
  });

  it('continues before its first chunk has arrived, and is deleted when the user signs out', async () => {
    const small = join(folder, 'note.txt');
    writeFileSync(small, 'a few words');
    const visit = await openCutOff(fixture, '/send', (page) => drop(page, small), 0);
    const { page } = visit;
    await clickContinue(page);
    await page.getByRole('button', { name: 'Pause note.txt' }).waitFor();
    await page.getByRole('button', { name: /^Account menu/ }).click();
    page.once('dialog', (leaving) => void leaving.accept());
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(/sign-/);
    assert.equal(await handleCount(page), 0);
    await visit.close();
  });

  it('continues on New link for a chosen file, where a refusal is shown as well', async () => {
    const visit = await openCutOff(fixture, '/links?new=1', chooseStored);
    const { page } = visit;
    await answerPermission(page, 'denied');
    await clickContinue(page);
    await page.getByText('Your browser was not allowed to read it. Choose it again to continue at 50%.').waitFor();
    await visit.assertAccessible();
    await answerPermission(page, null);
    await release(page);
    await clickContinue(page);
    await page.getByText('· ready').waitFor();
    await visit.close();
  });
});

type Add = (page: Page) => Promise<void>;

/** After `arrived` chunks the rest is blocked. */
async function openCutOff(fixture: AppFixture, path: string, add: Add, arrived = 1): Promise<AppVisit> {
  const visit = await fixture.open(path);
  const { page } = visit;
  let count = 0;
  const isCut = Promise.withResolvers<void>();
  await page.route(uploads, async (route) => {
    count += 1;
    if (count <= arrived) await route.continue();
    else isCut.resolve();
  });
  await add(page);
  await isCut.promise;
  await eventually('the handle is kept', async () => (await handleCount(page)) === 1);
  return visit;
}

/** Returns the URLs of the requests. */
async function release(page: Page): Promise<string[]> {
  await page.unroute(uploads);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/attachments/upload')) sent.push(request.url());
  });
  return sent;
}

async function clickContinue(page: Page): Promise<void> {
  await page.reload();
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
}

/** The test browser would grant everything. */
async function answerPermission(page: Page, answer: PermissionState | null): Promise<void> {
  await page.evaluate((stored) => sessionStorage.setItem('answer', stored ?? ''), answer);
  await page.addInitScript(() => {
    const stored = sessionStorage.getItem('answer');
    if (stored) Object.defineProperty(FileSystemHandle.prototype, 'requestPermission', { value: async () => stored });
  });
}

/** Replaces the file dialog, which belongs to the system. */
async function chooseStored(page: Page): Promise<void> {
  await page.evaluate(async (sizeBytes) => {
    const folder = await navigator.storage.getDirectory();
    const handle = await folder.getFileHandle('model.zip', { create: true });
    const writing = await handle.createWritable();
    await writing.write(new Uint8Array(sizeBytes));
    await writing.close();
    Object.assign(window, { showOpenFilePicker: async () => [handle] });
  }, 2 * chunkBytes);
  await page.getByRole('button', { name: 'Choose files' }).click();
}

/** A real drop: the browser creates the handle. */
async function drop(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data });
  await drag('dragEnter');
  await drag('dragOver');
  // The browser asks the overlay whether it accepts files.
  await page.getByText('Drop to add').waitFor();
  const isOver = page.evaluate(
    () => new Promise<boolean>((resolve) => addEventListener('dragover', () => resolve(true), { once: true })),
  );
  await eventually('the overlay takes files', async () => {
    await drag('dragOver');
    return await Promise.race([isOver, Promise.resolve(false)]);
  });
  await drag('drop');
  await session.detach();
}

function handleCount(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open('waybill', 1);
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const listing = opening.result.transaction('handles').objectStore('handles').getAllKeys();
          listing.onsuccess = () => {
            opening.result.close();
            resolve(listing.result.filter((key) => String(key).includes('\n')).length);
          };
        };
      }),
  );
}
