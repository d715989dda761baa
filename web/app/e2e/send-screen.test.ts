import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

describe('the Send screen', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture(openMailbox().options);

  it('shows Send without scrolling, and never over the Delivery card', async () => {
    const visit = await fixture.open('/send');
    const { page } = visit;
    await page.getByRole('button', { name: /more choices/ }).click();
    const card = (await page.getByRole('region', { name: 'Delivery' }).boundingBox())!;
    const send = (await page.getByRole('button', { name: 'Send', exact: true }).boundingBox())!;
    assert.ok(send.y + send.height <= 800, `Send ends at ${send.y + send.height}`);
    assert.ok(send.x + send.width <= card.x, `Send ends at ${send.x + send.width}, the card begins at ${card.x}`);
    await visit.close();
  });

  it('creates chips from a pasted list, and inserts a part of an address as text', async () => {
    const visit = await fixture.open('/send');
    const { page } = visit;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const paste = async (text: string) => {
      await page.evaluate((words) => navigator.clipboard.writeText(words), text);
      await page.keyboard.press('ControlOrMeta+v');
    };
    const to = page.getByRole('combobox', { name: 'To' });
    await to.pressSequentially('ben@');
    await paste('harbour.example');
    await until(async () => (await to.inputValue()) === 'ben@harbour.example'); // the typed text is still there
    await to.press('Enter');
    await paste('Rossi, Dana <dana@rossi.example>; Quist, Eva <eva@harbour.example>');
    await page.getByRole('button', { name: 'Remove eva@harbour.example' }).waitFor();
    const chips = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: 'Remove' }) });
    assert.deepEqual(await chips.allInnerTexts(), ['ben@harbour.example', 'Rossi, Dana', 'Quist, Eva']);
    await visit.close();
  });

  it('lets people choose the language of the e-mail', async () => {
    const visit = await fixture.open('/send');
    const { page } = visit;
    await page.getByRole('combobox', { name: 'To' }).fill('ben@harbour.example');
    await page.getByRole('combobox', { name: 'To' }).press('Enter');
    await page.getByLabel('Subject').fill('Die Schnitte');
    await page.getByLabel('Message').fill('Hier sind sie.');
    await page.getByRole('combobox', { name: 'Language of the e-mail' }).click();
    await page.getByRole('option', { name: 'Deutsch' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sent to 1 person' }).waitFor();
    const row = await fixture.app.app.ctx.db.read
      .selectFrom('messages')
      .select('mail_language')
      .executeTakeFirstOrThrow();
    assert.equal(row.mail_language, 'de');
    await visit.close();
  });

  it('shows the space left, refuses what does not fit before uploading, and the largest files can be deleted', async () => {
    const quin = await fixture.addPerson('quin', { storage_quota: 1 });
    await quin.upload('Old plans.zip', 'x'.repeat(600 * 1024));
    const visit = await fixture.open('/send', 'quin');
    const { page } = visit;
    await page.getByText('600 KB of 1.0 MB storage used').waitFor({ state: 'attached' });
    const uploads: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/attachments/upload')) uploads.push(request.url());
    });
    const picker = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose files' }).click();
    const file = { name: 'model.zip', mimeType: 'application/zip', buffer: Buffer.alloc(700 * 1024, 'x') };
    await (await picker).setFiles([file]);
    await page.getByRole('main').getByText('Your storage has 424 KB of 1.0 MB left.').first().waitFor();
    assert.deepEqual(uploads, []);
    await page.goto(`${fixture.app.url}/app/account/storage`);
    await page.getByRole('button', { name: 'Delete file Old plans.zip' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete file' }).click();
    await page.getByText('Nothing is stored for you.').waitFor();
    await visit.assertAccessible();
    await visit.close();
  });
});
