import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sentMessageAnswer } from '#contract/app/messages.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { wireForm } from '#test/kit/wire-form.ts';
import { type AppFixture, skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const kibibyte = 1024;

function fileOf(name: string, sizeBytes = 10 * kibibyte) {
  return { name, mimeType: 'application/octet-stream', buffer: Buffer.alloc(sizeBytes, name) };
}

/** Generated, or by path. */
async function addFiles(page: Page, ...files: ReturnType<typeof fileOf>[] | string[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ]);
  await chooser.setFiles(files);
}

/** Holds its chunks until the returned function is called. */
async function holdUploads(page: Page, name: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(
    (url) => url.pathname.endsWith('/attachments/upload') && url.searchParams.get('filename') === name,
    async (route) => {
      await promise;
      await route.continue();
    },
  );
  return resolve;
}

async function messageAt(fixture: AppFixture, page: Page, person = 'alice') {
  const words = new URL(page.url()).searchParams;
  const id = words.get('sent') ?? words.get('link') ?? '';
  const { body } = await fixture.people[person]!.expect(200, 'getSentMessage', { params: { id } });
  return wireForm(sentMessageAnswer, body).message;
}

const to = (page: Page) => page.getByRole('combobox', { name: 'To' });
const inMain = (page: Page) => page.getByRole('main');
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');

