import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AppRequestDetailBody, appRequestAnswer, appRequestsAnswer } from '#contract/app/file-requests.ts';
import { attachmentAnswer } from '#contract/attachments.ts';
import { fileRequestAnswer } from '#contract/file-requests.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { wireForm } from '#test/kit/wire-form.ts';
import { addFilter, skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const dayMs = 86_400_000;

describe('file requests', { skip: skipWithoutBrowser }, () => {
  const mailbox = openMailbox();
  const fixture = useAppFixture(mailbox.options);

  const ask = async (who: ApiClient, more: Record<string, unknown> = {}) => {
    const request = { recipient: 'ben@harbour.example', subject: 'Drawings', message: 'Please.\nThank you.', ...more };
    const { body } = await who.expect(200, 'createFileRequest', { body: { request } });
    return wireForm(fileRequestAnswer, body).request;
  };
  const list = async (who: ApiClient) =>
    wireForm(appRequestsAnswer, (await who.expect(200, 'listAppRequests')).body).items;
  const show = async (who: ApiClient, id: string): Promise<AppRequestDetailBody> =>
    wireForm(appRequestAnswer, (await who.expect(200, 'getAppRequest', { params: { id } })).body).request;
  const deliver = async (id: string, name: string) => {
    const reply = await fixture.app.anonymous.expect(200, 'uploadForRequest', {
      params: { id },
      query: { filename: name },
      bytes: `content of ${name}`,
    });
    const { attachment } = wireForm(attachmentAnswer, reply.body);
    const page = await new Browser(fixture.app.url).submit(`/requests/${id}`, { attachments: attachment.id, note: '' });
    assert.equal(page.status, 303);
  };

  it('asks two people by keyboard only, with a request each', async () => {
    const visit = await fixture.open('/requests');
    const { page } = visit;
    await page.getByRole('main').getByText('Ask someone for files. They don’t need an account.').waitFor();
    await visit.assertAccessible();
    await page.keyboard.press('r');
    const drawer = page.getByRole('dialog', { name: 'New request' });
    await drawer.getByRole('button', { name: 'Send request' }).press('Enter');
    await drawer.getByRole('link', { name: 'Add the address of the person you are asking.' }).press('Enter');
    await page.keyboard.type('ben@harbour.example, chiara');
    await page.keyboard.press('Tab');
    await drawer.getByText('chiara is not an e-mail address').waitFor();
    await visit.assertAccessible();
    await drawer.getByRole('button', { name: 'Send request' }).press('Enter');
    await drawer.getByRole('link', { name: 'Correct or remove the address that is marked.' }).waitFor();
    await drawer.getByRole('button', { name: 'Remove chiara', exact: true }).press('Enter');
    await page.keyboard.type('chiara@rossi.example');
    await drawer.getByLabel('Subject').fill('Photos of the site');
    assert.match(await drawer.getByLabel('Message').inputValue(), /could you send me the files\?.*alice$/s);
    await drawer.getByRole('button', { name: 'Send request' }).press('Enter');
    await page.getByText('Request sent to ben@harbour.example and chiara@rossi.example.').waitFor();
    await visit.announced('2 requests sent.');
    await drawer.waitFor({ state: 'hidden' });
    assert.equal(await page.getByRole('row').count(), 3);
    assert.deepEqual((await mailbox.post(fixture.app)).map(({ to }) => to).toSorted(), [
      'ben@harbour.example',
      'chiara@rossi.example',
    ]);

    // The draft is offered again.
    await page.keyboard.press('r');
    await drawer.getByLabel('Subject').fill('Half written');
    await page.reload();
    await drawer.getByText('You have an unfinished request from').waitFor();
    await drawer.getByRole('button', { name: 'Continue' }).press('Enter');
    assert.equal(await drawer.getByLabel('Subject').inputValue(), 'Half written');
    await drawer.getByLabel('Who are you asking?').fill('dana@quay.example');
    await page.keyboard.press('Enter');
    await drawer.getByRole('button', { name: 'Get a link instead' }).press('Enter');
    const ready = page.getByRole('dialog', { name: 'Your link is ready' });
    await ready.getByText('We sent no e-mail.').waitFor();
    await visit.assertAccessible();
    const created = (await list(fixture.people.alice)).find(({ recipient }) => recipient === 'dana@quay.example')!;
    assert.equal(await ready.getByLabel('Link for dana@quay.example').inputValue(), created.url);
    assert.deepEqual(await mailbox.post(fixture.app), []);
    await visit.close();
  });

  it('shows deliveries as they arrive, reminds once a day, extends, closes and reopens', async () => {
    const { ben } = fixture.people;
    const { id } = await ask(ben, { multiuse: true });
    await mailbox.post(fixture.app);
    fixture.app.clock.advance(1.5 * dayMs);
    const visit = await fixture.open(`/requests/${id}`, 'ben');
    const { page } = visit;
    await page.getByText('ben@harbour.example has not delivered anything yet.').waitFor();
    await page.getByText('Request accepted by the mail server of ben@harbour.example.').waitFor();
    await deliver(id, 'Sections.pdf');
    await page.getByText('1 delivery with 1 file so far. More may come.').waitFor();
    await page.getByRole('link', { name: 'Sections.pdf' }).waitFor();
    await visit.assertAccessible();

    await page.getByRole('button', { name: 'Send a reminder' }).click();
    await page.getByRole('main').getByText('Reminder sent to ben@harbour.example.').waitFor();
    await visit.announced('Reminder sent to ben@harbour.example.');
    await page.getByText('The next reminder can be sent from').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Send a reminder' }).count(), 0);
    await page.getByText('Reminded once, on').waitFor();
    assert.deepEqual(
      (await mailbox.postAbout(fixture.app, id)).map(({ to }) => to),
      ['ben@harbour.example'],
    );

    await page.getByRole('button', { name: 'Extend' }).click();
    const extend = page.getByRole('dialog', { name: 'Extend this request' });
    await extend.getByRole('button', { name: '30 days' }).click();
    await visit.assertAccessible();
    await extend.getByRole('button', { name: 'Extend' }).click();
    await extend.waitFor({ state: 'hidden' });
    assert.equal((await show(ben, id)).expires_at, '2026-12-17');

    await page.getByRole('button', { name: 'Close request' }).click();
    const close = page.getByRole('dialog', { name: 'Close the request to ben@harbour.example?' });
    await close.getByRole('button', { name: 'Keep it open' }).press('Enter');
    await close.waitFor({ state: 'hidden' });
    assert.equal((await show(ben, id)).state, 'open');
    await page.getByRole('button', { name: 'Close request' }).click();
    await close.getByRole('button', { name: 'Close request' }).click();
    await page.getByText('You closed it. It takes no more files.').waitFor();
    assert.equal(await page.getByRole('img', { name: 'QR code for' }).count(), 0);

    await page.getByRole('button', { name: 'Ask again' }).click();
    const again = page.getByRole('dialog', { name: 'Ask ben@harbour.example again' });
    await again.getByRole('button', { name: 'Ask again' }).click();
    await page.getByRole('main').getByText('Asked ben@harbour.example again.').waitFor();
    assert.equal((await show(ben, id)).state, 'open');
    await visit.close();
  });

  it("shows the server's refusals at their button", async () => {
    const eve = await fixture.addPerson('eve');
    const { id } = await ask(eve);
    const visit = await fixture.open(`/requests/${id}`, 'eve');
    const { page } = visit;
    visit.expectStatus(422);
    visit.expectStatus(404);
    await page.getByRole('button', { name: 'Close request' }).click();
    await page.route('**/app-api/requests/*/close', (route) =>
      route.fulfill({
        status: 422,
        contentType: 'application/json',
        body: JSON.stringify({ errors: ['This request has been answered.'], code: 'request.not_open' }),
      }),
    );
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Close request' }).click();
    await dialog.getByText('This request has been answered.').waitFor();
    await visit.assertAccessible();
    await visit.go(`/requests/${'A'.repeat(22)}`);
    await page.getByRole('heading', { level: 1, name: 'There’s nothing at this address' }).waitFor();
    await fixture.addPerson('mute', { can_use_file_requests: false });
    await visit.close();
    const other = await fixture.open('/requests', 'mute');
    await other.page.getByText('Your group can’t use this').waitFor();
    await other.close();
  });

  it('works on a phone in dark mode: cards, filters in the URL, a page for a new one, locked settings', async () => {
    const finn = await fixture.addPerson('finn', {
      file_request_multiuse_can_change: false,
      file_request_permission: 2,
    });
    const waiting = await ask(finn, {
      subject: '',
      recipient: 'very.long.name.of.a.person@an-even-longer-domain.example',
    });
    const answered = await ask(finn, { subject: 'Contract' });
    await deliver(answered.id, `${'long name '.repeat(12)}.pdf`);
    const visit = await fixture.open('/requests', 'finn', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.getByText('Received 1 file').waitFor();
    await visit.assertAccessible();
    await addFilter(page, 'Status', 'Waiting');
    await page.waitForURL(/state=waiting/);
    await page.getByText('1 result', { exact: true }).waitFor();
    await visit.announced('1 result.');
    await page.getByRole('link', { name: /^Files from very\.long/ }).click();
    await page.waitForURL(`**/requests/${waiting.id}`);
    await page.getByText('You may forward what arrives to colleagues').waitFor();
    await visit.assertAccessible();
    await page.goBack();
    await page.waitForURL(/state=waiting/);
    await page.getByRole('button', { name: 'New request' }).click();
    await page.getByRole('heading', { level: 1, name: 'New request' }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0, 'a page, not a drawer');
    await page.getByText('Set by your administrator: a request can be used once.').waitFor();
    // At the end, the bar of buttons covers nothing.
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await visit.assertAccessible();
    await visit.go(`/requests/${answered.id}`);
    await page.getByText('Answered on').waitFor();
    await visit.assertAccessible();
    await visit.close();
  });
});
