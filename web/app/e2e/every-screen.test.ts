import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { sendMessage } from '#test/kit/messages.ts';
import { type AppVisit, passwordOf, screenTitle, signIn, skipWithoutBrowser, useAppFixture } from './app.fixture.ts';

const patterns = [
  '/send',
  '/sent',
  '/sent/$id',
  '/received',
  '/received/$id',
  '/links',
  '/links/$id',
  '/requests',
  '/requests/$id',
  '/drop',
  '/log',
  '/account',
  '/account/$section',
] as const;
const accountSections = ['you', 'addresses', 'notices', 'security', 'storage', 'keys', 'rules'];

describe('every screen', { skip: skipWithoutBrowser }, () => {
  const fixture = useAppFixture();
  /** By route pattern. */
  let paths: Record<(typeof patterns)[number], string[]>;

  before(async () => {
    const { alice, ben } = fixture.people;
    const { id: file } = await alice.upload(`${'A very long name of a drawing '.repeat(4)}<b>.pdf`, 'plan');
    const recipients = [ben.email, 'someone.with.a.very.long.address@harbour-authority.example'];
    const sent = await sendMessage(alice, {
      recipients,
      subject: 'Drawings <script> for the Harbour',
      attachments: [file],
    });
    const received = await sendMessage(ben, { recipients: [alice.email], subject: 'Cost sheet' });
    const link = await alice.expect(200, 'createFileLink', { body: { link: { attachment: file } } });
    const request = await alice.expect(200, 'createFileRequest', {
      body: { request: { recipient: 'sam@elsewhere.example', subject: 'Photos', send_email: false } },
    });
    const idOf = (body: unknown, noun: string) => (body as Record<string, { id: string }>)[noun]!.id;
    paths = {
      '/send': ['/send'],
      '/sent': ['/sent'],
      '/sent/$id': [`/sent/${sent.id}`],
      '/received': ['/received'],
      '/received/$id': [`/received/${received.id}`],
      '/links': ['/links'],
      '/links/$id': [`/links/${idOf(link.body, 'link')}`],
      '/requests': ['/requests'],
      '/requests/$id': [`/requests/${idOf(request.body, 'request')}`],
      '/drop': ['/drop'],
      '/log': ['/log'],
      '/account': ['/account'],
      '/account/$section': accountSections.map((section) => `/account/${section}`),
    };
  });

  it('is listed here', () => {
    const routes = readFileSync(new URL('../routes.tsx', import.meta.url), 'utf8');
    const paths = [...routes.matchAll(/screen\('([^']+)'/g)].map(([, path]) => path!);
    assert.deepEqual(patterns.toSorted(), paths.toSorted());
  });

  let visit: AppVisit;
  it('opens', async () => {
    visit = await fixture.open('/received');
  });

  for (const [index, pattern] of patterns.entries()) {
    // Two of the four combinations of width and scheme per screen.
    const [first, second] = index % 2 === 0 ? (['light', 'dark'] as const) : (['dark', 'light'] as const);
    it(`${pattern} is accessible and fits, and its main action is reached by keyboard`, async () => {
      for (const path of paths[pattern]) {
        await visit.page.setViewportSize({ width: 1280, height: 800 });
        await visit.page.emulateMedia({ colorScheme: first, reducedMotion: 'reduce' });
        // The server must serve the URL; then the app navigates itself.
        assert.equal((await visit.page.request.get(`${fixture.app.url}/app${path}`)).status(), 200, path);
        await visit.go(path);
        await settled(visit);
        await assertLayout(visit, `${path}, wide, ${first}`);
        await reachesMainAction(visit, path);
        await visit.page.emulateMedia({ colorScheme: second });
        await visit.page.setViewportSize({ width: 360, height: 740 });
        await settled(visit);
        await assertLayout(visit, `${path}, narrow, ${second}`);
      }
    });
  }

  it('requested no other origin, and violated no policy', () => visit.close());

  it('says without script what works without it', async () => {
    const visit = await fixture.open('/received');
    const context = await visit.page.context().browser()!.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${fixture.app.url}/sign-in?to=/app/send`);
    await signIn(page, fixture.people.alice.email, passwordOf('alice'));
    await page.getByRole('heading', { level: 1, name: 'This part needs JavaScript' }).waitFor();
    assert.equal((await page.request.get(`${fixture.app.url}/openapi.json`)).status(), 200);
    await page.getByRole('link', { name: 'Sign out, or use another account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${fixture.app.url}/sign-out`);
    await context.close();
    await visit.close();
  });
});

async function settled({ page }: AppVisit): Promise<void> {
  await page.locator(screenTitle).waitFor();
  await page.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null);
}

async function assertLayout(visit: AppVisit, where: string): Promise<void> {
  try {
    await visit.assertAccessible();
  } catch (error) {
    throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
  }
}

async function reachesMainAction({ page }: AppVisit, path: string): Promise<void> {
  const find = () => {
    const all = [...document.querySelectorAll<HTMLElement>('main [class*="_primary_"]')];
    return all.find((element) => element.matches('a, button') && element.offsetParent !== null) ?? null;
  };
  if (!(await page.evaluate(`(${find})() !== null`))) return;
  await page.locator('#content').focus();
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement === (${find})()`)) return;
  }
  assert.fail(`${path}: the main action is not reached by Tab`);
}
