import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { until } from '#test/kit/eventually.ts';
import { signIn } from '#test/kit/signed-in.ts';
import {
  type AppFixture,
  passwordOf,
  screenTitle,
  signInUnseen,
  skipWithoutBrowser,
  useAppFixture,
} from './app.fixture.ts';

describe('the frame of the app', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();

  it('sends people who are not signed in to the sign-in page, and back to the page they wanted', async () => {
    const reply = await fetch(`${fixture.app.url}/app/sent?page=2`, {
      headers: { accept: 'text/html' },
      redirect: 'manual',
    });
    assert.equal(reply.status, 303);
    assert.equal(reply.headers.get('location'), '/sign-in?to=%2Fapp%2Fsent%3Fpage%3D2');
    const visit = await fixture.open('/sent?page=2');
    assert.equal(new URL(visit.page.url()).pathname, '/app/sent');
    await until(async () => (await visit.page.title()) === 'Sent · Waybill');
    await visit.close();
  });

  for (const scheme of ['light', 'dark'] as const) {
    for (const width of ['wide', 'narrow', 768] as const) {
      it(`is accessible and fits, ${width}, ${scheme}`, async () => {
        const visit = await fixture.show('/received', 'admin', { width, scheme });
        // At the same width, dark differs from light only in colours.
        const checks = scheme === 'light' ? 'everything' : 'colours';
        await visit.assertAccessible(checks);
        await visit.page.getByRole('button', { name: 'Account menu of' }).click();
        await visit.page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
        await visit.assertAccessible(checks);
        await visit.page.keyboard.press('Escape');
        await visit.page.getByRole('menuitem', { name: 'Sign out' }).waitFor({ state: 'hidden' });
        await visit.close();
      });
    }
  }

  it('can be used by keyboard only: skip link, rail, h1, shortcuts, back', async () => {
    const visit = await fixture.open('/received');
    const { page } = visit;
    const focusIsOn = (words: string) =>
      until(() => page.evaluate((text) => document.activeElement?.textContent === text, words));
    await page.keyboard.press('Tab');
    await focusIsOn('Skip to content');
    await page.keyboard.press('Enter');
    await until(() => page.evaluate(() => document.activeElement?.id === 'content'));
    await page.getByRole('link', { name: 'Sent', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Sent' }).waitFor();
    await focusIsOn('Sent');
    await until(async () => (await page.title()) === 'Sent · Waybill');
    await page.keyboard.type('gl');
    await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor();
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.waitFor();
    await visit.assertAccessible();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    await page.keyboard.press('/');
    await page.keyboard.type('gs?');
    assert.equal(await page.getByRole('combobox').inputValue(), 'gs?', 'letters in a field are letters');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor();
    await visit.close();
  });

  it('leaves the focus where the user moved it while a dialog was closing', async () => {
    const visit = await fixture.open('/received');
    const { page } = visit;
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    const whereItIs = await page.evaluate(async () => {
      const isGone = new Promise<void>((resolve) => {
        new MutationObserver(() => document.querySelector('[role="dialog"]') ?? resolve()).observe(document.body, {
          childList: true,
          subtree: true,
        });
      });
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      await isGone;
      document.querySelector<HTMLElement>('main input')!.focus();
      // Everything that follows the dialog's closing has happened.
      await new Promise(requestAnimationFrame);
      await new Promise((resolve) => setTimeout(resolve));
      return document.activeElement?.tagName;
    });
    assert.equal(whereItIs, 'INPUT');
    await visit.close();
  });

  it('listens for changes before it reads what may change', async () => {
    const visit = await fixture.open('/account');
    const requested: string[] = [];
    visit.page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await visit.page.goto(`${fixture.app.url}/app/received`);
    await visit.page.getByRole('heading', { level: 1, name: 'Received' }).waitFor();
    const positionOf = (path: string) => requested.indexOf(`/app-api/${path}`);
    assert.ok(positionOf('received') > -1, 'the list was read');
    assert.ok(
      positionOf('me') < positionOf('events') && positionOf('events') < positionOf('received'),
      requested.join(' '),
    );
    await visit.close();
  });

  it('hides what the group may not use', async () => {
    await fixture.addPerson('rita', { can_use_filelinks: false });
    const visit = await fixture.open('/received', 'rita');
    const rail = visit.page.getByRole('navigation', { name: 'Main' });
    assert.equal(await rail.getByRole('link', { name: 'Sent', exact: true }).count(), 1);
    assert.equal(await rail.getByRole('link', { name: 'Links' }).count(), 0);
    await visit.close();
  });

  it('links to nothing that does not exist: every entry of the rail has a screen, for administrators too', async () => {
    const visit = await fixture.show('/received', 'admin');
    const { page } = visit;
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    const paths = await links.evaluateAll((found) => found.map((link) => link.getAttribute('href')));
    assert.ok(paths.length > 5, paths.join(' '));
    for (const [index, positionOf] of paths.entries()) {
      await links.nth(index).click();
      // Comes last: the console has its own rail.
      await page.waitForURL((url) => url.pathname.startsWith(String(positionOf)));
      await page.locator(screenTitle).waitFor();
      assert.equal(await page.getByText('There’s nothing at this address').count(), 0, String(positionOf));
    }
    await visit.close();
  });

  it('says that an unknown URL does not exist, and offers the search', async () => {
    const visit = await fixture.open('/nowhere/at/all');
    await visit.page.getByRole('heading', { level: 1, name: 'There’s nothing at this address' }).waitFor();
    await visit.page.getByRole('main').getByRole('button', { name: 'Search' }).click();
    await visit.page.getByRole('dialog', { name: 'Search' }).waitFor();
    await visit.close();
  });

  it('shows everything else in More on small screens', async () => {
    const visit = await fixture.open('/received', 'alice', { width: 'narrow' });
    await visit.page.getByRole('button', { name: 'More' }).click();
    await visit.page.getByRole('dialog').getByRole('link', { name: 'Download log' }).click();
    await visit.page.getByRole('heading', { level: 1, name: 'Download log' }).waitFor();
    await visit.close();
  });

  it('announces a lost connection and its return', async () => {
    const visit = await fixture.open('/received');
    await visit.setOffline(true);
    await visit.page.getByText('You’re offline. We’ll continue').waitFor();
    await visit.announced('You’re offline.');
    await visit.setOffline(false);
    await visit.page.getByText('You’re offline. We’ll continue').waitFor({ state: 'hidden' });
    await visit.announced('Back online.');
    await visit.close();
  });

  it('signs out, and nothing of the user stays in the browser', async () => {
    const visit = await fixture.open('/received');
    visit.expectStatus(401); // from refetches, because the page has already subscribed to events
    const { page } = visit;
    await page.evaluate(() => localStorage.setItem('waybill:scheme', 'dark'));
    await page.getByRole('button', { name: 'Account menu of' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-out');
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), ['waybill:scheme']);
    await page.goto(`${fixture.app.url}/app/sent`);
    await page.waitForURL('**/sign-in?to=%2Fapp%2Fsent');
    await visit.close();
  });

  it('asks to sign in again when the session has ended, and continues', async () => {
    const visit = await fixture.open('/received');
    const { page } = visit;
    visit.expectStatus(401);
    visit.expectStatus(422);
    await page.context().clearCookies();
    const dialog = page.getByRole('dialog', { name: 'Sign in again to continue' });
    // Retried: while a response to the old session is in flight, nothing is requested.
    await until(async () => {
      await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
      return dialog.isVisible();
    });
    await visit.assertAccessible();
    await page.keyboard.press('Escape');
    assert.ok(await dialog.isVisible(), 'it cannot be closed without an answer');
    await dialog.getByLabel('Password').fill('wrong wrong wrong wrong');
    await dialog.getByLabel('Password').press('Enter');
    await dialog.getByText('That doesn’t match.').waitFor();
    await dialog.getByLabel('Password').fill(passwordOf('alice'));
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { level: 1, name: 'Received' }).waitFor();
    await visit.close();
  });

  it('continues when another tab has signed in again: changes, files, signing out', async () => {
    const visit = await fixture.open('/account/you');
    const { page } = visit;
    visit.expectStatus(403);
    await page.getByLabel('Name').fill('Alice Smith');
    await signInElsewhere(page, fixture, 'alice');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[data-shown="true"]').getByText('Saved').waitFor();
    await page.getByRole('link', { name: 'Send files' }).click();
    await page.getByRole('heading', { level: 1, name: 'Send files' }).waitFor();
    await signInElsewhere(page, fixture, 'alice');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files' }).click(),
    ]);
    await chooser.setFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('plan') });
    await page.getByText('4 B · ready').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0, 'no password prompt');
    await signInElsewhere(page, fixture, 'alice');
    await page.getByRole('button', { name: 'Account menu of' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-out');
    await page.goto(`${fixture.app.url}/app/received`);
    await page.waitForURL('**/sign-in?to=%2Fapp%2Freceived');
    await visit.close();
  });

  it('switches to another user who signed in in another tab, and does nothing in their name', async () => {
    const visit = await fixture.open('/account/you');
    const { page } = visit;
    visit.expectStatus(403);
    await page.getByLabel('Name').fill('Not of Ben');
    await signInElsewhere(page, fixture, 'ben');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Account menu of ben' }).waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'ben');
    await visit.close();
  });

  for (const path of ['/received', '/send', '/log']) {
    it(`keeps to its budget on ${path}: 12 scripts of 280 KB, 4 styles of 50 KB, in any language`, async () => {
      await fixture.people.alice.expect(200, 'changeProfile', { body: { language: 'de' } });
      const visit = await fixture.open(path);
      const loaded = await visit.page.evaluate(() =>
        (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).map(
          ({ name, encodedBodySize: bytes }) => ({ name: new URL(name).pathname, bytes }),
        ),
      );
      await fixture.people.alice.expect(200, 'changeProfile', { body: { language: '' } });
      const budgets = [
        { ending: '.js', mostFiles: 12, mostBytes: 280 * 1024 },
        { ending: '.css', mostFiles: 4, mostBytes: 50 * 1024 },
      ];
      for (const { ending, mostFiles, mostBytes } of budgets) {
        const files = loaded.filter(({ name }) => name.endsWith(ending));
        const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
        const list = files.map(({ name }) => name).join('\n');
        assert.ok(files.length > 0 && files.length <= mostFiles, `${files.length} files:\n${list}`);
        assert.ok(bytes > 0 && bytes <= mostBytes, `${bytes} bytes of ${ending}`);
      }
      await visit.close();
    });
  }
});

