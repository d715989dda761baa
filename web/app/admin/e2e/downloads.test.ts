import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { share } from '#test/kit/shared-files.ts';
import { Visitor } from '#test/kit/visitor.ts';
import { passwordOf, skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('the download log of all people', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  before(async () => {
    const group = await fixture.app.group('Auditors', { role: 'auditor' });
    fixture.people.watcher = await fixture.app.person('watcher', { password: passwordOf('watcher'), group });
    const { alice, ben } = fixture.people;
    for (const owner of [alice, alice, ben]) {
      const { linkId } = await share(owner, { name: 'secret name.bin', bytes: 3000 });
      const visitor = new Visitor(fixture.app.url);
      await visitor.get(await visitor.clickDownload(linkId));
    }
  });

  it('shows auditors totals and rows, by keyboard as bars and as a table, without file names', async () => {
    const visit = await fixture.show('/admin/downloads', 'watcher');
    const { page } = visit;
    await page.getByText('Someone with the link').first().waitFor();
    await page.getByRole('button', { name: /: 3 downloads/ }).waitFor();
    assert.equal(await page.getByText('secret name').count(), 0);
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Show as table' }).focus();
    await page.keyboard.press('Enter');
    const table = page.getByRole('table', { name: 'Each day of the period' });
    await table.waitFor();
    assert.equal(await table.getByRole('row').count(), 31);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    assert.equal(
      readFileSync((await download.path())!, 'utf8')
        .trim()
        .split('\r\n').length,
      4,
    );
    await visit.close();
  });

  it('is filtered in the URL and fits the screen of a phone in dark mode', async () => {
    const visit = await fixture.show('/admin/downloads?person=ben@example.com&days=7', 'admin', {
      width: 'narrow',
      scheme: 'dark',
    });
    const { page } = visit;
    await page.getByText('Someone with the link').first().waitFor();
    assert.equal(await page.getByText('Someone with the link').count(), 1);
    await visit.assertAccessible();
    await visit.close();
  });
});
