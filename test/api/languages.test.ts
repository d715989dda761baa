import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'seven lamps under a quiet river';

onOneEngine('the language of pages', (start) => {
  const app = useApp(start, { environment: { WAYBILL_LOCALE: 'sv-FI' } });

  const browse = () => new Browser(app.url);
  const localeOf = (reply: PageReply) => /<html lang="([^"]*)" dir="ltr">/.exec(reply.text)?.[1];
  const signedIn = async (name: string) => {
    const { email } = await app.person(name, { password, email: `${name}@example.com` });
    const browser = browse();
    assert.equal((await browser.submit('/sign-in', { email, password })).status, 303);
    return { browser, email };
  };
  const languageOf = async (email: string) =>
    (await app.app.ctx.db.read.selectFrom('users').select('language').where('email', '=', email).executeTakeFirst())
      ?.language;

  test('an unknown language, or none, is answered in the one of the installation, with its region', async () => {
    for (const language of ['pl', '*', '', 'de;q=0', ';;;,,', 'x'.repeat(5000), '../../etc/passwd', 'constructor']) {
      const reply = await browse().get('/sign-in', { 'accept-language': language });
      assert.equal(reply.status, 200);
      assert.equal(localeOf(reply), 'sv-FI', language);
    }
  });

  test('the first supported language of the browser is used, and named in the headers', async () => {
    const reply = await browse().get('/sign-in', { 'accept-language': 'pl, en;q=0.5, FR-ca;q=0.8, *;q=0.1' });
    assert.equal(localeOf(reply), 'fr');
    assert.equal(reply.headers.get('content-language'), 'fr');
    assert.match(reply.headers.get('vary') ?? '', /Accept-Language/);
    assert.equal(localeOf(await browse().get('/sign-in', { 'accept-language': 'sv-SE' })), 'sv-FI');
  });

  test('refusals are in the language of the reader too', async () => {
    const reply = await browse().get('/link/doesnotexist00000000', { 'accept-language': 'es' });
    assert.equal(reply.status, 404);
    assert.equal(localeOf(reply), 'es');
  });

  test('a refused call says why in the language of the account, and in the English of the API', async () => {
    const { email } = await signedIn('rosa');
    await app.app.ctx.db.write((tx) =>
      tx.updateTable('users').set({ language: 'de' }).where('email', '=', email).execute(),
    );
    const browser = await signIn(app, email, password);
    const reply = await browser.fetch('/app-api/links/doesnotexist00000000', { headers: { 'sec-fetch-mode': 'cors' } });
    const body = JSON.parse(reply.text) as Record<string, unknown>;
    assert.equal(reply.status, 404);
    assert.deepEqual(
      { ...body, request_id: '' },
      {
        errors: ['There is no such link.'],
        localized_errors: ['Diesen Link gibt es nicht.'],
        code: 'link.not_found',
        request_id: '',
      },
    );
  });

  test('a page says why it refuses in the language of the reader', async () => {
    const reply = await browse().submit('/language', { lang: 'pl', to: '/sign-in' }, { 'accept-language': 'de' });
    assert.equal(reply.status, 422);
    assert.match(reply.text, /Wählen Sie eine der Sprachen aus der Liste\./);
  });

  test('a program gets English only, whatever language it requests', async () => {
    const person = await app.person('tove', { email: 'tove@example.com' });
    const reply = await person.fetch('/link/doesnotexist00000000', {
      headers: { 'accept-language': 'de', accept: 'application/json' },
    });
    const body = JSON.parse(reply.text) as { errors: string[] };
    assert.equal(reply.status, 404);
    assert.ok(!('localized_errors' in body), reply.text);
    assert.doesNotMatch(body.errors[0]!, /gibt es/);
  });

  test('the switch refuses a language that is not in its list, and a form from elsewhere', async () => {
    const browser = browse();
    for (const lang of ['', 'pl', 'en-XA\u0000', '<script>', 'x'.repeat(300)]) {
      const reply = await browser.submit('/language', { lang, to: '/sign-in' });
      assert.equal(reply.status, 422, lang);
      assert.deepEqual(reply.headers.getSetCookie(), []);
    }
    const foreign = await browser.submit('/language', { lang: 'de' }, { origin: 'https://evil.example' });
    assert.equal(foreign.status, 403);
    assert.deepEqual(foreign.headers.getSetCookie(), []);
  });

  test('the switch leads back to its page and never to another site', async () => {
    const browser = browse();
    const leadsTo = async (to: string) => (await browser.submit('/language', { lang: 'de', to })).location;
    assert.equal(await leadsTo('/forgot'), '/forgot');
    assert.equal(await leadsTo('/sign-in?to=/x#y'), '/sign-in?to=/x');
    assert.equal(await leadsTo('/language?x=1'), '/', 'an address that only takes forms leads to the nearest page');
    for (const address of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '',
      '/no/such',
    ])
      assert.equal(await leadsTo(address), '/', address);
  });

  test('the cookie of the switch comes before the browser, and invalid ones are ignored', async () => {
    const browser = browse();
    const page = await browser.get('/sign-in', { 'accept-language': 'fr' });
    assert.match(page.text, /<form[^>]*action="\/language"/);
    assert.match(page.text, /<button[^>]* value="de" lang="de" name="lang">Deutsch<\/button>/);
    const reply = await browser.submit('/language', { lang: 'de', to: Browser.hidden(page, 'to') });
    assert.equal(reply.status, 303);
    assert.match(reply.headers.getSetCookie()[0] ?? '', /lang=de; Path=\/; HttpOnly; SameSite=Lax.*Max-Age=31536000/);
    assert.equal(localeOf(await browser.get('/sign-in', { 'accept-language': 'fr' })), 'de');
    const name = [...browser.cookies.keys()].find((cookie) => cookie.endsWith('lang'))!;
    browser.cookies.set(name, '"><script>');
    assert.equal(localeOf(await browser.get('/sign-in', { 'accept-language': 'fr' })), 'fr');
  });

  test("for people with an account the switch sets the account's language, which comes before everything else", async () => {
    const { browser, email } = await signedIn('lena');
    const page = await browser.get('/sign-out');
    const refused = await browser.submit('/language', { lang: 'de', to: '/sign-out', csrf: 'wrong' });
    assert.equal(refused.status, 403);
    assert.equal(await languageOf(email), null);
    const csrf = Browser.hidden(page, 'csrf');
    assert.equal((await browser.submit('/language', { lang: 'de', to: '/sign-out', csrf })).status, 303);
    assert.equal(await languageOf(email), 'de');
    const name = [...browser.cookies.keys()].find((cookie) => cookie.endsWith('lang'))!;
    browser.cookies.set(name, 'es');
    assert.equal(localeOf(await browser.get('/sign-out', { 'accept-language': 'fr' })), 'de');
    const events = await app.app.ctx.db.read.selectFrom('events').selectAll().execute();
    assert.equal(events.filter((event) => event.action === 'user.language_changed').length, 1);
  });
});
