import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { attachmentAnswer } from '#contract/attachments.ts';
import { fileRequestAnswer } from '#contract/file-requests.ts';
import { until } from '#test/kit/eventually.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { wireForm } from '#test/kit/wire-form.ts';
import { unpack } from '#test/kit/zip-reader.ts';
import { skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const dayMs = 86_400_000;

describe('received', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();

  const send = (subject: string, more: Record<string, unknown> = {}, to = 'ben') =>
    sendMessage(fixture.people.alice, {
      recipients: [fixture.people[to]!.email],
      subject,
      message: 'Hi Ben,\nhere.',
      ...more,
    });
  const two = [inlineFile('sections.pdf', 'the sections'), inlineFile('costs.xlsx', 'the costs')];
  const saved = async (page: Page, press: () => Promise<void>) => {
    const [download] = await Promise.all([page.waitForEvent('download'), press()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };

  it('is empty at first, and offers the drop page; new messages appear automatically', async () => {
    await fixture.addPerson('nora');
    const visit = await fixture.open('/received', 'nora', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.getByText('Files people send you will be listed here.').waitFor();
    const address = await page.getByLabel('Your drop page').inputValue();
    assert.match(address, /\/filedrop\/\w+$/);
    await visit.assertAccessible();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).click();
    await visit.announced('Address copied.');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), address);
    await send('For Nora', {}, 'nora');
    await page.getByRole('link', { name: 'For Nora' }).waitFor();
    await visit.announced('1 new.');
    await visit.assertAccessible();
    await visit.close();
  });

  it('new messages are counted next to Received, in the rail, the bottom bar and the tab title', async () => {
    await fixture.addPerson('olga');
    await send('One', { attachments: two }, 'olga');
    const visit = await fixture.open('/sent', 'olga');
    const { page } = visit;
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Received 1 new' }).waitFor();
    await until(async () => (await page.title()) === '(1) Sent · Waybill');
    await send('Two', { attachments: two }, 'olga');
    await page.getByRole('link', { name: 'Received 2 new' }).waitFor();
    await until(async () => (await page.title()) === '(2) Sent · Waybill');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('link', { name: 'Received 2 new' }).click();
    await page.getByRole('heading', { level: 1, name: 'Received' }).waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('opens a message and downloads: one file, then all of them, counted once each', async () => {
    const { id } = await send('Drawings for the tender', { attachments: two, expires_after: 2 });
    const visit = await fixture.open('/received', 'ben');
    const { page } = visit;
    await page.getByRole('link', { name: 'Drawings for the tender' }).click();
    await page.getByRole('heading', { level: 1, name: 'Drawings for the tender' }).waitFor();
    await until(async () => (await page.title()) === '(1) Drawings for the tender · Waybill');
    await page.getByText('From alice · alice@example.com').waitFor();
    await page.getByText('Hi Ben,').waitFor();
    await page.getByText('Counts as one download of each file.').waitFor();
    await visit.assertAccessible();
    const one = await saved(page, () => page.getByRole('button', { name: 'Download sections.pdf, 12 B' }).click());
    assert.deepEqual([one.name, one.bytes.toString()], ['sections.pdf', 'the sections']);
    await visit.announced('Download started.');
    await page.getByText(/12 B · Downloaded/).waitFor();
    const all = await saved(page, () => page.getByRole('button', { name: 'Download all' }).click());
    assert.equal(all.name, 'Drawings for the tender.zip');
    assert.deepEqual(
      unpack(all.bytes).map(({ name }) => name),
      ['sections.pdf', 'costs.xlsx'],
    );
    await page.getByText('12 B · No downloads left').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Download sections.pdf' }).count(), 0);
    // Once downloaded, it is no longer new.
    await page.getByRole('link', { name: 'Received', exact: true }).first().click();
    await until(async () => (await page.title()) === 'Received · Waybill');
    await visit.go('/received?state=downloaded');
    await page.getByRole('link', { name: 'Drawings for the tender' }).waitFor();
    await page.getByRole('button', { name: 'Remove filter Status' }).waitFor();
    await fixture.people.alice.expect(200, 'deleteMessageAttachments', { params: { id } });
    await page.getByText('Nothing matches these filters.').waitFor();
    await visit.close();
  });

  it('shows a private text only after a click, and says when it can no longer be read', async () => {
    const { id } = await send('Confidential', { private_message: true, message: 'The offer.', expires_after: 1 });
    const visit = await fixture.open(`/received/${id}`, 'ben');
    const { page } = visit;
    await page.getByText('alice is told when you open this.').waitFor();
    assert.equal(await page.getByText('The offer.').count(), 0);
    await page.getByRole('button', { name: 'Read message' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('The offer.').waitFor();
    await page.getByText('alice was told that you opened it.').waitFor();
    await visit.announced('Message opened.');
    visit.expectStatus(410);
    await page.reload();
    await page.getByRole('button', { name: 'Read message' }).click();
    const refusal = await fixture.people.ben.refused(410, 'message.used_up', 'readReceived', { params: { id } });
    await page.getByText((refusal.body as { errors: string[] }).errors[0]!).waitFor();
    await visit.close();
  });

  /** Without a code: only the link of the request. */
  async function answerRequest(): Promise<void> {
    const request = { recipient: 'sam@harbour.example', subject: 'Answer to a request', send_email: false };
    const { body } = await fixture.people.ben!.expect(200, 'createFileRequest', { body: { request } });
    const params = { id: wireForm(fileRequestAnswer, body).request.id };
    const { anonymous } = fixture.app;
    const { body: file } = await anonymous.expect(200, 'uploadForRequest', {
      params,
      query: { filename: 'plan.txt' },
      bytes: 'the plan',
    });
    const delivery = { attachments: [wireForm(attachmentAnswer, file).attachment.id], note: '' };
    await anonymous.expect(200, 'deliverToRequest', { params, body: { delivery } });
  }

  it('warns of an unconfirmed address; filters and rows work by keyboard', async () => {
    const { id } = await send('Typed address', { attachments: two });
    await fixture.app.app.ctx.db.write(async (tx) => {
      await tx.updateTable('messages').set({ is_sender_confirmed: 0 }).where('id', '=', id).execute();
    });
    await answerRequest();
    const visit = await fixture.open('/received', 'ben');
    const { page } = visit;
    await page.getByText('Answer to a request').waitFor();
    await page.getByText('Sender not checked').waitFor();
    assert.equal(await page.getByText('Sender not checked').count(), 1, 'an answer to a request was not typed');
    await page.getByLabel('Find in Received').focus();
    await page.keyboard.type('typed');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/received?q=typed');
    await visit.announced('1 result.');
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByText('This person typed their own address; we did not check it.').waitFor();
    await page.goBack();
    await page.waitForURL('**/received?q=typed');
    await visit.close();
  });

  it('keeps expired messages as a record, and reveals nothing about missing ones', async () => {
    const { id } = await send('Last month', { attachments: two });
    fixture.app.clock.advance(40 * dayMs);
    const visit = await fixture.open(`/received/${id}`, 'ben', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.getByText('These files are no longer available').waitFor();
    assert.equal(await page.getByRole('button', { name: /Download/ }).count(), 0);
    assert.equal(await page.getByText('Hi Ben,').count(), 0);
    await visit.assertAccessible();
    visit.expectStatus(404);
    await visit.go('/received/AAAAAAAAAAAAAAAAAAAAAA');
    await page.getByRole('heading', { level: 1, name: 'There’s nothing at this address' }).waitFor();
    await visit.close();
  });

  it('shows external users what they received, and nothing that their group may not do', async () => {
    await fixture.addPerson('otto', {
      can_use_messages: false,
      can_use_filelinks: false,
      can_use_file_requests: false,
      filedrop_random: false,
      filedrop_email: false,
    });
    const visit = await fixture.open('', 'otto');
    const { page } = visit;
    await page.getByRole('heading', { level: 1, name: 'Received' }).waitFor();
    const places = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    assert.deepEqual(await places.allTextContents(), ['Received', 'Account']);
    await page.getByText('Files people send you will be listed here.').waitFor();
    assert.equal(await page.getByLabel('Your drop page').count(), 0);
    await visit.go('/log');
    await page.getByText('Your group can’t use this').waitFor();
    await visit.close();
  });
});
