import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { type ApiClient, assertRefused } from '#test/kit/client.ts';
import { openMemoryTransport } from '#test/kit/mail-transport.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const day = 86_400_000;

onEachDatabase('a request for another address', (start) => {
  const transport = openMemoryTransport();
  const app = useApp(start, { mailTransport: transport, environment: { WAYBILL_ROLE: 'web' } });
  let group: string;
  before(async () => {
    group = await app.group('Press', { alias_requests: true });
  });

  const ask = (who: ApiClient, address: string, reason = '') => who.call('askForAlias', { body: { address, reason } });

  async function mailAbout(address: string): Promise<string> {
    await app.app.jobs.runOnce('send-outbox');
    const mails = transport.sent.map(({ mail }) => mail);
    const found = mails.filter(({ to, subject }) => to === app.admin.email && subject.includes(address));
    assert.equal(found.length, 1, address);
    return found[0]!.text;
  }

  testOnce('names the person with name and address, or with the address alone if there is no name', async () => {
    const nora = await newPerson(app, 'nora', { group, name: 'Nora Quist' });
    assert.equal((await ask(nora, 'press@example.com')).status, 200);
    assert.match(await mailAbout('press@example.com'), /Nora Quist \(nora@example\.com\)/);
    const nameless = await newPerson(app, 'nameless', { group, name: '' });
    assert.equal((await ask(nameless, 'desk@example.com')).status, 200);
    const text = await mailAbout('desk@example.com');
    assert.ok(text.includes('nameless@example.com'), text);
    assert.doesNotMatch(text, /\(nameless@example\.com\)/);
  });

  testOnce('contains the given reason, and no empty reason', async () => {
    const olga = await newPerson(app, 'olga', { group });
    assert.equal((await ask(olga, 'letters@example.com', 'Letters to the editor')).status, 200);
    const withReason = await mailAbout('letters@example.com');
    assert.match(withReason, /Letters to the editor/);
    assert.equal((await ask(olga, 'news@example.com', ' ')).status, 200);
    const without = await mailAbout('news@example.com');
    assert.match(withReason, /reason/i);
    assert.doesNotMatch(without, /reason/i);
  });

  testOnce('is mailed only to System Administrators whose accounts are active', async () => {
    await newPerson(app, 'boss', { group: 'administrators' });
    const chief = await newPerson(app, 'chief', { group: 'system-administrators' });
    const former = await newPerson(app, 'former', { group: 'system-administrators' });
    await app.admin.expect(200, 'changeUser', { params: { id: idOf(former) }, body: { user: { disabled: true } } });
    const petra = await newPerson(app, 'petra', { group });
    assert.equal((await ask(petra, 'orders@example.com')).status, 200);
    await mailAbout('orders@example.com');
    const mails = transport.sent.filter(({ mail }) => mail.subject.includes('orders@example.com'));
    assert.deepEqual(mails.map(({ mail }) => mail.to).sort(), [chief.email, app.admin.email].sort());
  });

  test('is possible five times within 24 hours of the first, for each person separately', async () => {
    const rosa = await newPerson(app, 'rosa', { group });
    assert.equal((await ask(rosa, 'rosa0@example.org')).status, 200);
    app.clock.advance(day / 2);
    for (let n = 1; n < 5; n++) assert.equal((await ask(rosa, `rosa${n}@example.org`)).status, 200);
    const refused = assertRefused(await ask(rosa, 'rosa5@example.org'), 429, 'alias.limit');
    assert.equal(refused.headers.get('retry-after'), String(day / 2 / 1000));
    const simone = await newPerson(app, 'simone', { group });
    assert.equal((await ask(simone, 'simone@example.org')).status, 200);
    app.clock.advance(day / 2 - 1);
    assertRefused(await ask(rosa, 'rosa5@example.org'), 429, 'alias.limit');
    app.clock.advance(1);
    assert.equal((await ask(rosa, 'rosa5@example.org')).status, 200);
  });
});
