// Outside recipients from the mail to the bytes: a real server and browser, with scripts and without.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { OutgoingMail } from '#server/domain/ports.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { engines } from '#test/kit/engines.ts';
import { codeIn, openMailbox } from '#test/kit/mailbox.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { unpack } from '#test/kit/zip-reader.ts';
import { launchBrowser, openVisit, skipWithoutBrowser, type Visit } from '#web/pages/e2e/browser.fixture.ts';

const sections = randomBytes(300_000);
const costs = Buffer.from('item;cost\npiles;120\n');
const hostileName = '<img src=x onerror=alert(1)> \u202Egpj.exe "&\'.txt';
const hostileText = '</textarea><script>document.title = "taken over"</script><a href="javascript:alert(1)">x</a>';

describe('people outside', { skip: skipWithoutBrowser }, () => {
  const mailbox = openMailbox();
  let app: TestApp;
  let alice: ApiClient;
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
    app = await startTestApp(engines[0]!, mailbox.options);
    const group = await app.group('Senders', { message_can_use_anyone: true });
    alice = await app.person('alice', { group });
  });
  after(async () => {
    await browser?.close();
    await app?.close();
  });

  /** The address that a mail asks its reader to open. */
  const linkIn = (mail: OutgoingMail, path: string): string => {
    const link = new RegExp(`${app.url}/${path}/\\S+`).exec(mail.text)?.[0];
    assert.ok(link !== undefined, mail.text);
    return link;
  };
  const mailTo = (mails: OutgoingMail[], address: string): OutgoingMail => {
    const mail = mails.find(({ to }) => to === address);
    assert.ok(mail !== undefined, `no mail to ${address}`);
    return mail;
  };

  for (const hasScript of [true, false]) {
    const open = async (url: string): Promise<Visit> => {
      const visit = await openVisit(browser, app.url, { javaScriptEnabled: hasScript, acceptDownloads: true });
      await visit.page.goto(url);
      return visit;
    };
    /** Permits only the errors that the test causes. */
    const end = async ({ context, complaints }: Visit): Promise<void> => {
      await context.close();
      assert.deepEqual(
        complaints.filter((text) => !/status of 4(10|22)/.test(text)),
        [],
      );
    };

    describe(hasScript ? 'with scripts' : 'without any script', () => {
      it('open the mail, confirm their address, and get the exact bytes that were sent', async () => {
        const address = `ben-${hasScript}@harbour.example`;
        const { id } = await sendMessage(alice, {
          recipients: [address],
          send_email: true,
          subject: 'Drawings for the Harbour tender',
          message: 'Hi Ben,\nhere are the sections.',
          authorization: 3,
          attachments: [inlineFile('Harbour sections.pdf', sections), inlineFile('Costs.csv', costs)],
        });
        const visit = await open(linkIn(mailTo(await mailbox.postAbout(app, id), address), 'message'));
        const { page } = visit;
        await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
        assert.equal(await page.getByText('Harbour sections.pdf').count(), 0, 'names of files wait for the proof');
        await confirm(page, address);
        await page.getByRole('heading', { level: 1, name: 'Drawings for the Harbour tender' }).waitFor();

        assert.deepEqual(await fetched(page, 'Download Harbour sections.pdf, 293 KB'), sections);
        const archive = await fetched(page, /^Download all/);
        assert.deepEqual(
          unpack(archive).map(({ name, bytes }) => [name, sha256(bytes)]),
          [
            ['Harbour sections.pdf', sha256(sections)],
            ['Costs.csv', sha256(costs)],
          ],
        );
        await untilDownloadsEnd(app);
        await page.reload();
        await page
          .getByText(/^Downloaded/)
          .first()
          .waitFor();
        await end(visit);

        const { body } = await alice.expect(200, 'listMessageDownloads', { params: { id } });
        const lines = (body as { downloads: { recipient: string; filename: string }[] }).downloads;
        assert.deepEqual(new Set(lines.map(({ recipient }) => recipient)), new Set([address]));
        assert.equal(lines.length, 3);
      });

      it('open a link with its password, and see when it is wrong', async () => {
        const { id } = await alice.upload('Plan.pdf', new Uint8Array(sections));
        const { body } = await alice.expect(200, 'createFileLink', {
          body: { link: { attachment: id, password: 'blue door at noon' } },
        });
        const visit = await open((body as { link: { url: string } }).link.url);
        const { page } = visit;
        await page.getByRole('heading', { name: 'This link has a password' }).waitFor();
        assert.equal(await page.getByText('Plan.pdf').count(), 0);
        await page.locator('[name="password"]').fill('red door');
        await page.getByRole('button', { name: 'Open' }).click();
        await page
          .getByText(/That isn’t the password/)
          .first()
          .waitFor();
        await page.locator('[name="password"]').fill('blue door at noon');
        await page.getByRole('button', { name: 'Open' }).click();
        await page.getByRole('heading', { level: 1, name: 'Plan.pdf' }).waitFor();
        assert.deepEqual(await fetched(page, /^Download/), sections);
        await end(visit);
      });

      it('answer a request, which is then closed, and the requester has the files', async () => {
        const address = `rosa-${hasScript}@rossi.example`;
        const { body } = await alice.expect(200, 'createFileRequest', {
          body: { request: { recipient: address, subject: 'Signed contract', message: 'Please send it back.' } },
        });
        const { id } = (body as { request: { id: string } }).request;
        const url = linkIn(mailTo(await mailbox.postAbout(app, id), address), 'requests');
        const visit = await open(url);
        const { page } = visit;
        await page.getByRole('heading', { level: 1, name: 'alice asks you for files' }).waitFor();
        await chooseFile(page, 'contract.pdf', sections);
        await page.locator('[name="note"]').fill('Signed by all of us.');
        await page.getByRole('button', { name: 'Send to alice' }).click();
        await page.getByRole('heading', { level: 1, name: 'Delivered' }).waitFor();
        await page.getByText(sha256(sections)).first().waitFor();
        await page.goto(url);
        await page.getByRole('heading', { level: 1, name: 'This request has been answered' }).waitFor();
        await end(visit);
        assert.deepEqual(await lastReceived(alice, 'contract.pdf'), sections);
      });

      it('leave files on a drop page, after confirming their address', async () => {
        const address = `dana-${hasScript}@dock.example`;
        const { body } = await alice.expect(200, 'getAccount');
        const visit = await open((body as { user: { filedrop_url: string } }).user.filedrop_url);
        const { page } = visit;
        await page.getByRole('heading', { level: 1, name: 'Send files to alice' }).waitFor();
        await page.locator('[name="email"]').fill(address);
        await page.locator('[name="subject"]').fill('Photos of the dock');
        await chooseFile(page, 'dock.jpg', sections);
        await page.getByRole('button', { name: 'Send', exact: true }).click();
        await page.getByText('alice gets your files').waitFor();
        await enterCode(page, address);
        await page.getByRole('heading', { level: 1, name: 'Delivered' }).waitFor();
        await end(visit);
        assert.deepEqual(await lastReceived(alice, 'dock.jpg'), sections);
      });

      it('see when a link has expired', async () => {
        const address = `late-${hasScript}@harbour.example`;
        const { id } = await sendMessage(alice, {
          recipients: [address],
          send_email: true,
          subject: 'Until tonight',
          authorization: 0,
          expires_at: new Date(app.clock.now() + 86_400_000).toISOString().slice(0, 10),
          attachments: [inlineFile('a.txt', 'a')],
        });
        const url = linkIn(mailTo(await mailbox.postAbout(app, id), address), 'message');
        app.clock.advance(3 * 86_400_000);
        const visit = await open(url);
        await visit.page.getByRole('heading', { level: 1, name: 'This file is no longer available' }).waitFor();
        assert.equal(await visit.page.getByRole('button', { name: /Download/ }).count(), 0);
        await end(visit);
      });

      it('see hostile names and texts unchanged, and none of them is executed', async () => {
        const address = `eve-${hasScript}@harbour.example`;
        const { id } = await sendMessage(alice, {
          recipients: [address],
          send_email: true,
          subject: hostileText.slice(0, 100),
          message: hostileText,
          authorization: 0,
          attachments: [inlineFile(hostileName, costs)],
        });
        const visit = await open(linkIn(mailTo(await mailbox.postAbout(app, id), address), 'message'));
        const { page } = visit;
        await page.getByText('<img src=x onerror=alert(1)>', { exact: false }).first().waitFor();
        assert.equal(await page.locator('img[src="x"], a[href^="javascript:"], main script').count(), 0);
        assert.notEqual(await page.title(), 'taken over');
        assert.deepEqual(await fetched(page, /^Download/), costs);
        await end(visit);
      });
    });
  }

  it('click the button in the mail with the code on another device, and open the files there', async () => {
    const address = 'tess@harbour.example';
    const { id } = await sendMessage(alice, {
      recipients: [address],
      send_email: true,
      subject: 'Tide tables',
      authorization: 3,
      attachments: [inlineFile('tides.csv', costs)],
    });
    const link = linkIn(mailTo(await mailbox.postAbout(app, id), address), 'message');
    const desktop = await openVisit(browser, app.url);
    await desktop.page.goto(link);
    await desktop.page.getByText('t•••@harbour.example').waitFor();
    await desktop.page.getByRole('button', { name: 'Send code' }).click();
    await desktop.page.getByText('You can get a new code in').waitFor();
    const phone = await openVisit(browser, app.url, { javaScriptEnabled: false });
    await phone.page.goto(linkIn(mailTo(await mailbox.post(app), address), 'verify'));
    await phone.page.getByRole('button', { name: 'Continue as t•••@harbour.example' }).click();
    await phone.page.getByRole('heading', { level: 1, name: 'Tide tables' }).waitFor();
    assert.deepEqual(await fetched(phone.page, /^Download/), costs);
    for (const { context, complaints } of [desktop, phone]) {
      await context.close();
      assert.deepEqual(complaints, []);
    }
  });

  it('return to a drop page after a reload, find their files, and send despite a lost connection', async () => {
    const address = 'rosa@rossi.example';
    const { body } = await alice.expect(200, 'getAccount');
    const visit = await openVisit(browser, app.url);
    const { page, context } = visit;
    await page.goto((body as { user: { filedrop_url: string } }).user.filedrop_url);
    await page.locator('[name="email"]').fill(address);
    await page.locator('[name="subject"]').fill('Survey of the quay');
    await chooseFile(page, 'quay.jpg', sections);
    await page.getByText('293 KB · ready').waitFor();
    await page.reload();
    await page.getByText('This is what you added before. Nothing has been sent yet.').waitFor();
    assert.equal(await page.locator('[name="subject"]').inputValue(), 'Survey of the quay');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The server can’t be reached right now.').waitFor();
    await context.setOffline(false);
    await enterCode(page, address);
    await page.getByRole('heading', { level: 1, name: 'Delivered' }).waitFor();
    const receipt = page.url();
    assert.match(receipt, /\/delivered\/[A-Za-z0-9]{22}$/);
    await page.reload();
    await page.getByText(sha256(sections)).first().waitFor();
    await context.close();
    assert.deepEqual(visit.complaints, []);
    assert.deepEqual(await lastReceived(alice, 'quay.jpg'), sections);
  });

  /** Types the address if requested, and the mailed code. */
  async function confirm(page: Page, address: string): Promise<void> {
    const field = page.locator('[name="address"]:not([type="hidden"])');
    if ((await field.count()) > 0) await field.fill(address);
    await page.getByRole('button', { name: 'Send code' }).click();
    await enterCode(page, address);
  }

  async function enterCode(page: Page, address: string): Promise<void> {
    await page.locator('[name="code"]').waitFor();
    const code = codeIn(mailTo(await mailbox.post(app), address));
    await page.locator('[name="code"]').fill(code.toLowerCase().replace('-', ' '));
    await page.getByRole('button', { name: 'Continue' }).click();
  }
});

/** The file that a click on this button downloads. */
async function fetched(page: Page, button: string | RegExp): Promise<Buffer> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).first().click(),
  ]);
  return readFile(await download.path());
}

/** With scripts a button opens the file picker; without them the page has a file field. */
async function chooseFile(page: Page, name: string, buffer: Buffer): Promise<void> {
  const file = { name, mimeType: 'application/octet-stream', buffer };
  const button = page.getByRole('button', { name: 'Choose files' });
  if ((await button.count()) === 0) return page.locator('input[type="file"]').first().setInputFiles(file);
  const [picker] = await Promise.all([page.waitForEvent('filechooser'), button.click()]);
  await picker.setFiles(file);
}

async function lastReceived(client: ApiClient, fileName: string): Promise<Buffer> {
  const { body } = await client.expect(200, 'listInbox');
  const { messages } = body as { messages: { attachments: { filename: string; url: string }[] }[] };
  const file = messages.flatMap(({ attachments }) => attachments).find(({ filename }) => filename === fileName);
  assert.ok(file !== undefined, `${fileName} is in no message`);
  const answer = await fetch(file.url, { headers: { authorization: `Bearer ${client.key}` } });
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
