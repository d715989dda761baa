import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

describe('the storage of a person', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();

  it('is freed from a refusal while sending, and the draft is complete afterwards', async () => {
    const rosa = await fixture.addPerson('rosa', { storage_quota: 1 });
    await rosa.upload('large.bin', 'x'.repeat(700_000), 'uploadForMessage');
    await sendMessage(rosa, { recipients: ['ben@harbour.example'], attachments: [inlineFile('small.txt', 'small')] });
    const visit = await fixture.open('/send', 'rosa', { width: 'narrow' });
    const { page } = visit;
    await page.getByLabel('Subject').fill('The drawings');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files' }).click(),
    ]);
    await chooser.setFiles([
      { name: 'first.txt', mimeType: 'text/plain', buffer: Buffer.alloc(1000, 'a') },
      { name: 'second.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(600_000, 'b') },
    ]);
    await page.getByRole('link', { name: 'Free up space' }).click();
    await page.waitForURL('**/account/storage?from=send');
    const files = page.getByRole('list', { name: 'Your largest files' }).getByRole('listitem');
    await files.first().getByText('large.bin').waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Delete file large.bin' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete file' }).click();
    await files.filter({ hasText: 'large.bin' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Back to your message' }).click();
    await page.waitForURL('**/send');
    assert.equal(await page.getByLabel('Subject').inputValue(), 'The drawings');
    await page
      .getByText('1.0 KB · ready')
      .or(page.getByText('1 KB · ready'))
      .or(page.getByText('1000 B · ready'))
      .first()
      .waitFor();
    await page.getByText('second.bin').first().waitFor();
    await visit.close();
  });
});
