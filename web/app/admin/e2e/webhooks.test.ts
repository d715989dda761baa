import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sendMessage } from '#test/kit/messages.ts';
import { openWebhookReceiver, type WebhookReceiver } from '#test/kit/webhook-receiver.ts';
import { skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('webhooks and streams', { skip: skipWithoutBrowser }, () => {
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await openWebhookReceiver();
  });
  after(() => receiver.close());
  const fixture = useAppFixture({ environment: { WAYBILL_WEBHOOK_NETWORKS: 'loopback' } });

  it('are accessible and fit the screen of a phone in dark mode', async () => {
    const visit = await fixture.show('/admin/webhooks', 'admin', { width: 'narrow', scheme: 'dark' });
    await visit.page.getByText('No stream is set up.').waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('shows why an address is refused, then adds one, tests it, changes its secret and deletes it', async () => {
    const visit = await fixture.show('/admin/webhooks', 'admin');
    const { page } = visit;
    const address = page.getByRole('textbox', { name: 'Address' });
    visit.expectStatus(422);
    await address.fill('https://10.0.0.1/');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText(/addresses on the internet only/).waitFor();
    await address.fill(receiver.url);
    await page.getByRole('radio', { name: 'Only some' }).check();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByText('Choose at least one kind of event.').waitFor();
    await page.getByRole('checkbox', { name: 'Message', exact: true }).check();
    await page.getByRole('checkbox', { name: 'expired' }).uncheck();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('textbox', { name: 'Secret' }).waitFor();
    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The receiver accepted a test event.').waitFor();
    receiver.answer = (_received, response) => void response.writeHead(500).end();
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The test failed: the answer was 500').waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Switch on' }).waitFor();
    await page.getByRole('button', { name: 'Change secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Change secret' }).click();
    await page.getByRole('textbox', { name: 'Secret' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No address receives events yet.').waitFor();
    await visit.close();
  });

  it('lists what was delivered, sends it again from an entry, and changes which events are sent', async () => {
    receiver.answer = (_received, response) => void response.writeHead(204).end();
    const { admin, alice } = fixture.people;
    const { body } = await admin.expect(200, 'createWebhook', { body: { webhook: { url: receiver.url } } });
    const { id } = (body as { webhook: { id: string } }).webhook;
    await sendMessage(alice, { recipients: ['ben@example.com'], subject: 'Plans' });
    await fixture.app.app.jobs.runOnce('deliver-webhooks');
    const visit = await fixture.open(`/admin/webhooks?webhook=${id}`, 'admin', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    const entry = page.getByRole('button', { name: /^Actions for Message: sent/ });
    await entry.waitFor();
    await visit.assertAccessible();
    const before = receiver.received.length;
    await entry.click();
    await page.getByRole('menuitem', { name: 'Send again from here' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await fixture.app.app.jobs.runOnce('deliver-webhooks');
    assert.ok(receiver.received.length > before);
    await page.getByRole('radio', { name: 'Only some' }).check();
    await page.getByRole('checkbox', { name: 'Legal hold', exact: true }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Legal hold: set and Legal hold: lifted').waitFor();
    await visit.assertAccessible();
    await visit.close();
  });
});
