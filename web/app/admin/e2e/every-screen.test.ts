import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { sendMessage } from '#test/kit/messages.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { type AppVisit, screenTitle, skipWithoutBrowser, useAppFixture } from '../../e2e/app.fixture.ts';

const routes = readFileSync(new URL('../routes.tsx', import.meta.url), 'utf8');
const paths = [...routes.matchAll(/screen\(\s*'([^']+)'/g)].map(([, path]) => path!);

describe('every screen of the console', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  /** Of a long name each, by route. */
  const ids: Record<string, string> = {};

  before(async () => {
    const { admin, alice, ben } = fixture.people;
    const long = 'Engineering and maintenance of the northern harbours';
    ids['/groups/$id'] = await fixture.app.group(long, { match_domains: ['north.example'] });
    ids['/people/$id'] = idOf(alice);
    const drop = await admin.expect(200, 'createSystemDrop', {
      body: { filedrop: { name: 'plans', title: `Plans <b> ${long}`, receivers: [alice.email] } },
    });
    ids['/drop-pages/$id'] = (drop.body as { filedrop: { id: string } }).filedrop.id;
    await sendMessage(ben, {
      recipients: ['someone.with.a.very.long.address@harbour-authority.example'],
      subject: 'Drawings',
    });
    await admin.expect(200, 'setHold', { body: { hold: { user: alice.email, reason: long } } });
    await fixture.app.app.jobs.runOnce('send-outbox');
  });

  const addressOf = (path: string) => `/admin${path.replace('$id', ids[path] ?? '$id')}`;

  const open = async (path: string, view: Parameters<typeof fixture.show>[2]): Promise<AppVisit> => {
    const visit = await fixture.show(addressOf(path), 'admin', view);
    await visit.page.locator(screenTitle).waitFor();
    await visit.page.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null);
    return visit;
  };

  for (const path of paths)
    it(`is accessible and fits a phone in dark mode: ${path}`, async () => {
      const visit = await open(path, { width: 'narrow', scheme: 'dark' });
      await visit.assertAccessible();
      await visit.close();
    });

  it('lists rows in the one table, without a scroll box of its own', async () => {
    for (const path of paths) {
      const visit = await open(path, { width: 1440 });
      const found = await visit.page.evaluate(() => {
        const named = [...document.querySelectorAll('main *')];
        const scrolls = (one: Element) => {
          const { overflowX, overflowY } = getComputedStyle(one);
          const isBox = [overflowX, overflowY].some((how) => how === 'auto' || how === 'scroll');
          const isFull = one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth;
          return isBox && isFull && one.tagName !== 'TEXTAREA';
        };
        const strange = [...document.querySelectorAll('main table')].filter(
          (table) => table.querySelector('tbody tr:not([data-row])') !== null,
        );
        return { scrollBoxes: named.filter(scrolls).map(({ className }) => className), strange: strange.length };
      });
      assert.deepEqual({ path, ...found }, { path, scrollBoxes: [], strange: 0 });
      await visit.close();
    }
  });

  it('keeps forms as narrow as text, and stands in the middle of very wide windows', async () => {
    const visit = await open('/mail', { width: 1920 });
    const { page } = visit;
    const field = await page.getByRole('textbox', { name: 'Mail server' }).boundingBox();
    assert.ok(field !== null && field.width <= 700, `the field is ${field?.width} px wide`);
    const sides = await page.evaluate(() => {
      const rail = document.querySelector('nav[aria-label="Administration"]')!.getBoundingClientRect();
      const main = document.querySelector('main')!.getBoundingClientRect();
      return { before: main.left - rail.right, after: document.documentElement.clientWidth - main.right };
    });
    assert.ok(Math.abs(sides.before - sides.after) < 40, `${sides.before} px before, ${sides.after} px after`);
    await visit.close();
  });
});
