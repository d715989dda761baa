import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { contactsAnswer } from '#contract/app/contacts.ts';
import { appRequestAnswer, appRequestsAnswer } from '#contract/app/file-requests.ts';
import { sentListAnswer } from '#contract/app/messages.ts';
import { searchAnswer } from '#contract/app/search.ts';
import { fileRequestAnswer } from '#contract/file-requests.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { track } from '#test/kit/sent.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const chiara = 'chiara@rossi.example';

onEachDatabase('names of recipients', (start) => {
  const app = useApp(start);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  const send = (sender: ApiClient, recipients: string[], names: { address: string; name: string }[] = []) =>
    sendMessage(sender, { recipients, names, subject: 'Drawings', attachments: [inlineFile('plan.txt', 'plan')] });
  const list = async (who: ApiClient, query: Record<string, string> = {}) =>
    wireForm(sentListAnswer, (await who.expect(200, 'listSentMessages', { query })).body);

  test('a name that was entered is shown in the list, on the message, in suggestions and in the search', async () => {
    const { id } = await send(alice, [chiara], [{ address: 'Chiara@Rossi.example', name: ' Chiara Rossi ' }]);
    assert.deepEqual((await track(alice, id)).names, { [chiara]: 'Chiara Rossi' });
    assert.equal((await list(alice)).names[chiara], 'Chiara Rossi');
    const found = wireForm(contactsAnswer, (await alice.expect(200, 'listContacts', { query: { q: 'rossi' } })).body);
    assert.equal(found.people[0]?.name, 'Chiara Rossi');
    const search = wireForm(searchAnswer, (await alice.expect(200, 'search', { query: { q: 'Drawings' } })).body);
    assert.equal(search.names[chiara], 'Chiara Rossi');
  });

  testOnce('it is used for later messages without one, and a newer one replaces it', async () => {
    const { id } = await send(alice, [chiara]);
    assert.equal((await track(alice, id)).names[chiara], 'Chiara Rossi');
    await send(alice, [chiara], [{ address: chiara, name: 'Chiara R.' }]);
    assert.equal((await track(alice, id)).names[chiara], 'Chiara R.');
  });

  test('messages are found by the name of a person as by the address', async () => {
    const { id } = await send(alice, ['d.k@harbour.example'], [{ address: 'd.k@harbour.example', name: 'Dana Kovač' }]);
    for (const person of ['dana', 'Kovac', 'd.k@harbour'])
      assert.deepEqual(
        (await list(alice, { person })).messages.map((message) => message.id),
        [id],
        person,
      );
    assert.deepEqual((await list(alice, { person: 'unknown name' })).messages, []);
  });

  testOnce('no other user sees the name that a user entered for a person', async () => {
    const eve = await newPerson(app, 'eve');
    const { id } = await send(eve, [chiara]);
    assert.deepEqual((await track(eve, id)).names, {});
  });

  testOnce('colleagues are shown with the name they chose, whatever was entered', async () => {
    const ben = await newPerson(app, 'ben', { email: 'ben@example.com' });
    const { id } = await send(alice, [ben.email], [{ address: ben.email, name: 'Benny' }]);
    const said = (await track(alice, id)).names[ben.email];
    assert.ok(said !== undefined && said !== 'Benny', String(said));
  });

  testOnce('an invalid name is left out and never a reason to refuse', async () => {
    const addresses = ['one@n.example', 'two@n.example', 'three@n.example', 'four@n.example'];
    const { id } = await send(alice, addresses, [
      { address: 'one@n.example', name: 'x'.repeat(300) },
      { address: 'two@n.example', name: ' \n ' },
      { address: 'three@n.example', name: 'person@else.example' },
      { address: 'four@n.example', name: 'Four\r\nBcc: x' },
      { address: 'stranger@n.example', name: 'Stranger' },
      { address: 'no address', name: 'Unknown' },
    ]);
    assert.deepEqual((await track(alice, id)).names, { 'four@n.example': 'Four Bcc: x' });
  });

  testOnce('the name of a person who is added later is stored too', async () => {
    const { id } = await send(alice, ['first@pier.example']);
    const added = 'second@pier.example';
    const body = { recipients: [added], names: [{ address: added, name: 'Sigrid Pohl' }] };
    await alice.expect(200, 'addRecipients', { params: { id }, body });
    assert.deepEqual((await track(alice, id)).names, { [added]: 'Sigrid Pohl' });
  });

  testOnce('a file request stores and shows the name of the person asked', async () => {
    const asked = 'gus@harbour.example';
    const body = { request: { recipient: asked, names: [{ address: asked, name: 'Gus Berg' }], send_email: false } };
    const created = await alice.expect(200, 'createFileRequest', { body });
    const { id } = wireForm(fileRequestAnswer, created.body).request;
    const { request } = wireForm(appRequestAnswer, (await alice.expect(200, 'getAppRequest', { params: { id } })).body);
    assert.equal(request.names[asked], 'Gus Berg');
    const { names } = wireForm(appRequestsAnswer, (await alice.expect(200, 'listAppRequests')).body);
    assert.equal(names[asked], 'Gus Berg');
  });
});
