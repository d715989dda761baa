import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { consoleSearchAnswer } from '#contract/admin/search.ts';
import { searchAnswer } from '#contract/app/search.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';
import { referenceOf } from '#test/kit/references.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

onEachDatabase('Search in the console', (start) => {
  const app = useApp(start);
  const people = {} as Record<'alice' | 'boss' | 'chief' | 'vera' | 'root', ApiClient>;
  const references = {} as Record<'alice' | 'chief' | 'root', string>;

  before(async () => {
    const auditors = await app.group('Auditors', { role: 'auditor' });
    people.root = app.admin;
    people.alice = await newPerson(app, 'alice');
    people.boss = await newPerson(app, 'boss', { group: 'administrators' });
    people.chief = await newPerson(app, 'chief', { group: 'administrators' });
    people.vera = await newPerson(app, 'vera', { group: auditors });
    for (const name of ['alice', 'chief', 'root'] as const) {
      const message = { recipients: [`for-${name}@harbour.example`], subject: 'Secret plan', send_email: false };
      const { id } = await sendMessage(people[name], message);
      references[name] = (await referenceOf(app, id)).reference;
    }
  });

  const find = async (who: ApiClient, q: string) =>
    wireForm(consoleSearchAnswer, (await who.expect(200, 'searchConsole', { query: { q } })).body);
  const emailsOf = async (who: ApiClient, q: string) => (await find(who, q)).people.map(({ email }) => email);
  const transfersOf = async (who: ApiClient, q: string) =>
    (await find(who, q)).transfers.map(({ reference }) => reference).toSorted();
  const sorted = (...names: (keyof typeof references)[]) => names.map((name) => references[name]).toSorted();

  test('is refused to people who only send', async () => {
    await people.alice.refused(403, 'admin.not_permitted', 'searchConsole', { query: { q: 'boss' } });
    await people.root.refused(422, 'request.invalid', 'searchConsole', { query: { q: '' } });
  });

  test('finds the people below an administrator, everyone for a System Administrator, none for an auditor', async () => {
    const { alice, boss, chief, vera, root } = people;
    assert.deepEqual(await emailsOf(boss, 'example.com'), [alice.email, boss.email]);
    assert.deepEqual(await emailsOf(vera, 'example.com'), []);
    const all = [alice, boss, chief, root, vera].map(({ email }) => email);
    assert.deepEqual((await emailsOf(root, 'example.com')).toSorted(), all.toSorted());
  });

  test('finds transfers by reference, recipient, domain and owner, of owners below the caller only', async () => {
    const { boss, vera, root } = people;
    assert.deepEqual(await transfersOf(boss, 'harbour.example'), sorted('alice'));
    for (const who of [vera, root])
      assert.deepEqual(await transfersOf(who, 'harbour.example'), sorted('alice', 'chief', 'root'));
    for (const q of [references.chief, 'for-chief@harbour.example', 'chief']) {
      assert.deepEqual(await transfersOf(boss, q), [], q);
      assert.deepEqual(await transfersOf(vera, q), sorted('chief'), q);
    }
  });

  test('finds groups by name, and never a subject', async () => {
    const { boss, vera, root } = people;
    for (const who of [boss, vera, root]) {
      assert.deepEqual((await find(who, 'audit')).groups, [{ id: 'auditors', name: 'Auditors' }]);
      assert.deepEqual(await find(who, 'secret plan'), { people: [], groups: [], transfers: [] });
    }
  });

  test('finds matches in a name or subject before those in a domain', async () => {
    const { root, alice } = people;
    const late = await newPerson(app, 'zoe-com');
    assert.equal((await emailsOf(root, 'com'))[0], late.email);
    await sendMessage(alice, { recipients: ['ben@quay.example'], subject: 'The harbour wall', send_email: false });
    app.clock.advance(1000);
    await sendMessage(alice, { recipients: ['ben@harbour.example'], subject: 'Later', send_email: false });
    const { body } = await alice.expect(200, 'search', { query: { q: 'harbour' } });
    const subjects = wireForm(searchAnswer, body).messages.map(({ subject }) => subject);
    assert.deepEqual(subjects, ['The harbour wall', 'Later', 'Secret plan']);
  });
});
