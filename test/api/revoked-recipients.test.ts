// Revoked access ends everywhere, for each of the person's addresses (docs/adr/0028).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { appReceivedListAnswer } from '#contract/app/received.ts';
import { searchAnswer } from '#contract/app/search.ts';
import { inboxAnswer } from '#contract/messages.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { browserOf, fileUrlOf, inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const password = 'grey otters under a paper moon';

onEachDatabase('A recipient without access', (start) => {
  const app = useApp(start);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  /** Every place where a person could find a message. */
  async function placesOf(client: ApiClient, id: string, word: string): Promise<string[]> {
    const inbox = wireForm(inboxAnswer, (await client.expect(200, 'listInbox')).body).messages;
    const received = wireForm(appReceivedListAnswer, (await client.expect(200, 'listReceived')).body).items;
    const searched = wireForm(searchAnswer, (await client.expect(200, 'search', { query: { q: word } })).body);
    const byId = wireForm(searchAnswer, (await client.expect(200, 'search', { query: { q: id } })).body);
    const has = (list: { id: string }[]) => list.some((item) => item.id === id);
    const places = {
      inbox: has(inbox),
      received: has(received),
      search: has(searched.messages),
      'search by id': has(byId.messages),
      message: (await client.call('getMessage', { params: { id } })).status === 200,
      'received message': (await client.call('getReceived', { params: { id } })).status === 200,
    };
    return Object.entries(places)
      .filter(([, isThere]) => isThere)
      .map(([place]) => place);
  }
  const everywhere = ['inbox', 'received', 'search', 'search by id', 'message', 'received message'];

  const personWith = async (name: string, aliases: string[]): Promise<{ person: ApiClient; browser: Browser }> => {
    const person = await newPerson(app, name, { password });
    const id = person.email.replace(/[^a-z0-9]+/g, '-');
    await app.admin.expect(200, 'changeUser', { params: { id }, body: { user: { recipient_aliases: aliases } } });
    return { person, browser: await browserOf(app, person.email, password) };
  };
  /** The download address for a signed-in person; null when the file is not offered. */
  const clickDownload = async (browser: Browser, id: string, file: string): Promise<string | null> => {
    const page = await browser.get(`/message/${id}`);
    const fields: Record<string, string> = page.text.includes('name="csrf"')
      ? { csrf: Browser.hidden(page, 'csrf') }
      : {};
    const { location } = await browser.submit(`/message/${id}/download/${file}`, fields);
    return location?.includes('/dl/') === true ? location : null;
  };
  const revokeAccess = (id: string, address: string) =>
    alice.expect(200, 'revokeRecipient', { params: { id, address }, body: {} });

  test('finds the message in no list, and the others still do', async () => {
    const { person: ben } = await personWith('ben', []);
    const { person: cleo } = await personWith('cleo', []);
    const recipients = [ben.email, cleo.email];
    const { id } = await sendMessage(alice, { recipients, subject: 'Lighthouse plans', authorization: 3 });
    for (const client of [ben, cleo]) assert.deepEqual(await placesOf(client, id, 'lighthouse'), everywhere);
    await revokeAccess(id, ben.email);
    assert.deepEqual(await placesOf(ben, id, 'lighthouse'), []);
    assert.deepEqual(await placesOf(cleo, id, 'lighthouse'), everywhere);
  });

  test('who was reached by an alias finds it in no list either', async () => {
    const { person: dora } = await personWith('dora', ['desk@harbour.example']);
    const { id } = await sendMessage(alice, {
      recipients: ['desk@harbour.example'],
      subject: 'Pier',
      authorization: 3,
    });
    assert.deepEqual(await placesOf(dora, id, 'pier'), everywhere);
    await revokeAccess(id, 'desk@harbour.example');
    assert.deepEqual(await placesOf(dora, id, 'pier'), []);
  });

  testOnce('gets none back by aliases, as a local user, with earlier tickets too', async () => {
    const alias = 'team@harbour.example';
    const { person: eve, browser } = await personWith('eve', [alias, 'eve@harbour.example']);
    for (const authorization of [1, 2, 3, 4]) {
      const { id } = await sendMessage(alice, {
        recipients: [eve.email, alias],
        subject: 'Breakwater',
        authorization,
        attachments: [inlineFile('plan.txt', 'the plan')],
      });
      const url = await fileUrlOf(eve, id);
      const [, , , file] = url.split('/');
      assert.equal((await eve.fetch(url)).status, 200);
      const ticket = await clickDownload(browser, id, file!);
      await revokeAccess(id, eve.email);
      assert.deepEqual(await placesOf(eve, id, 'breakwater'), [], `level ${authorization}`);
      assert.equal((await eve.fetch(url)).status, 404);
      assert.equal((await browser.get(ticket!)).status, 403);
      assert.equal(await clickDownload(browser, id, file!), null);
    }
  });

  testOnce("loses a ticket that was issued to an alias when the account's own address loses access", async () => {
    const alias = 'crew@harbour.example';
    const { person: fay, browser } = await personWith('fay', [alias]);
    for (const isTurnedAway of [false, true]) {
      const { id } = await sendMessage(alice, {
        recipients: [alias],
        authorization: 2,
        attachments: [inlineFile('plan.txt', 'the plan')],
      });
      const [, , , file] = (await fileUrlOf(fay, id)).split('/');
      const ticket = await clickDownload(browser, id, file!);
      await alice.expect(200, 'addRecipients', { params: { id }, body: { recipients: [fay.email] } });
      if (isTurnedAway) await revokeAccess(id, fay.email);
      assert.equal((await browser.get(ticket!)).status, isTurnedAway ? 403 : 200);
    }
  });
});
