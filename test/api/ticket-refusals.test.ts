import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { DistantBrowser, newNetwork, openDistantMailbox } from '#test/kit/distant-browser.ts';
import { linkTo } from '#test/kit/links.ts';
import { browserProving, countersOf, inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { rawRequest } from '#test/kit/raw-requests.ts';
import { useApp } from '#test/kit/use-app.ts';

const ben = 'ben@harbour.example';
const hourMs = 3_600_000;
const password = 'seven lamps along the pier';

onEachDatabase('a ticket that is refused', (start) => {
  const app = useApp(start, openDistantMailbox().options);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  const json = { accept: 'application/json' };
  /** Status and code for a program that has only the address. */
  async function program(path: string): Promise<[number, string | undefined]> {
    const reply = await rawRequest(`${app.url}${path}`, { headers: { ...json, 'x-forwarded-for': newNetwork() } });
    return [reply.status, /"code":"([^"]+)"/.exec(reply.text)?.[1]];
  }
  /** The same in the browser that clicked Download. */
  async function atHome(browser: Browser, path: string): Promise<[number, string | undefined]> {
    const reply = await browser.get(path, json);
    return [reply.status, /"code":"([^"]+)"/.exec(reply.text)?.[1]];
  }
  async function clickDownload(browser: Browser, path: string): Promise<string> {
    const { location } = await browser.submit(path, {}, { 'x-forwarded-for': newNetwork() });
    assert.match(location ?? '', /^\/dl\//);
    return location!;
  }
  const send = async () =>
    (
      await sendMessage(alice, {
        recipients: [ben],
        attachments: [inlineFile('plan.txt', 'the plan')],
        authorization: 3,
      })
    ).id;
  const newLink = async (settings: Record<string, unknown> = {}) =>
    (await linkTo(alice, (await alice.upload('plan.txt', 'the plan')).id, settings)).id;

  testOnce('is valid for a day, however long the message or link lasts', async () => {
    const browser = await browserProving(app, ben);
    const paths = [
      await clickDownload(browser, `/message/${await send()}/download`),
      await clickDownload(browser, `/link/${await newLink({ expires_at: '2027-02-01' })}/download`),
    ];
    app.clock.advance(24 * hourMs - 1);
    for (const path of paths) assert.equal((await browser.get(path, { range: 'bytes=0-3' })).status, 206);
    app.clock.advance(1);
    for (const path of paths) assert.deepEqual(await atHome(browser, path), [404, 'download.not_found']);
  });

  test('in other hands is "elsewhere", of a message and of links that check the visitor', async () => {
    const [id, asking, locked] = [
      await send(),
      await newLink({ require_authentication: true }),
      await newLink({ password }),
    ];
    const browser = await browserProving(app, ben);
    await browser.submit(`/link/${locked}/password`, { password });
    for (const form of [`/message/${id}/download`, `/link/${asking}/download`, `/link/${locked}/download`]) {
      const path = await clickDownload(browser, form);
      assert.deepEqual(await program(path), [403, 'download.elsewhere'], form);
      const page = await new DistantBrowser(app.url).get(path, { accept: 'text/html' });
      assert.equal(page.status, 403);
      assert.ok(page.text.includes(`href="${form.replace('/download', '')}"`), 'the way back to its page');
      assert.ok(!page.text.includes('the plan'));
      assert.match((await browser.get(path)).text, /the plan/);
    }
    assert.deepEqual(await countersOf(app, id), { [ben]: 1 });
  });

  testOnce(
    'of a link that has required an address since is not permitted at home, and "elsewhere" for others',
    async () => {
      const id = await newLink();
      const guest = new Browser(app.url);
      const path = await clickDownload(guest, `/link/${id}/download`);
      const proven = await browserProving(app, ben);
      const known = await clickDownload(proven, `/link/${id}/download`);
      const demand = (require_authentication: boolean) =>
        alice.expect(200, 'updateAuthentication', { params: { id }, body: { require_authentication } });
      await demand(true);
      assert.deepEqual(await atHome(guest, path), [403, 'download.not_permitted']);
      assert.deepEqual(await program(path), [403, 'download.elsewhere']);
      assert.equal((await proven.get(known)).text, 'the plan', 'the visitor had proven an address already');
      await demand(false);
      assert.equal((await guest.get(path)).text, 'the plan');
    },
  );

  testOnce('of a recipient who was revoked since is not permitted, and the others keep theirs', async () => {
    const recipients = [ben, 'cleo@harbour.example'];
    const attachments = [inlineFile('plan.txt', 'the plan')];
    const { id } = await sendMessage(alice, { recipients, attachments, authorization: 3 });
    const [of, cleo] = [await browserProving(app, ben), await browserProving(app, recipients[1]!)];
    const [path, other] = [
      await clickDownload(of, `/message/${id}/download`),
      await clickDownload(cleo, `/message/${id}/download`),
    ];
    await alice.expect(200, 'revokeRecipient', { params: { id, address: ben }, body: {} });
    assert.deepEqual(await atHome(of, path), [403, 'download.not_permitted']);
    const page = await of.get(path, { accept: 'text/html' });
    assert.equal(page.status, 403);
    assert.ok(!page.text.includes('the plan'));
    assert.match((await cleo.get(other)).text, /the plan/);
    assert.deepEqual(await countersOf(app, id), { [recipients[1]!]: 1 });
  });
});
