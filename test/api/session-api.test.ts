import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activateAccount, onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { ApiClient } from '#test/kit/client.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'seven lamps under a quiet river';
const email = 'plugin@example.com';

onEachDatabase('the browser sign-in of programs on the same computer', (start) => {
  const app = useApp(start);

  test('asks after the sign-in, then posts a key to a local port and holds it in the page', async () => {
    await app.admin.expect(200, 'createUser', { body: { user: { email, password } } });
    await activateAccount(app.app.ctx, email);
    const browser = new Browser(app.url);
    const path = '/session/api?agent_port=52000&agent_name=Outlook';
    const asked = await browser.get(path);
    assert.match(asked.location ?? '', /^\/sign-in\?to=%2Fsession%2Fapi/);
    const to = new URLSearchParams(asked.location!.split('?')[1]).get('to')!;
    assert.equal((await browser.submit('/sign-in', { email, password, to })).location, to);
    const page = await browser.get(to);
    assert.match(page.words, /Outlook/);
    assert.doesNotMatch(page.text, /id="api_key"/);
    const csrf = Browser.hidden(page, 'csrf');
    const fields = { csrf, agent_port: '52000', agent_name: 'Outlook' };
    assert.equal((await browser.submit('/session/api', { ...fields, csrf: 'x', answer: 'allow' })).status, 403);
    assert.doesNotMatch((await browser.submit('/session/api', { ...fields, answer: 'refuse' })).text, /id="api_key"/);
    const done = await browser.submit('/session/api', { ...fields, answer: 'allow' });
    const key = /id="api_key" value="([^"]+)"/.exec(done.text)?.[1];
    assert.ok(key !== undefined, done.text);
    assert.match(done.text, /action="http:\/\/localhost:52000\/"/);
    assert.match(done.headers.get('content-security-policy')!, /form-action 'self' http:\/\/localhost:52000;/);
    await new ApiClient(app.url, key, email).expect(200, 'getAccount', {});
  });

  test('refuses a port that is none, also as part of another address', async () => {
    for (const port of ['80', '70000', '52000@evil.example', 'evil.example'])
      assert.equal((await new Browser(app.url).get(`/session/api?agent_port=${encodeURIComponent(port)}`)).status, 422);
  });
});
