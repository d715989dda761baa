import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { wireShape } from '#contract/codec.ts';
import { download as entry } from '#contract/downloads.ts';
import { fetchFile } from '#test/kit/downloads.ts';
import { until } from '#test/kit/eventually.ts';
import { share } from '#test/kit/shared-files.ts';
import { Visitor } from '#test/kit/visitor.ts';
import { refuseUntilClicked, skipWithoutBrowser, useAppFixture } from './app.fixture.ts';
import { fillLog, locations } from './downloads.fixture.ts';

describe('the download log', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture(locations());

  it('is a sentence while there are no downloads, and fills automatically', async () => {
    await fixture.addPerson('nora');
    const visit = await fixture.open('/log', 'nora', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.getByText('When someone downloads, you’ll see it here.').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Where' }).count(), 0);
    await visit.assertAccessible();
    const { linkId } = await share(fixture.people.nora!, { name: 'plan.txt', bytes: 'the plan' });
    await fetchFile(fixture.app.url, await new Visitor(fixture.app.url).clickDownload(linkId));
    await page.getByRole('img', { name: '1 download from 1 country, most from France, 1.' }).waitFor();
    await page.getByText('Someone with the link').waitFor();
    await visit.close();
  });

  it('is filtered by country, file, device and day, in the URL; totals, map, list and sentences agree', async () => {
    await fillLog(fixture, 'alice', 260);
    const visit = await fixture.show('/log', 'alice');
    const { page } = visit;
    await page.getByRole('img', { name: /^\d+ downloads from 8 countries, most from Sweden, \d+\.$/ }).waitFor();
    await page.getByText(/^\d+ of \d+ without a location$/).waitFor();
    assert.deepEqual(await visit.announcements(), ['', '']);
    await visit.assertAccessible();
    const sweden = page.getByRole('button', { name: /^Sweden/ });
    const count = /\d+/.exec((await sweden.textContent())!.replace('Sweden', ''))![0];
    await sweden.click();
    await page.waitForURL('**/log?country=SE');
    await visit.announced(`${count} downloads, 1 country.`);
    assert.equal(await sweden.getAttribute('aria-pressed'), 'true');
    await page.getByText(`${count} results`).waitFor();
    await page.reload();
    await page.getByText(`${count} results`).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: /^Cost-sheet/ }).click();
    await page.waitForURL(/log\?file=\w{22}$/);
    await visit.go('/log?person=nobody@example.com');
    await page.getByText('Nothing matches these filters.').waitFor();
    assert.equal(await page.getByRole('img', { name: /countries/ }).count(), 0);
    await visit.close();
  });

  it('can be used by keyboard: range, bars, their table, an entry with all its fields', async () => {
    const visit = await fixture.show('/log?days=7', 'alice');
    const { page } = visit;
    const bars = page.getByRole('group', { name: 'Downloads over time' });
    await bars.waitFor();
    assert.equal(await bars.getByRole('button').count(), 7);
    await bars.getByRole('button').last().focus();
    await page.keyboard.press('ArrowLeft');
    const label = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
    const sunday = await label();
    assert.match(sunday, /^Sunday 15 November 2026: \d+ downloads?, /);
    await bars.getByText(sunday).waitFor();
    await page.getByRole('button', { name: 'Show as table' }).click();
    const day = page.getByRole('row', { name: /^Sunday 15 November 2026/ });
    const [, downloads, size] = /: (\d+) downloads?, (.+)$/.exec(sunday)!;
    assert.deepEqual(await day.getByRole('cell').allTextContents(), [downloads, size]);
    await page.getByRole('button', { name: 'Show as bars' }).click();
    await bars.getByRole('button', { name: sunday }).press('Enter');
    await page.waitForURL('**/log?from=2026-11-15&to=2026-11-15');
    await page.getByText(`${downloads} results`).waitFor();
    const opener = page.getByRole('button', { name: /^Details of the download of / }).first();
    await opener.focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog');
    await drawer.waitFor();
    assert.equal(await drawer.getByRole('term').count(), Object.keys(wireShape(entry)).length);
    await visit.assertAccessible();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    await until(async () => /^Details of/.test(await label()));
    await visit.close();
  });

  it('exports what is shown', async () => {
    const visit = await fixture.show('/log?country=FR', 'alice', { width: 'narrow' });
    const { page } = visit;
    await page.getByRole('button', { name: /^France/ }).waitFor();
    const count = Number(await page.locator('dl dd').first().textContent());
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    assert.match(csv.suggestedFilename(), /^downloads-[\d-]+\.csv$/);
    const lines = readFileSync(await csv.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    assert.deepEqual([lines.length, lines[0]!.split(',').length], [count + 1, 28]);
    await visit.assertAccessible();
    await visit.close();
  });

  it('shows the list when the statistics fail, and the statistics when the list fails', async () => {
    const visit = await fixture.open('/received', 'alice');
    const { page } = visit;
    visit.expectStatus(503);
    const refusal = {
      status: 503,
      contentType: 'application/json',
      body: '{"errors":["Too busy."],"code":"server.busy"}',
    };
    const release = await refuseUntilClicked(page, '**/app-api/log/figures*', refusal);
    await page.getByRole('link', { name: 'Download log' }).click();
    await page.getByText(/^\d+ results$/).waitFor();
    await page.getByText('Too busy.').waitFor();
    await release(page.getByRole('button', { name: 'Try again' }));
    await page.getByRole('heading', { name: 'Where' }).waitFor();
    await visit.close();
  });

  it('keeps the map to its budget of 55 KB', async () => {
    const visit = await fixture.open('/log', 'alice');
    await visit.page.getByRole('img', { name: /countries/ }).waitFor();
    const sizes = await visit.page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => name.includes('/world-map-') && name.endsWith('.js'))
        .map(({ encodedBodySize }) => encodedBodySize),
    );
    assert.ok(sizes.length === 1 && sizes[0]! > 0 && sizes[0]! <= 55 * 1024, `map: ${sizes} bytes`);
    await visit.close();
  });
});

describe('the download log without locations', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();

  it('says that locations are disabled, and to administrators how to enable them', async () => {
    await fillLog(fixture, 'alice', 20, false);
    const visit = await fixture.open('/log', 'alice');
    await visit.page.getByText('Locations are off. Your administrator can switch them on.').waitFor();
    await visit.assertAccessible();
    await visit.close();
  });
});