describe('an unused session', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();

  it('is announced two minutes before its end; one click extends it, and so does any activity', async () => {
    const visit = await fixture.open('/sent');
    const { page } = visit;
    const notice = page.getByText('You’ll be signed out in 2 minutes.').first();
    await page.clock.install();
    const response = page.waitForResponse((response) => response.url().endsWith('/app-api/session'));
    await page.reload();
    await response;
    await page.locator(screenTitle).waitFor();
    assert.equal(await notice.count(), 0);
    let times = 0;
    const untilNoticed = async () => {
      // The user is inactive; automatic requests extend nothing.
      await page.clock.fastForward(2 * 60_000);
      fixture.app.clock.advance(58 * 60_000);
      times += 1;
      await fixture.app.admin.expect(200, 'changeUser', {
        params: { id: fixture.people.alice!.email },
        body: { user: { name: `Alice ${times}` } },
      });
      await page.getByRole('button', { name: `Account menu of Alice ${times}` }).waitFor();
      // The page may set its timer a moment later.
      await until(async () => {
        await page.clock.fastForward(58 * 60_000);
        return notice.isVisible();
      });
    };
    await untilNoticed();
    await until(async () => (await visit.announcements())[1].includes('2 minutes'));
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByRole('button', { name: 'Stay signed in' }).waitFor({ state: 'detached' });
    await untilNoticed();
    await page.getByRole('link', { name: 'Received' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Received' }).waitFor();
    await page.clock.fastForward(10_000);
    await page.getByRole('button', { name: 'Stay signed in' }).waitFor({ state: 'detached' });
    await visit.close();
  });

  it('asks for the password again when the code of the second factor comes too late', async () => {
    await fixture.addPerson('dora');
    const visit = await fixture.open('/sent', 'dora');
    visit.expectStatus(401);
    const { page } = visit;
    const { email } = fixture.people.dora!;
    const phone = await signIn(fixture.app, email, passwordOf('dora'));
    const offer = await phone.expect(200, 'startTotp', { body: { password: passwordOf('dora') } });
    const totp = new TOTP({ secret: Secret.fromBase32((offer.body as { totp: { secret: string } }).totp.secret) });
    const code = () => totp.generate({ timestamp: fixture.app.clock.now() });
    await phone.expect(200, 'confirmTotp', { body: { code: code() } });
    await page.getByRole('link', { name: 'Received' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    const fill = async (label: string, secret: string) => {
      await dialog.getByLabel(label).fill(secret);
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    await fill('Password', passwordOf('dora'));
    await dialog.getByLabel('Code').waitFor();
    fixture.app.clock.advance(11 * 60_000);
    await fill('Code', code());
    await dialog.getByText('That took too long.').waitFor();
    await fill('Password', passwordOf('dora'));
    await fill('Code', code());
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Received' }).waitFor();
    await visit.close();
  });
});

/** Replaces cookies in one step: without any, the app would ask for the password. */
async function signInElsewhere(page: Page, fixture: AppFixture, as: string): Promise<void> {
  const otherContext = await page.context().browser()!.newContext();
  await signInUnseen(otherContext, fixture, as);
  await page.context().addCookies(await otherContext.cookies());
  await otherContext.close();
}
