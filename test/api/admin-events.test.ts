import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { eventsAnswer } from '#contract/admin/events.ts';
import { changesIn } from '#server/actions/audit/audit.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { searched } from '#test/kit/references.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 86_400_000;

onEachDatabase('the event log', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let boss: ApiClient;
  let auditor: ApiClient;
  let message: string;
  before(async () => {
    alice = await newPerson(app, 'alice');
    boss = await newPerson(app, 'boss', { group: 'administrators' });
    auditor = await newPerson(app, 'auditor', { group: await app.group('Auditors', { role: 'auditor' }) });
    message = (await sendMessage(alice, { recipients: ['ben@harbour.example'], subject: '=1+1', send_email: false }))
      .id;
    await app.admin.expect(200, 'changeGroup', {
      params: { id: 'local-users' },
      body: { group: { message_max_size: 77 } },
    });
    app.clock.advance(2 * dayMs);
    await boss.expect(200, 'stopTransfer', {
      params: await searched(app.admin, message),
      body: { reason: 'Wrong customer' },
    });
  });

  const list = async (query: Record<string, string> = {}, who = app.admin) =>
    wireForm(eventsAnswer, (await who.expect(200, 'listEvents', { query })).body);
  const actions = async (query: Record<string, string> = {}, who = app.admin) =>
    (await list(query, who)).events.map(({ action }) => action).filter((action) => action !== 'list.viewed');

  testOnce('is for administrators and auditors, and refuses invalid filters', async () => {
    await app.anonymous.refused(401, 'credentials.invalid', 'listEvents');
    await alice.refused(403, 'admin.not_permitted', 'listEvents');
    await alice.refused(403, 'admin.not_permitted', 'exportEvents');
    const bad: [number, string, Record<string, string>][] = [
      [422, 'event.unknown_action', { action: 'nothing' }],
      [422, 'list.bad_place', { after: 'x' }],
      [422, 'log.bad_range', { from: '2026-02-02', to: '2026-02-01' }],
      [422, 'request.invalid', { from: '2026-02-30' }],
      [404, 'user.not_found', { person: 'unknown@example.com' }],
    ];
    for (const [status, code, query] of bad) await app.admin.refused(status, code, 'listEvents', { query });
  });

  testOnce('records who did what to which subject, with the values before and after', async () => {
    const { events } = await list({ object: `${app.url}/message/${message}` });
    assert.deepEqual(
      events.map(({ action }) => action),
      ['message.revoked', 'message.sent'],
    );
    const [stopped] = events;
    assert.deepEqual([stopped!.actor!.email, stopped!.owner!.email], [boss.email, alice.email]);
    assert.deepEqual(stopped!.changes, [{ field: '', from: 'open', to: 'stopped' }]);
    assert.equal(stopped!.facts.reason, 'Wrong customer');
    const [changed] = (await list({ action: 'group.changed' })).events;
    assert.deepEqual(changed!.changes, [{ field: 'message_max_size', from: 5120, to: 77 }]);
  });

  test('is filtered by person, kind, prefix of a kind, and day', async () => {
    assert.ok((await actions({ person: alice.email })).includes('message.sent'));
    assert.ok((await actions({ person: idOf(boss) })).includes('message.revoked'));
    assert.ok(!(await actions({ person: idOf(boss) })).includes('message.sent'));
    assert.deepEqual(await actions({ action: 'message' }), ['message.revoked', 'message.sent']);
    assert.deepEqual(await actions({ action: 'message.sent', person: alice.email }), ['message.sent']);
    assert.deepEqual(await actions({ days: '1' }), ['message.revoked']);
    assert.ok(!(await actions({ to: '2026-11-17' })).includes('message.revoked'));
    assert.deepEqual(await actions({ from: '2026-11-18' }), ['message.revoked']);
  });

  test('returns each event once over several pages, newest first', async () => {
    const all = (await list({ size: '100' })).events.map(({ id }) => id);
    const paged: number[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const page: Awaited<ReturnType<typeof list>> = await list({ size: '3', ...(after === '' ? {} : { after }) });
      paged.push(...page.events.map(({ id }) => id));
      after = page.next;
    }
    assert.deepEqual(paged, all);
    assert.deepEqual(
      all.toSorted((one, other) => other - one),
      all,
    );
  });

  test('shows administrators no events of people above them, and shows auditors all events', async () => {
    assert.ok((await actions({ size: '100' }, auditor)).includes('group.changed'));
    assert.ok(!(await actions({ size: '100' }, boss)).includes('group.changed'));
    const { events } = await list({ person: alice.email, action: 'user.created' }, boss);
    assert.deepEqual(events[0]!.actor, { id: idOf(app.admin), email: '', name: '' });
    await boss.refused(404, 'user.not_found', 'listEvents', { query: { person: app.admin.email } });
  });

  testOnce('is exported as a file whose cells no spreadsheet runs', async () => {
    const { text, headers } = await auditor.expect(200, 'exportEvents', { query: { action: 'message' } });
    assert.match(headers.get('content-type') ?? '', /^text\/csv/);
    const lines = text.trim().split('\r\n');
    assert.match(lines[0]!, /^id,at,action,actor,owner/);
    assert.equal(lines.length, 3);
    assert.ok(lines[1]!.includes('message.revoked') && lines[1]!.includes(boss.email));
    assert.equal(
      (await app.admin.expect(200, 'exportEvents', { query: { action: 'task' } })).text.trim().split('\r\n').length,
      1,
    );
  });
});

test('finds changes at every depth of the facts', () => {
  assert.deepEqual(changesIn({ addresses: { email: { from: 'a', to: 'b' } }, reason: 'x' }), [
    { field: 'addresses.email', from: 'a', to: 'b' },
  ]);
  assert.deepEqual(changesIn({ from: '2026-01-01', expires: '2026-02-01' }), [
    { field: '', from: '2026-01-01', to: '2026-02-01' },
  ]);
  assert.deepEqual(changesIn({ files: 2, list: [1] }), []);
});
