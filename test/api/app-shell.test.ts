import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import type { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { browserOf, newPerson } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'seven lamps under a quiet river';

onOneEngine('The first paint of the app', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let browser: Browser;
  before(async () => {
    alice = await newPerson(app, 'alice', { password });
    browser = await browserOf(app, alice.email, password);
  });

  const shell = async (path: string, language = 'en') =>
    (await browser.get(path, { 'accept-language': language })).text;
  const titleIn = (html: string) => /<div class="frame-title">([^<]*)<\/div>/.exec(html)?.[1];

  test('names the screen of an address, and none where the address shows another one', async () => {
    for (const [path, language, title] of [
      ['/app/sent', 'en', 'Sent'],
      ['/app/sent/', 'en', 'Sent'],
      ['/app/sent?q=plan', 'en', 'Sent'],
      ['/app/sent', 'de', 'Gesendet'],
      ['/app/send?sent=abc', 'en', ''],
      ['/app/links?q=plan&new=1', 'en', ''],
      ['/app/sent/abc', 'en', ''],
      ['/app', 'en', ''],
      ['/app/nowhere', 'en', ''],
    ] as const)
      assert.equal(titleIn(await shell(path, language)), title, `${path} in ${language}`);
  });

  test('preloads the script of that screen, and of no other', async () => {
    const scripts = async (path: string) =>
      [...(await shell(path)).matchAll(/rel="modulepreload" href="([^"]*)"/g)].map(([, url]) => url!);
    const [sent, links, nowhere] = [await scripts('/app/sent'), await scripts('/app/links'), await scripts('/app/x')];
    assert.ok(sent.some((url) => /\/sent[.-]/.test(url)) && links.some((url) => /\/file-links[.-]/.test(url)));
    assert.ok(![...links, ...nowhere].some((url) => /\/sent[.-]/.test(url)));
    assert.equal(new Set(sent).size, sent.length);
    for (const url of sent) assert.equal((await browser.get(url)).status, 200, url);
  });

  test('is light or dark only for users who chose so', async () => {
    const scheme = async () => /<html [^>]*data-mantine-color-scheme="(\w+)"/.exec(await shell('/app'))?.[1];
    for (const theme of ['system', 'dark', 'light'] as const) {
      await alice.expect(200, 'changeProfile', { body: { theme } });
      assert.equal(await scheme(), theme === 'system' ? undefined : theme);
    }
  });

  test('has the font, the icon and, where there are some, the colours of the organisation', async () => {
    const plain = await shell('/app');
    assert.match(plain, /rel="stylesheet" href="[^"]*\/fonts\.[^"]*\.css"/);
    assert.match(plain, /rel="icon"[^>]*href="[^"]*icon\.[^"]*\.svg"/);
    assert.doesNotMatch(plain, /\/brand\/colours\./);
    await app.admin.expect(200, 'changeBranding', { body: { branding: { colour: '#8A1538' } } });
    const own = await shell('/app');
    assert.match(own, /--color-brand: ?#8a1538/i);
    assert.match(own, /href="[^"]*\/brand\/colours\./);
  });

  test('says what works without script, in the language of the reader', async () => {
    for (const [language, title, words] of [
      ['en', 'This part needs JavaScript', 'API'],
      ['de', 'Dieser Teil braucht JavaScript', 'Beschreibung der API'],
    ] as const) {
      const html = await shell('/app', language);
      const text = /<noscript>(.*?)<\/noscript>/s.exec(html)![1]!;
      assert.ok(text.includes(title), text);
      assert.match(text, new RegExp(`href="/openapi\\.json">[^<]*${words}`));
      assert.match(text, /href="\/sign-out"/);
    }
  });
});
