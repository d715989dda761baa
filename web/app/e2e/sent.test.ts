import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openRelayTransport } from '#test/kit/mail-transport.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { downloadAs, track } from '#test/kit/sent.ts';
import { startRelay } from '#test/kit/smtp-relay.ts';
import { type AppVisit, addFilter, refuseUntilClicked, skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const dayMs = 86_400_000;
const ben = 'ben@harbour.example';
const chiara = 'chiara@rossi.example';
const wrong = 'dan@harbuor.example';

/** Knows no user at the misspelt domain. */
const relay = await startRelay({
  onRcptTo({ address }, _session, callback) {
    if (!address.endsWith('@harbuor.example')) return callback();
    callback(Object.assign(new Error('5.1.1 No such user here'), { responseCode: 550 }));
  },
});

describe('sent messages', { skip: skipWithoutBrowser }, () => {
  // Survives the restart of the service.
  const transport = openRelayTransport(relay.port);
  // Mail is sent only when a test asks for it.
  const fixture = useAppFixture({
    mailTransport: { ...transport, close: async () => {} },
    environment: { WAYBILL_ROLE: 'web' },
  });
  after(async () => {
    await transport.close();
    await relay.close();
  });

  const post = async () => {
    while ((await fixture.app.app.jobs.runOnce('send-outbox')) !== '0 mails handled');
  };
  const isoDay = (days: number) => new Date(fixture.app.clock.now() + days * dayMs).toISOString().slice(0, 10);
  const send = async (more: Record<string, unknown> = {}) => {
    const { id } = await sendMessage(fixture.people.alice, {
      recipients: [ben, chiara],
      subject: 'Drawings for the Harbour tender',
      message: 'Here they are.',
      send_email: true,
      bcc_myself: false,
      attachments: [inlineFile('sections.pdf', 'the sections'), inlineFile('costs.xlsx', 'the costs')],
      ...more,
    });
    const { files } = await track(fixture.people.alice, id);
    return { id, files: files.map((file) => file.id) };
  };
  const polite = async (visit: AppVisit, sentence: string) => {
    await visit.page.locator('#announcer', { hasText: sentence }).waitFor({ state: 'attached' });
  };
  const personOf = (visit: AppVisit, address: string) => visit.page.locator(`[data-address="${address}"]`);
  const expand = async (visit: AppVisit, address: string) =>
    visit.page.getByRole('button', { name: `Show every step of ${address}` }).click();
  const choose = async (visit: AppVisit, address: string, action: string) => {
    await visit.page.getByRole('button', { name: `Actions for ${address}` }).click();
    await visit.page.getByRole('menuitem', { name: action }).click();
  };

  it('are listed with their state; filters are in the URL; several are extended or stopped together', async () => {
    const first = await fixture.open('/sent', 'ben', { width: 'narrow', scheme: 'dark' });
    await first.page.getByText('Messages you send will be listed here').waitFor();
    await first.assertAccessible();
    await first.close();

    const { files, id } = await send({ subject: 'Contract' });
    await send({ subject: '\u202eEvil <script>alert(1)</script>', recipients: [wrong], expires_at: isoDay(20) });
    const ended = await send({ subject: 'Stopped before' });
    await fixture.people.alice.expect(200, 'revokeMessage', { params: { id: ended.id }, body: {} });
    await post();
    await downloadAs(fixture.app, ben, id, files);
    const visit = await fixture.open('/sent');
    const { page } = visit;
    const main = page.getByRole('main');
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('Contract').getByText('1 of 2 downloaded').waitFor();
    await row('Contract').getByText('and 1 other').waitFor();
    await row('Evil').getByText('0 of 1', { exact: true }).waitFor();
    await row('Evil').getByText('Problem', { exact: true }).waitFor();
    await row('Evil').getByText('[U+202E]Evil <script>').waitFor();
    await row('Stopped before').getByText('Stopped', { exact: true }).waitFor();
    await visit.assertAccessible();

    await addFilter(page, 'Status', 'Problem');
    await page.waitForURL('**/app/sent?state=problem');
    await polite(visit, '1 result.');
    await addFilter(page, 'Person', 'nobody@');
    await main.getByText('Nothing matches these filters.').waitFor();
    assert.match(page.url(), /person=nobody%40/);
    await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).first().click();
    await row('Contract').waitFor();
    assert.equal(new URL(page.url()).search, '');

    await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
    await page.getByRole('button', { name: 'Extend', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Extend 3 messages' });
    await dialog.getByLabel('Available until').fill(isoDay(60));
    await dialog.getByLabel('Available until').press('Tab');
    visit.expectStatus(422);
    await dialog.getByRole('button', { name: 'Extend' }).click();
    await main.getByText('2 messages are available until').first().waitFor();
    await main.getByText('“Stopped before”: Sharing was stopped. Send the files again in a new message.').waitFor();
    await polite(visit, '2 messages are available until');
    await page.getByRole('button', { name: 'Actions for Contract' }).click();
    await page.getByRole('menuitem', { name: 'Stop sharing…' }).click();
    await page.getByRole('dialog', { name: 'Stop sharing “Contract”?' }).getByText('Nobody can open it').waitFor();
    await page.getByRole('button', { name: 'Stop sharing', exact: true }).click();
    await row('Contract').getByText('Stopped', { exact: true }).waitFor();
    await visit.close();
  });

  it('show a refused mail with its reason, and the corrected address gets it without a new upload', async () => {
    const { id } = await send({ recipients: [ben, wrong] });
    await post();
    const before = relay.received.length;
    // The mail about it links here.
    const visit = await fixture.open(`/sent/${id}?fix=1`);
    const { page } = visit;
    const main = page.getByRole('main');
    const dialog = page.getByRole('dialog', { name: `Correct ${wrong}` });
    const field = dialog.getByLabel('Right address');
    await field.waitFor();
    assert.equal(new URL(page.url()).search, '');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await main.getByText(`The e-mail to ${wrong} was refused. ${ben} has not opened it.`).waitFor();
    await main.getByText('Their mail server doesn’t know this address. Check how it is spelled.').waitFor();
    await main.getByText('Their server said: 550 5.1.1 No such user here').waitFor();
    await expand(visit, wrong);
    await personOf(visit, wrong).getByText('Their server said: 550 5.1.1 No such user here').first().waitFor();
    await visit.assertAccessible();

    const button = page.getByRole('button', { name: 'Correct the address' }).first();
    await button.focus();
    await page.keyboard.press('Enter');
    await field.waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.press('Enter');
    await dialog.getByText('This is the same address. Change it.').waitFor();
    visit.expectStatus(422);
    await field.fill(ben);
    await page.keyboard.press('Enter');
    await dialog.getByText(`This message goes to ${ben} already.`).waitFor();
    await visit.assertAccessible();
    await field.fill('dan@harbour.example');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await polite(visit, 'Corrected. The e-mail to dan@harbour.example waits to be sent.');
    await main.getByRole('heading', { name: '1 person without access' }).waitFor();
    await expand(visit, wrong);
    await personOf(visit, wrong).getByText('dan@harbour.example took this person’s place.').waitFor();
    await post();
    await main.getByText(`${ben} and dan@harbour.example have not opened it.`).waitFor();
    assert.deepEqual(
      relay.received.slice(before).map(({ envelopeTo }) => envelopeTo.join()),
      ['dan@harbour.example'],
    );
    await visit.close();
  });

  it('show a download immediately without user action, also after a restart of the server', async () => {
    const { id, files } = await send({ recipients: ['ben@example.com'] });
    await post();
    const sender = await fixture.open(`/sent/${id}`, 'alice', { width: 'narrow' });
    const main = sender.page.getByRole('main');
    await main.getByText('ben has not opened it.').waitFor();
    const loads: string[] = [];
    sender.page.on('load', () => loads.push('load'));

    const reader = await fixture.open('/received', 'ben');
    await reader.page.goto(`${fixture.app.url}/message/${id}`);
    const saved = reader.page.waitForEvent('download');
    await reader.page.getByRole('button', { name: /^Download sections\.pdf/ }).click();
    await (await saved).path();
    await main.getByText('ben has a part of it.').waitFor();
    const steps = sender.page.getByRole('list', { name: 'Steps of ben' });
    await steps.getByText('Fully downloaded “sections.pdf”').waitFor();
    await steps.getByText(/12 B · from 127\.0\.0\.1 · Chrome/).waitFor();
    await polite(sender, 'ben has a part of it.');

    await fixture.app.restart();
    await downloadAs(fixture.app, 'ben@example.com', id, [files[1]!]);
    await main.getByText('ben has everything.').waitFor();
    assert.deepEqual(loads, [], 'nothing was loaded anew');
    await reader.close();
    await sender.close();
  });

  it('let their sender remind, within limits that are shown', async () => {
    const { id, files } = await send();
    await post();
    await downloadAs(fixture.app, chiara, id, files);
    const early = await fixture.open(`/sent/${id}`);
    await early.page.getByText(`${chiara} has everything. ${ben} has not opened it.`).waitFor();
    assert.equal(await early.page.getByRole('button', { name: 'Remind' }).count(), 0, 'the mail has only just arrived');
    await early.close();
    fixture.app.clock.advance(dayMs);
    const visit = await fixture.open(`/sent/${id}`);
    const { page } = visit;
    const main = page.getByRole('main');
    await main.getByText(`${chiara} has everything. ${ben} has not opened it.`).waitFor();
    await page
      .getByRole('button', { name: `Remind ${ben}` })
      .first()
      .click();
    await polite(visit, `Reminder sent to ${ben}.`);
    await expand(visit, ben);
    await main.getByText('Reminded once, ').waitFor();
    await main.getByText('The next reminder can go ').waitFor();
    await page
      .getByRole('button', { name: `Remind ${ben}` })
      .first()
      .waitFor({ state: 'hidden' });
    await visit.close();

    // A day later, which also ends the session.
    await post();
    fixture.app.clock.advance(dayMs + 60_000);
    await fixture.people.alice.expect(200, 'remindRecipients', { params: { id }, body: {} });
    await post();
    fixture.app.clock.advance(dayMs + 60_000);
    const last = await fixture.open(`/sent/${id}`);
    await personOf(last, ben)
      .getByRole('button', { name: `Remind ${ben}` })
      .click();
    await expand(last, ben);
    await personOf(last, ben).getByText('Reminded 3 times').waitFor();
    await personOf(last, ben).getByText('That is as often as your group permits.').waitFor();
    await last.close();
  });

  it('get more time, more downloads and one more person', async () => {
    const { id, files } = await send({ expires_after: 1, expires_at: isoDay(2), recipients: [ben] });
    await post();
    await downloadAs(fixture.app, ben, id, [files[0]!]);
    const visit = await fixture.open(`/sent/${id}`);
    const { page } = visit;
    const main = page.getByRole('main');
    await main.getByText('No downloads of “sections.pdf” left').waitFor();
    await page.getByRole('button', { name: 'Extend' }).click();
    const extend = page.getByRole('dialog');
    await extend.getByRole('button', { name: '30 days' }).click();
    await extend.getByRole('button', { name: 'Extend' }).click();
    await extend.waitFor({ state: 'hidden' });
    assert.equal((await track(fixture.people.alice, id)).expires_at, isoDay(30));
    await polite(visit, 'Available until ');
    await page.waitForFunction(() => document.activeElement?.textContent === 'Extend');

    await choose(visit, ben, 'Allow more downloads');
    const allow = page.getByRole('dialog', { name: `Allow ${ben} more downloads` });
    await allow.getByText('Now this person can download each file once.').waitFor();
    await allow.getByLabel('Downloads of each file').fill('3');
    await allow.getByRole('button', { name: 'Allow' }).click();
    await main.getByText('2 downloads of each file left').waitFor();
    await polite(visit, `${ben} can download more.`);

    await page.getByRole('button', { name: 'Add a recipient' }).click();
    const add = page.getByRole('dialog', { name: 'Add a recipient' });
    await visit.assertAccessible();
    await add.getByRole('button', { name: 'Add and send' }).click();
    await add.getByText('Add at least one address.').waitFor();
    await add.getByLabel('Who else').pressSequentially('dana@harbour.example,');
    await add.getByRole('button', { name: 'Add and send' }).click();
    await polite(visit, 'dana@harbour.example was added.');
    await personOf(visit, 'dana@harbour.example').getByText('E-mail on its way').waitFor();
    await visit.close();
  });

  it('state exactly what a wrong recipient has received, and end their access', async () => {
    const { id, files } = await send();
    await post();
    await downloadAs(fixture.app, ben, id, [files[0]!]);
    const visit = await fixture.open(`/sent/${id}`, 'alice', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    const main = page.getByRole('main');
    await choose(visit, ben, 'Wrong recipient…');
    const dialog = page.getByRole('dialog', { name: `${ben} is the wrong recipient` });
    await dialog.getByText(`What ${ben} has got so far`).waitFor();
    await dialog.getByText('1 of 2 files, complete.').waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Take access away and record' }).click();
    const record = dialog.getByRole('region', { name: `What ${ben} had got by` });
    await record.waitFor();
    await polite(visit, `${ben} has no access any more. What was exposed is recorded.`);
    const announcements = await record.getByRole('listitem').allTextContents();
    assert.equal(announcements.length, 6);
    assert.match(announcements[0]!, /^Their server accepted the e-mail /);
    assert.equal(announcements[1], 'The e-mail showed the subject and the names of the files.');
    assert.equal(announcements[2], 'The text of the message was in the e-mail.');
    assert.match(announcements[3]!, /^The page was opened /);
    assert.match(announcements[4]!, /^“sections\.pdf” \(12 B\) was fully downloaded /);
    assert.equal(announcements[5], '“costs.xlsx” was not downloaded.');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await personOf(visit, ben).getByText('No access').waitFor();
    await page.getByRole('heading', { name: 'Wrong recipients' }).waitFor();
    await choose(visit, chiara, 'Take access away');
    await page.getByRole('dialog').getByRole('button', { name: 'Take access away' }).click();
    await polite(visit, `${chiara} has no access any more.`);
    await main.getByText('No one has access any more').first().waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('lose one file when their sender removes it, and say so', async () => {
    const { id, files } = await send();
    await downloadAs(fixture.app, ben, id, files);
    const visit = await fixture.open(`/sent/${id}?tab=files`);
    const { page } = visit;
    const main = page.getByRole('main');
    await main.getByRole('button', { name: 'Remove sections.pdf' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove “sections.pdf” from this message?' });
    await dialog.getByText('Those who already have it keep it. This can’t be undone.').waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Remove the file' }).click();
    await polite(visit, '“sections.pdf” has been removed.');
    await main.getByText(/^12 B · removed .* · fully downloaded once before$/).waitFor();
    assert.equal(await main.getByRole('button', { name: /^Remove / }).count(), 0, 'the last file stays');
    await page.getByRole('tab', { name: 'Activity' }).click();
    await main.getByText('You removed “sections.pdf”.').waitFor();
    await main.getByText(`${ben} downloaded “sections.pdf”.`).waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('are stopped by keyboard only, and stay as a record with files, activity and what was sent', async () => {
    const { id, files } = await send({ private_message: true });
    await post();
    await downloadAs(fixture.app, ben, id, files);
    const visit = await fixture.open(`/sent/${id}`);
    const { page } = visit;
    const main = page.getByRole('main');
    await page.getByRole('button', { name: 'Stop sharing' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Stop sharing “Drawings for the Harbour tender”?' });
    await dialog.waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent === 'Keep sharing');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await main.getByText('Sharing was stopped on ').waitFor();
    await polite(visit, 'Sharing has stopped.');
    assert.equal(await page.getByRole('button', { name: /^(Remind|Extend|Copy link|Stop sharing)/ }).count(), 0);

    await page.getByRole('tab', { name: 'People' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL('**?tab=files');
    await main.getByText('12 B · fully downloaded once · 1 of 2 people have it').waitFor();
    await page.getByRole('button', { name: 'Delete the files' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the files' }).click();
    await main.getByText('12 B · deleted').waitFor();
    await main.getByText('The files have been deleted. This record of who got what stays.').waitFor();

    visit.expectStatus(404);
    const release = await refuseUntilClicked(page, '**/activity?**', { status: 404, body: '' });
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('Something went wrong on our side. Try again.').waitFor();
    await release(page.getByRole('button', { name: 'Try again' }));
    const activity = page.getByRole('list', { name: 'What happened, newest first' });
    await activity.getByText('You deleted the files.').waitFor();
    await activity.getByText(`${ben} downloaded “costs.xlsx”.`).waitFor();
    await page.getByRole('combobox', { name: 'Show' }).click();
    await page.getByRole('option', { name: 'E-mail' }).click();
    await page.waitForURL('**kind=mail');
    await activity.getByText('You deleted the files.').waitFor({ state: 'hidden' });
    await activity.getByText(`The server of ${chiara} accepted the e-mail.`).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export CSV' }).click();
    assert.equal((await saved).suggestedFilename(), `activity-${id}.csv`);
    await visit.assertAccessible();
    await page.getByRole('tab', { name: 'Message' }).click();
    await main.getByText('Only the people you sent to').waitFor();
    await main.getByText('Yes: the text is read on the page, and you see when').waitFor();
    await visit.close();
  });

  it('stay readable after they have expired, while a stranger finds nothing', async () => {
    const { id } = await send({ expires_at: isoDay(1) });
    await post();
    fixture.app.clock.advance(3 * dayMs);
    await fixture.app.app.jobs.runOnce('expire');
    const visit = await fixture.open(`/sent/${id}`);
    const main = visit.page.getByRole('main');
    await main.getByText('It was available until ').waitFor();
    await main.getByText('extend it now and everyone can open it again').waitFor();
    await main.getByText(`${ben} and ${chiara} did not open it.`).waitFor();
    await visit.assertAccessible();
    await visit.close();

    const stranger = await fixture.open(`/sent/${id}`, 'ben');
    await stranger.page.getByRole('heading', { level: 1, name: 'There’s nothing at this address' }).waitFor();
    stranger.expectStatus(404);
    await stranger.close();
  });
});
