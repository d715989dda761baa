import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sentMessageAnswer } from '#contract/app/messages.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { wireForm } from '#test/kit/wire-form.ts';
import { type AppFixture, skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const mebibyte = 1024 * 1024;
/** Enough chunks for two interruptions. */
const fileMebibytes = 20;
const chunkMebibytes = 1;
const chunkCount = Math.ceil(fileMebibytes / chunkMebibytes);

describe('sending twenty chunks over an unstable connection', { skip: skipWithoutBrowser }, () => {
  const mailbox = openMailbox();
  const fixture = useAppFixture(
    { ...mailbox.options, environment: { ...mailbox.options.environment, WAYBILL_CHUNK_SIZE: `${chunkMebibytes}MiB` } },
    { isOptimising: true },
  );
  let folder: string;
  let path: string;
  let sha256: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'waybill-resume-'));
    path = join(folder, 'model.zip');
    sha256 = writeLargeFile(path);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('continues after a lost connection and after a closed tab, and nothing arrives twice', async () => {
    const visit = await fixture.open('/send');
    const first = visit.page;
    const chunks = countChunks(first);
    const permit = await limitChunks(first);
    await first.getByRole('combobox', { name: 'To' }).fill('ben@harbour.example');
    await first.getByLabel('Subject').fill('The whole model');
    await choose(first, 'Choose files', path);

    // The connection is lost with chunks in flight.
    await permit(5);
    await chunks.reach(5);
    await visit.setOffline(true);
    await permit(chunkCount);
    await first.getByText('You’re offline. We’ll continue').waitFor();
    const notice = first.getByRole('main').getByText(/offline/i);
    assert.equal(await notice.count(), 1, 'it is said once');
    await first.getByText('waiting for the connection').waitFor();
    const atCut = chunks.count();
    assert.ok(atCut < chunkCount, 'the connection was lost before the end');
    assert.equal(await first.getByRole('button', { name: 'Send when upload finishes' }).count(), 1);
    await permit(4);
    await visit.setOffline(false);
    await chunks.reach(atCut + 4);

    await first.close();
    const page = await first.context().newPage();
    page.setDefaultTimeout(120_000);
    const rest = countChunks(page);
    await page.goto(`${fixture.app.url}/app/send`);
    await page.getByText('You have an unfinished message from').waitFor();
    await page.getByText('1 file was not finished.').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    assert.equal(await page.getByLabel('Subject').inputValue(), 'The whole model');
    await page.getByRole('button', { name: 'Remove ben@harbour.example' }).waitFor();
    const percent = /continue at (\d+)%/.exec(await page.getByText('Choose it again to continue at').innerText())?.[1];
    assert.ok(Number(percent) >= Math.floor(((atCut + 3) / chunkCount) * 100), `kept ${percent}%`);

    // Holds the rest until the message was submitted.
    const permitRest = await limitChunks(page);
    await choose(page, 'Choose again: model.zip', path);
    await page.getByRole('button', { name: 'Send when upload finishes' }).click();
    await page.getByText('Will be sent automatically when the last file is ready.').waitFor();
    await permitRest(chunkCount);
    await page.getByRole('heading', { level: 1, name: 'Sent to 1 person' }).waitFor({ timeout: 200_000 });

    const sentChunks = chunks.count() + rest.count();
    assert.ok(rest.count() < chunkCount - atCut, `${rest.count()} chunks after the tab was closed`);
    assert.ok(sentChunks <= chunkCount + 1, `${sentChunks} chunks for a file of ${chunkCount}`);
    const id = new URL(page.url()).searchParams.get('sent') ?? '';
    const { body } = await fixture.people.alice.expect(200, 'getSentMessage', { params: { id } });
    const [file] = wireForm(sentMessageAnswer, body).message.files;
    assert.equal(file?.size, fileMebibytes * mebibyte);
    assert.equal(file?.sha256, sha256);
    assert.equal(await hashOfStored(fixture, id), sha256, 'what a person downloads is what was chosen');
    assert.deepEqual(await page.evaluate(storedUploads), [], 'nothing of it stays in the browser');
    await visit.close();
  });
});

function storedUploads(): string[] {
  return Object.keys(localStorage).filter((name) => name.includes(':uploads:') || name.includes(':draft:'));
}

/** All chunks differ, so that a misplaced one is found. */
function writeLargeFile(path: string): string {
  const hash = createHash('sha256');
  const file = openSync(path, 'w');
  const block = Buffer.alloc(mebibyte, 'waybill ');
  for (let index = 0; index < fileMebibytes; index += 1) {
    block.writeUInt32LE(index, 0);
    writeSync(file, block);
    hash.update(block);
  }
  closeSync(file);
  return hash.digest('hex');
}

/** Chunks acknowledged by the server. */
function countChunks(page: Page): { count(): number; reach(count: number): Promise<void> } {
  let count = 0;
  let listeners: (() => void)[] = [];
  page.on('response', (response) => {
    if (!response.url().includes('/message/attachments/upload') || response.status() !== 200) return;
    count += 1;
    for (const listener of listeners) listener();
  });
  return {
    count: () => count,
    reach: (minimum) =>
      new Promise((resolve) => {
        const view = () => {
          if (count < minimum) return;
          listeners = listeners.filter((one) => one !== view);
          resolve();
        };
        listeners.push(view);
        view();
      }),
  };
}

/** The returned function permits more chunks. A route would pass each chunk through this process as text. */
async function limitChunks(page: Page): Promise<(more: number) => Promise<void>> {
  await page.evaluate(() => {
    const { send } = XMLHttpRequest.prototype;
    const held: (() => void)[] = [];
    let permitted = 0;
    const go = () => {
      for (; permitted > 0 && held.length > 0; permitted -= 1) held.shift()!();
    };
    XMLHttpRequest.prototype.send = function (body) {
      held.push(() => send.call(this, body));
      go();
    };
    Object.assign(globalThis, {
      permitChunks(more: number) {
        permitted = more;
        go();
      },
    });
  });
  return (more) => page.evaluate(`permitChunks(${more})`);
}

async function choose(page: Page, button: string, path: string): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: button }).click(),
  ]);
  await chooser.setFiles(path);
}

async function hashOfStored(fixture: AppFixture, id: string): Promise<string> {
  const { alice } = fixture.people;
  const { body } = await alice.expect(200, 'getMessage', { params: { id } });
  const { url } = (body as { message: { attachments: { url: string }[] } }).message.attachments[0]!;
  const authorization = `Basic ${Buffer.from(`${alice.key}:x`).toString('base64')}`;
  const response = await fetch(url, { headers: { authorization } });
  const hash = createHash('sha256');
  for await (const bytes of response.body!) hash.update(bytes);
  return hash.digest('hex');
}
