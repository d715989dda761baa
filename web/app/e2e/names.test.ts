import { describe, it } from 'node:test';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { downloadAs, track } from '#test/kit/sent.ts';
import { skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const ben = 'ben@harbour.example';
const chiara = 'chiara@rossi.example';

describe('names of people', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture(openMailbox().options);

  it('typed once with the address, they are used from then on: “Ben has everything. Chiara has not opened it.”', async () => {
    const visit = await fixture.open('/send');
    const { page } = visit;
    const to = page.getByRole('combobox', { name: 'To' });
    await to.fill(`Ben <${ben}>, Chiara <${chiara}>`);
    await to.press('Enter');
    await page.getByLabel('Subject').fill('Drawings');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files' }).click(),
    ]);
    await chooser.setFiles({ name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('the plan') });
    await page.getByText('Ready').first().waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sent to 2 people' }).waitFor();
    const main = page.getByRole('main');
    await main.getByText('Chiara', { exact: true }).waitFor();
    await main.getByText(chiara, { exact: true }).waitFor();

    await until(async () => (await fixture.app.app.jobs.runOnce('send-outbox')) === '0 mails handled');
    const id = new URL(page.url()).searchParams.get('sent') ?? '';
    const { files } = await track(fixture.people.alice, id);
    await downloadAs(fixture.app, ben, id, [files[0]!.id]);
    await visit.go(`/sent/${id}`);
    await main.getByText('Ben has everything.').waitFor();
    await main.getByText('Chiara has not opened it.').waitFor();
    const row = page.locator(`[data-address="${ben}"]`);
    await row.getByText('Ben', { exact: true }).waitFor();
    await row.getByText(ben, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Actions for Ben' }).click();
    await page.getByRole('menuitem', { name: 'Take access away' }).click();
    await page.getByRole('dialog', { name: `Take access away from Ben (${ben})?` }).waitFor();
    await page.getByRole('button', { name: 'Keep access' }).click();
    await visit.assertAccessible();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await main.getByText('Ben downloaded “plan.pdf”.').waitFor();

    await visit.go('/sent?person=chiara');
    await page.getByRole('row').filter({ hasText: 'Drawings' }).getByText('Ben').waitFor();
    await visit.go('/log');
    const entry = page.getByRole('row').filter({ hasText: 'plan.pdf' });
    await entry.getByText('Ben', { exact: true }).waitFor();
    await entry.getByText(ben, { exact: true }).waitFor();
    await visit.close();
  });
});
