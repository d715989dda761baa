import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openRelayTransport } from '#test/kit/mail-transport.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { downloadAs, track } from '#test/kit/sent.ts';
import { startRelay } from '#test/kit/smtp-relay.ts';
import { skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const wrong = 'dan@harbuor.example';

/** Knows no user at the misspelt domain. */
const relay = await startRelay({
  onRcptTo({ address }, _session, callback) {
    if (address !== wrong) return callback();
    callback(Object.assign(new Error('5.1.1 No such user here'), { responseCode: 550 }));
  },
});

const personOf = (page: Page, address: string) => page.locator(`[data-address="${address}"]`);

describe('the recipients of a message', { skip: skipWithoutBrowser }, () => {
  const transport = openRelayTransport(relay.port);
  // Mail is sent only when the test asks for it.
  const fixture = useAppFixture({ mailTransport: transport, environment: { WAYBILL_ROLE: 'web' } });
  after(() => relay.close());

  it('are followed for a hundred people on a phone: problems first, search, filters and pages', async () => {
    const people = Array.from({ length: 99 }, (_, n) => `person${String(n).padStart(2, '0')}@firm${n % 7}.example`);
    const { id } = await sendMessage(fixture.people.alice, {
      recipients: [wrong, ...people],
      send_email: true,
      bcc_myself: false,
      attachments: [inlineFile('sections.pdf', 'the sections')],
    });
    await fixture.app.app.jobs.runOnce('send-outbox');
    const files = (await track(fixture.people.alice, id)).files.map((file) => file.id);
    await downloadAs(fixture.app, people[30]!, id, files);
    const visit = await fixture.open(`/sent/${id}`, 'alice', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    const main = page.getByRole('main');
    const rows = page.locator('tbody[data-address]');
    await main.getByText(`The e-mail to ${wrong} was refused.`).first().waitFor();
    await page.getByText('100 people, 1 has downloaded everything').waitFor();
    assert.equal(await rows.count(), 25);
    assert.equal(await rows.first().getAttribute('data-address'), wrong);
    const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    assert.ok(
      heights.every((height) => height <= 52),
      `${heights}`,
    );
    const widths = await rows
      .first()
      .locator('tr > :is(th, td)')
      .evaluateAll((all) => all.map((cell) => cell.clientWidth));
    assert.ok(widths[1]! > 200, `the person has most of the row: ${widths}`);
    await visit.assertAccessible();

    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('Page 2 of 4').waitFor();
    await page.getByRole('searchbox', { name: 'Find a person' }).fill('person30');
    await page.getByText('Page 2 of 4').waitFor({ state: 'hidden' });
    await personOf(page, people[30]!).getByText('Has everything').waitFor();
    assert.equal(await rows.count(), 1);
    await page.getByRole('button', { name: `Show every step of ${people[30]}` }).click();
    await personOf(page, people[30]!).getByText('Fully downloaded “sections.pdf”').waitFor();
    await visit.assertAccessible();
    await page.getByRole('searchbox', { name: 'Find a person' }).fill('nobody@');
    await main.getByText('Nothing matches these filters.').waitFor();
    await visit.go(`/sent/${id}?state=problem`);
    await personOf(page, wrong).waitFor();
    assert.equal(await rows.count(), 1);
    await page.getByRole('button', { name: `Actions for ${wrong}` }).click();
    for (const item of ['Correct the address', 'Copy link', 'Take access away'])
      await page.getByRole('menuitem', { name: item }).waitFor();
    await visit.close();
  });
});
