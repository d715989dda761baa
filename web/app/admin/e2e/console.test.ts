import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { clickDownload } from '#test/kit/downloads.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { share } from '#test/kit/shared-files.ts';
import { passwordOf, screenTitle, skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

describe('the frame of the console', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  before(async () => {
    fixture.people.boss = await fixture.app.person('boss', { password: passwordOf('boss'), group: 'administrators' });
    const auditors = await fixture.app.group('Auditors', { role: 'auditor' });
    fixture.people.vera = await fixture.app.person('vera', { password: passwordOf('vera'), group: auditors });
  });

  it('is hidden from senders: no entry in the rail, nothing loaded, and a plain refusal at its URL', async () => {
    const visit = await fixture.open('/received', 'alice');
    const { page } = visit;
    const rail = page.getByRole('navigation', { name: 'Main' });
    await rail.getByRole('link', { name: 'Account' }).waitFor();
    assert.equal(await rail.getByRole('link', { name: 'Administration' }).count(), 0);
    await page.goto(`${fixture.app.url}/app/admin/people`);
    await page.getByRole('heading', { level: 1, name: 'You can’t open this' }).waitFor();
    await page.getByText('Administration is for administrators.').waitFor();
    assert.equal(await page.getByRole('navigation', { name: 'Main' }).count(), 1, 'they keep the places they know');
    await visit.assertAccessible();
    assert.deepEqual(await consoleFilesOf(page), []);
    await page.goto(`${fixture.app.url}/app/admin`);
    await page.getByRole('heading', { level: 1, name: 'You can’t open this' }).waitFor();
    assert.deepEqual(await consoleFilesOf(page), []);
    await visit.close();
  });

  it('is loaded for administrators only when they open it', async () => {
    const visit = await fixture.open('/received', 'boss');
    const { page } = visit;
    assert.deepEqual(await consoleFilesOf(page), []);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Administration' }).click();
    await page.waitForURL('**/app/admin/**');
    await page.locator(screenTitle).waitFor();
    assert.ok((await consoleFilesOf(page)).length > 0);
    await visit.close();
  });

  it('is shown complete: its navigation and its screen appear together', async () => {
    const visit = await fixture.open('/received', 'boss');
    const { page } = visit;
    await page.addInitScript(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      // The loading state appears after 0.3 s; a busy machine must not trigger it.
      const { setTimeout } = globalThis;
      const wait = (act: () => void, ms: number) => setTimeout(act, ms === 300 ? 600_000 : ms);
      Object.assign(globalThis, { setTimeout: wait });
      new MutationObserver(() => {
        const rail = document.querySelector('nav[aria-label="Administration"]');
        if (rail === null) return;
        if (rail.querySelector('a[href$="/admin/groups"]') === null) seen.push('no places');
        if (document.querySelector('main h1') === null) seen.push('no screen');
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto(`${fixture.app.url}/app/admin/people`);
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    assert.deepEqual(await page.evaluate('seen'), []);
    await visit.close();
  });

  it('shows on no screen what opens a transfer', async () => {
    const { alice } = fixture.people;
    const { linkId } = await share(alice);
    const { id } = await sendMessage(alice, { recipients: ['cleo@harbour.example'], subject: '', send_email: true });
    await fixture.app.app.jobs.runOnce('send-outbox');
    await clickDownload(fixture.app.url, linkId);
    for (const role of ['admin', 'vera']) {
      const visit = await fixture.show('/admin/transfers', role);
      const { page } = visit;
      await page.getByText('cleo@harbour.example').first().waitFor();
      for (const place of await pathsIn(page)) {
        await page.locator(`nav a[href="${place}"]`).first().click();
        await page.waitForURL(`**${place}`);
        await page.locator(screenTitle).waitFor();
        await page.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null);
        const shown = await page.content();
        for (const secret of [linkId, id]) assert.ok(!shown.includes(secret), `${place} for ${role}`);
      }
      await visit.close();
    }
  });

  for (const role of ['boss', 'admin']) {
    it(`links to nothing that does not exist or that ${role} may not open`, async () => {
      const visit = await fixture.show('/admin', role);
      const { page } = visit;
      await page.getByRole('link', { name: 'People', exact: true }).waitFor();
      for (const place of await pathsIn(page)) {
        await page.locator(`nav a[href="${place}"]`).first().click();
        await page.waitForURL(`**${place}`);
        await page.locator(screenTitle).waitFor();
        assert.equal(await page.getByText('There’s nothing at this address').count(), 0, place);
        assert.equal(await page.getByText('You can’t open this').count(), 0, place);
        assert.match(await page.title(), / · Waybill$/);
      }
      await visit.close();
    });
  }

  it('can be used by keyboard: g a opens it, arrow keys move, and back to the files', async () => {
    const visit = await fixture.show('/received', 'admin');
    const { page } = visit;
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.waitForURL('**/app/admin/**');
    await page.getByRole('link', { name: 'People', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await page.getByRole('link', { name: 'Back to your files' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await visit.close();
  });

  it('has groups that collapse and stay collapsed, and the way back above them', async () => {
    const visit = await fixture.show('/admin/overview', 'admin');
    const { page } = visit;
    const rail = page.getByRole('navigation', { name: 'Administration' });
    const group = rail.getByRole('button', { name: 'Files' });
    await group.press('Enter');
    await rail.getByRole('link', { name: 'Transfers' }).waitFor({ state: 'hidden' });
    assert.equal(await group.getAttribute('aria-expanded'), 'false');
    await page.reload();
    await rail.getByRole('link', { name: 'Groups' }).waitFor();
    assert.equal(await rail.getByRole('link', { name: 'Transfers' }).isVisible(), false);
    await visit.go('/admin/transfers');
    await rail.getByRole('link', { name: 'Transfers' }).waitFor();
    const [back, first] = [rail.getByRole('link').first(), rail.getByRole('listitem').first()];
    assert.equal(await back.textContent(), 'Back to your files');
    assert.ok((await back.boundingBox())!.y < (await first.boundingBox())!.y);
    await visit.close();
  });

  it('is centred on wide screens', async () => {
    const visit = await fixture.show('/admin/people', 'admin', { width: 2200 });
    const sides = await visit.page.evaluate(() => {
      const main = document.querySelector('main')!;
      const [outer, inner] = [main.parentElement!.getBoundingClientRect(), main.getBoundingClientRect()];
      return [inner.left - outer.left, outer.right - inner.right].map(Math.round);
    });
    assert.ok(sides[0]! > 200 && sides[0] === sides[1], `${sides}`);
    await visit.close();
  });

  it('has a menu in a drawer on small screens', async () => {
    const visit = await fixture.show('/admin/people', 'admin', { width: 'narrow', scheme: 'dark' });
    const { page } = visit;
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'Administration' });
    await drawer.getByRole('link', { name: 'People', exact: true }).waitFor();
    await visit.assertAccessible();
    await drawer.getByRole('link', { name: 'People', exact: true }).click();
    await drawer.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
    await visit.close();
  });

  it('uses the language of the user', async () => {
    await fixture.people.boss!.expect(200, 'changeProfile', { body: { language: 'de' } });
    const visit = await fixture.open('/admin/people', 'boss');
    await visit.page.getByRole('heading', { level: 1, name: 'Personen' }).waitFor();
    await visit.page.getByRole('navigation', { name: 'Verwaltung' }).getByRole('link', { name: 'Personen' }).waitFor();
    await visit.close();
    await fixture.people.boss!.expect(200, 'changeProfile', { body: { language: '' } });
  });
});

/** By their names in the build (vite.config.ts). */
function consoleFilesOf(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.includes('/console-')),
  );
}

async function pathsIn(page: Page): Promise<string[]> {
  const links = page.getByRole('navigation', { name: 'Administration' }).getByRole('listitem').getByRole('link');
  const found = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  return found.filter((path) => path.includes('/admin'));
}
