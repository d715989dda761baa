import { before, describe, it } from 'node:test';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { type AppVisit, skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('the review of messages', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture({ environment: { WAYBILL_ROLE: 'web' } });
  before(async () => {
    await fixture.addPerson('rosa', { message_review: 'all', content_type_mismatch: 'hold' });
  });

  async function send(subject: string): Promise<string> {
    const { id } = await sendMessage(fixture.people.rosa!, {
      recipients: ['ben@example.com', 'chiara@harbour.example'],
      subject,
      send_email: true,
      attachments: [inlineFile('drawing.png', 'MZ program'), inlineFile('plan.txt', 'plan')],
    });
    await fixture.app.app.jobs.runOnce('scan-files');
    return id;
  }

  async function decide(visit: AppVisit, verb: 'Release' | 'Refuse', reason: string): Promise<void> {
    const { page } = visit;
    await page.getByRole('button', { name: verb }).click();
    const dialog = page.getByRole('dialog', { name: `${verb} the message from rosa?` });
    await dialog.getByRole('button', { name: verb }).click();
    const field = dialog.getByRole('textbox', { name: 'Reason' });
    await field.and(page.locator('[aria-invalid="true"]')).waitFor();
    await visit.assertAccessible();
    await field.fill(reason);
    await dialog.getByRole('button', { name: verb }).click();
    await page.getByText('No message waits.').waitFor();
  }

  it('says so while no message waits', async () => {
    const visit = await fixture.show('/admin/reviews', 'admin', { width: 'narrow', scheme: 'dark' });
    await visit.page.getByText('No message waits.').waitFor();
    await visit.assertAccessible();
    await visit.close();
  });

  it('opens from the overview, shows why the message waits, and refuses it with a reason that its sender sees', async () => {
    const id = await send('Harbour');
    const sender = await fixture.open(`/sent/${id}`, 'rosa');
    await sender.page.getByText('This message waits for a second person').waitFor();
    await sender.assertAccessible();
    await sender.close();
    const visit = await fixture.open('/admin/overview', 'admin');
    const { page } = visit;
    await page.getByText('1 message waits for a second person').waitFor();
    await page.locator('main').getByRole('link', { name: 'Message reviews' }).click();
    await page.getByRole('cell', { name: 'rosa' }).waitFor();
    await visit.assertAccessible();
    await page.locator('main td').getByRole('link').first().click();
    await page.getByText('ben@example.com and chiara@harbour.example').waitFor();
    await page.getByText('Nothing found').waitFor();
    await visit.assertAccessible();
    visit.expectStatus(422);
    await decide(visit, 'Refuse', 'Wrong harbour');
    await visit.close();
    const told = await fixture.open('/sent', 'rosa', { width: 'narrow', scheme: 'dark' });
    await told.page.getByText('Refused').waitFor();
    await told.page.getByRole('link', { name: 'Harbour' }).click();
    await told.page.getByText('Reason: Wrong harbour').waitFor();
    await told.assertAccessible();
    await told.close();
  });

  it('releases a message on a phone in dark mode', async () => {
    await send('Harbour again');
    const visit = await fixture.open('/admin/reviews', 'admin', { width: 'narrow', scheme: 'dark' });
    await visit.assertAccessible();
    await visit.page.locator('main li').getByRole('link').first().click();
    await visit.page.getByRole('button', { name: 'Release' }).waitFor();
    await visit.assertAccessible();
    visit.expectStatus(422);
    await decide(visit, 'Release', 'Known sender');
    await visit.close();
  });
});