describe('sending files', { skip: skipWithoutBrowser }, () => {
  const mailbox = openMailbox();
  const fixture = useAppFixture(mailbox.options);
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'waybill-folder-'));
    mkdirSync(join(folder, 'plans', 'old'), { recursive: true });
    writeFileSync(join(folder, 'plans', 'ground.pdf'), 'ground');
    writeFileSync(join(folder, 'plans', 'old', 'roof.pdf'), 'roof');
    const cost = await fixture.people.alice.upload('Cost-sheet.xlsx', 'costs', 'uploadForMessage');
    const earlier = { recipients: ['ben@harbour.example'], subject: 'Costs', attachments: [cost.id] };
    await sendMessage(fixture.people.alice, earlier);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('shows a group its rules: locked settings in a sentence, a refused person with the text of the API', async () => {
    const settings = {
      message_limit_recipients: true,
      message_recipient_domains: ['harbour.example'],
      message_can_change_authorization: false,
      message_can_change_expiration: false,
      message_default_expires_after: 3,
      message_can_change_expires_after: false,
      message_can_change_bcc_myself: false,
      message_can_change_private_message: false,
      message_max_size: 1,
    };
    const lena = await fixture.addPerson('lena', settings);
    const refused = { recipients: ['eve@rival.example'], subject: 'x' };
    const reply = await lena.refused(422, 'message.recipient_not_allowed', 'sendMessage', {
      body: { message: refused },
    });
    const [sentence] = (reply.body as { errors: string[] }).errors;
    const visit = await fixture.open('/send', 'lena');
    const { page } = visit;
    const card = page.getByRole('region', { name: 'Delivery' });
    assert.equal(
      await card.getByText('Set by your administrator').innerText(),
      'Set by your administrator: only the people you send to can download, available for 30 days, 3 downloads per person, copy to you, text in the e-mail.',
    );
    assert.equal(await card.getByRole('radio').count(), 0, 'no dead controls');
    assert.equal(await card.getByRole('checkbox').count(), 0, 'no dead controls');
    assert.equal(await card.getByRole('combobox').count(), 1, 'every user may choose the language of the e-mail');
    await to(page).pressSequentially('eve@rival.example,');
    await inMain(page).getByText(sentence!).waitFor();
    await visit.announced(sentence!);
    await addFiles(page, fileOf('large.bin', 1100 * kibibyte), fileOf('setup.exe'), fileOf('empty.txt', 0));
    await inMain(page).getByText('This is 1.1 MB; a message can hold 1.0 MB.').waitFor();
    await inMain(page).getByText('can’t be sent from your group. Put it in a .zip').waitFor();
    await inMain(page).getByText('It is empty.').waitFor();
    await visit.announced(/^large\.bin was not added\. .* setup\.exe was not added\. /);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('heading', { name: '2 things need attention' }).waitFor();
    assert.match(await focused(page), /^2 things need attention/);
    assert.equal(await page.getByRole('link', { name: sentence! }).count(), 1);
    await page.getByRole('link', { name: 'Add a file or write a message.' }).click();
    assert.equal(await focused(page), 'Choose files');
    await visit.assertAccessible();

    await page.getByRole('button', { name: 'Remove eve@rival.example' }).click();
    await to(page).pressSequentially('ben@harbour.example ');
    await page.getByLabel('Message').fill('Nothing but words');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const ask = page.getByRole('dialog', { name: 'Send the message without large.bin, setup.exe and empty.txt?' });
    await ask.getByRole('button', { name: 'Send message' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sent to 1 person' }).waitFor();
    const message = await messageAt(fixture, page, 'lena');
    assert.deepEqual([message.authorization, message.expires_after, message.text], [3, 3, 'Nothing but words']);
    await visit.close();
  });

  it('asks before it sends without a refused file: “Send 2 files without setup.exe?”', async () => {
    const visit = await fixture.open('/send', 'alice', { width: 'narrow' });
    const { page } = visit;
    await to(page).pressSequentially('ben@harbour.example ');
    await page.getByLabel('Subject').fill('Plans');
    const ground = join(folder, 'plans', 'ground.pdf');
    await addFiles(page, ground, join(folder, 'plans', 'old', 'roof.pdf'));
    await addFiles(page, fileOf('setup.exe'));
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const ask = page.getByRole('dialog', { name: 'Send 2 files without setup.exe?' });
    await ask.getByText('.exe files can’t be sent from your group').waitFor();
    await visit.assertAccessible();
    await ask.getByRole('button', { name: 'Keep editing' }).click();
    await ask.waitFor({ state: 'hidden' });
    assert.equal(await page.getByRole('button', { name: 'Remove setup.exe' }).count(), 1, 'nothing is lost by asking');
    // A duplicate is not missing.
    await addFiles(page, ground);
    await inMain(page).getByText('It was added already.').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await ask.getByRole('button', { name: 'Send 2 files' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sent to 1 person' }).waitFor();
    const { files } = await messageAt(fixture, page);
    assert.deepEqual(
      files.map(({ filename }) => filename),
      ['ground.pdf', 'roof.pdf'],
    );
    await visit.close();
  });

  async function correctsRefusedAddress(page: Page): Promise<void> {
    mailbox.transport.answer = ({ to: address }) =>
      address.startsWith('dana@')
        ? { outcome: 'refused', reason: '550 mailbox full' }
        : { outcome: 'accepted', serverText: 'kept' };
    await mailbox.post(fixture.app);
    await page.getByText('Refused by their server: 550 mailbox full').waitFor();
    assert.equal(await page.getByText('E-mail accepted').count(), 2);
    await page.getByRole('button', { name: 'Fix dana@harbour.example' }).click();
    await page.getByLabel('Right address').fill('dana.o@harbour.example');
    await page.getByRole('button', { name: 'Send to this address' }).click();
    await inMain(page).getByText('dana.o@harbour.example').waitFor();
    await mailbox.post(fixture.app);
    await page.getByText('Refused by').waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Sent to 3 people' }).waitFor();
  }

  it('sends by mail when the upload is finished, shows the state of each mail, and corrects an address', async () => {
    const visit = await fixture.open('/send');
    const { page } = visit;
    await to(page).pressSequentially('harb');
    await page.getByRole('option', { name: 'ben@harbour.example' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await to(page).pressSequentially('dana@harbour.exmaple;');
    await page.getByRole('button', { name: 'Use dana@harbour.example' }).click();
    await page.getByRole('button', { name: 'Remove dana@harbour.example' }).waitFor();
    await page.getByRole('button', { name: 'Cc Bcc' }).click();
    await page.getByRole('combobox', { name: 'Bcc' }).fill('carl@rossi.example');
    await page.getByLabel('Subject').fill('Drawings for the Harbour tender');

    const release = await holdUploads(page, 'model.zip');
    await addFiles(page, fileOf('model.zip'));
    await dropFolder(page, join(folder, 'plans'));
    await page.getByText('plans/old/roof.pdf').waitFor();
    await page.getByText('plans/ground.pdf').waitFor();
    await page.getByRole('button', { name: 'Add from earlier' }).click();
    await page.getByRole('button', { name: 'Add Cost-sheet.xlsx' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    assert.match(await page.getByText(/^4 files · /).innerText(), /^4 files · 10 KB of 5\.0 GB$/);

    await page.getByRole('button', { name: 'Send when upload finishes' }).click();
    await page.getByText('Will be sent automatically when the last file is ready.').waitFor();
    assert.equal(await page.getByLabel('Subject').isDisabled(), true);
    await page.getByRole('button', { name: 'Undo' }).click();
    assert.equal(await page.getByLabel('Subject').isDisabled(), false);
    await visit.announced('Not sent. You can continue writing.');
    await page.getByLabel('Subject').fill('Drawings, revised');
    await page.getByRole('button', { name: 'Send when upload finishes' }).click();
    // It is sent from any screen.
    await page.getByRole('link', { name: 'Received' }).click();
    await page.getByRole('heading', { level: 1, name: 'Received' }).waitFor();
    release();
    await page.waitForFunction(() => document.querySelector('#announcer')?.textContent === 'Sent to 3 people.');
    await page.getByRole('link', { name: 'Send files' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sent to 3 people' }).waitFor();
    assert.equal(await focused(page), 'Sent to 3 people');
    assert.equal(await page.getByText('E-mail on its way').count(), 3);

    await correctsRefusedAddress(page);
    const message = await messageAt(fixture, page);
    assert.equal(message.subject, 'Drawings, revised');
    const names = message.files.map(({ filename }) => filename.replace(/^.*[/\\]/, ''));
    assert.deepEqual(names.toSorted(), ['Cost-sheet.xlsx', 'ground.pdf', 'model.zip', 'roof.pdf']);
    assert.deepEqual(
      message.people.filter(({ revoked_at: at }) => at === null).map(({ address, role }) => `${role} ${address}`),
      ['to ben@harbour.example', 'to dana.o@harbour.example', 'bcc carl@rossi.example'],
    );

    await page.getByRole('button', { name: 'Send the same files again' }).click();
    await page.getByText('stored already').nth(3).waitFor();
    assert.equal(await focused(page), 'Send files');
    assert.equal(await page.getByLabel('Subject').inputValue(), '', 'nothing but the files is kept');
    await visit.close();
  });

  it('is written and sent by keyboard only, and a draft is kept for seven days', async () => {
    const visit = await fixture.open('/send');
    const { page } = visit;
    const { keyboard } = page;
    await to(page).focus();
    await keyboard.type('ben@harbour.example, Chiara Rossi <chiara@rossi.example>');
    await keyboard.press('Tab');
    await page.getByRole('button', { name: 'Remove chiara@rossi.example' }).waitFor();
    await keyboard.press('Tab');
    await keyboard.type('By hand');
    await keyboard.press('Tab');
    await keyboard.type('Hi both');
    await page.reload();
    await page.getByText(/You have an unfinished message from \d\d:\d\d today\./).waitFor();
    await page.getByRole('button', { name: 'Continue' }).focus();
    await keyboard.press('Enter');
    assert.equal(await page.getByLabel('Message').inputValue(), 'Hi both');
    const choosing = page.waitForEvent('filechooser');
    await to(page).focus();
    await keyboard.press('Backspace');
    assert.equal(
      await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
      'Remove chiara@rossi.example',
    );
    await keyboard.press('Backspace');
    await page.getByRole('button', { name: 'Choose files' }).focus();
    await keyboard.press('Enter');
    await (await choosing).setFiles([fileOf('notes.txt')]);
    await page.getByText('10 KB · ready').waitFor();
    await page.getByRole('radio', { name: 'Only the people I send to' }).focus();
    await keyboard.press('ArrowDown');
    assert.equal(await page.getByRole('radio', { name: 'Anyone who confirms an e-mail address' }).isChecked(), true);
    await page.getByRole('button', { name: 'Send', exact: true }).focus();
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Sent to 1 person' }).waitFor();
    assert.equal(await focused(page), 'Sent to 1 person');
    const message = await messageAt(fixture, page);
    assert.deepEqual([message.authorization, message.text, message.files.length], [1, 'Hi both', 1]);
    await page.getByRole('button', { name: 'Send another' }).focus();
    await keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Send files' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Send files' }).waitFor();
    assert.equal(await page.getByText('unfinished message').count(), 0);
    await visit.close();
  });

  it('creates a link on a phone in dark mode, with QR code, share and prepared texts', async () => {
    await fixture.addPerson('olga', { message_can_use_anyone: true });
    const visit = await fixture.open('/send', 'olga', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await addFiles(page, fileOf('<b>holiday</b>\u202Efdp.jpg'));
    await page.getByText('10 KB · ready').waitFor();
    await page.getByRole('button', { name: 'Get a link instead' }).click();
    await page.getByRole('link', { name: 'Add the people who may open it, or choose another option' }).waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: /^Change delivery: Only the people I send to/ }).click();
    await page.getByLabel('Keep text out of the e-mail').check();
    await page.getByRole('radio', { name: 'Anyone with the link' }).check();
    assert.equal(await page.getByLabel('Keep text out of the e-mail').isDisabled(), true);
    await page.getByText('Not possible with “Anyone with the link”.').waitFor();
    await page.getByRole('button', { name: '3 more choices' }).click();
    assert.equal(await page.getByRole('radio').count(), 5);
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Get a link instead' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your link is ready' }).waitFor();
    assert.equal(await focused(page), 'Your link is ready');
    await visit.assertAccessible();
    const { url, private_message: isPrivate } = await messageAt(fixture, page, 'olga');
    assert.equal(isPrivate, false);
    await page.getByRole('button', { name: 'Copy', exact: true }).first().click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), url);
    await visit.announced('Link copied.');
    await page.getByRole('img', { name: `QR code for ${url}` }).waitFor();
    await page.getByText('Anyone with the link can open it.').waitFor();
    await page.getByRole('button', { name: 'Copy formatted' }).click();
    await page.getByText('Formatted text copied.').waitFor({ state: 'attached' });
    // Listens first: the keys use another channel into the browser.
    await page.evaluate(() => {
      addEventListener('paste', (event) => {
        document.body.dataset.pasted = event.clipboardData?.getData('text/html') ?? '';
      });
    });
    await page.keyboard.press('ControlOrMeta+V');
    await page.locator('body[data-pasted]').waitFor({ state: 'attached' });
    assert.match((await page.locator('body').getAttribute('data-pasted')) ?? '', /style=/);
    await visit.close();
  });

  it('shows a group without messages what it can do instead', async () => {
    await fixture.addPerson('nora', { can_use_messages: false });
    const visit = await fixture.open('/send', 'nora');
    await visit.page.getByText('Your group can’t use this').waitFor();
    assert.equal(await visit.page.getByRole('button', { name: 'Choose files' }).count(), 0);
    await visit.close();
  });

  it('keeps to its budget: 280 KB of script and 50 KB of styles', async () => {
    const visit = await fixture.open('/send', 'ben');
    const sizes = await visit.page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => name.includes('/app/assets/'))
        .map(({ name, encodedBodySize }) => ({ name, encodedBodySize })),
    );
    const sum = (ending: string) =>
      sizes.filter(({ name }) => name.endsWith(ending)).reduce((total, one) => total + one.encodedBodySize, 0);
    assert.ok(sum('.js') > 0 && sum('.js') <= 280 * kibibyte, `script: ${sum('.js')} bytes`);
    assert.ok(sum('.css') > 0 && sum('.css') <= 50 * kibibyte, `styles: ${sum('.css')} bytes`);
    await visit.close();
  });
});

describe('sending without a mail server', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();

  it('offers only the link, and shows refusals of the server unchanged', async () => {
    const { body } = await fixture.people.alice.expect(200, 'getAccount');
    const params = { id: (body as { user: { group_id: string } }).user.group_id };
    const change = (group: Record<string, unknown>) =>
      fixture.people.admin.expect(200, 'changeGroup', { params, body: { group } });
    await change({ message_can_use_anyone: true });
    const visit = await fixture.open('/send');
    const { page } = visit;
    await page.getByText('E-mail isn’t set up yet, so nothing can be sent.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Send', exact: true }).count(), 0);
    await to(page).fill('ben@harbour.example');
    await page.getByLabel('Message').fill('Words');
    visit.expectStatus(422);
    // The group changes while the message is written.
    await change({ message_recipient_pattern: '@example\\.com$' });
    await page.getByRole('button', { name: 'Get a link' }).click();
    await page.getByRole('link', { name: 'Your group can’t send to ben@harbour.example.' }).waitFor();
    await change({ message_recipient_pattern: '' });
    await page.getByRole('button', { name: 'Get a link' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your link is ready' }).waitFor();
    await visit.close();
  });
});

/** Only the browser itself can create a drop as from the desktop. */
async function dropFolder(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data });
}
