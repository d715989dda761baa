import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { taskAnswer } from '#contract/admin/tasks.ts';
import { bulkPeopleAnswer } from '#contract/admin/user-bulk.ts';
import { runNextStep } from '#server/actions/tasks/steps.ts';
import { findTask } from '#server/db/system/tasks.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { tracesOf } from '#test/kit/messages.ts';
import { searched } from '#test/kit/references.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const password = 'seven lamps under a quiet river';

onEachDatabase('changes of many people', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let boss: ApiClient;
  let chief: ApiClient;
  let carol: ApiClient;
  before(async () => {
    boss = await newPerson(app, 'boss', { group: 'administrators' });
    chief = await newPerson(app, 'chief', { group: 'system-administrators' });
    carol = await newPerson(app, 'carol');
    // More than one step of the task.
    const people = Array.from({ length: 30 }, (_, index) => ({
      line: index + 1,
      email: `crew${index + 1}@crew.example`,
    }));
    await app.admin.expect(200, 'importPeople', { body: { import: { people } } });
    const off = { email: 'crew31@crew.example', disabled: true };
    await app.admin.expect(200, 'createUser', { body: { user: off } });
  });

  const ask = async (who: ApiClient, bulk: Record<string, unknown>) =>
    wireForm(bulkPeopleAnswer, (await who.expect(200, 'bulkPeople', { body: { bulk } })).body).bulk;
  const run = async (who: ApiClient, bulk: Record<string, unknown>) => {
    const { task } = await ask(who, bulk);
    await app.app.jobs.runOnce('run-tasks');
    return taskOf(task!.id);
  };
  const taskOf = async (id: string) =>
    wireForm(taskAnswer, (await app.admin.expect(200, 'getTask', { params: { id } })).body).task;
  const stateOf = async (id: string) =>
    ((await app.admin.expect(200, 'getPerson', { params: { id } })).body as { person: { state: string } }).person.state;
  const eventsOf = (action: string) =>
    app.app.ctx.db.read
      .selectFrom('events')
      .select(['object_id', 'facts'])
      .where('action', '=', action as never)
      .orderBy('seq', 'desc')
      .execute();

  test('need the right, a person to change, a group to move to and a reason of one line', async () => {
    const suspend = { action: 'suspend', people: ['crew1-crew-example'] };
    await carol.refused(403, 'admin.not_permitted', 'bulkPeople', { body: { bulk: suspend } });
    const refused = (code: string, bulk: object) => boss.refused(422, code, 'bulkPeople', { body: { bulk } as never });
    await refused('user.bulk_everything', { action: 'suspend', filter: {} });
    await refused('user.bulk_everything', { action: 'suspend', filter: { q: ' ' } });
    await refused('user.unknown_group', { ...suspend, action: 'move', group: 'nowhere' });
    await refused('user.bad_reason', { ...suspend, reason: 'a\nb' });
    const upwards = { ...suspend, action: 'move', group: 'system-administrators' };
    await boss.refused(403, 'user.group_not_permitted', 'bulkPeople', { body: { bulk: upwards } });
  });

  test('are counted and listed by a dry run, which changes no one', async () => {
    const untouched = await tracesOf(app);
    const plan = await ask(boss, { action: 'suspend', filter: { q: 'crew.example' }, dry_run: true });
    assert.deepEqual([plan.dry_run, plan.count, plan.task, plan.refused], [true, 30, null, []]);
    assert.equal(plan.sample.length, 30);
    const back = await ask(boss, { action: 'reactivate', filter: { q: 'crew.example' }, dry_run: true });
    assert.deepEqual(
      back.sample.map(({ email }) => email),
      ['crew31@crew.example'],
      'people in this state already do not count',
    );
    assert.deepEqual(await tracesOf(app), untouched);
  });

  test('suspend and reactivate in a task that shows its progress, each with an event and the reason', async () => {
    const work = await run(boss, { action: 'suspend', filter: { q: 'crew.example' }, reason: 'Season over' });
    assert.deepEqual([work.kind, work.state, work.total, work.done, work.failed], ['people', 'done', 30, 30, 0]);
    assert.equal(await stateOf('crew17-crew-example'), 'disabled');
    const facts = JSON.parse((await eventsOf('user.changed'))[0]!.facts) as Record<string, unknown>;
    assert.deepEqual(facts.changes, { disabled: { from: false, to: true } });
    assert.equal(facts.reason, 'Season over');
    const two = ['crew1-crew-example', 'crew2-crew-example'];
    assert.equal((await run(boss, { action: 'reactivate', people: two })).done, 2);
    assert.notEqual(await stateOf('crew1-crew-example'), 'disabled');
    assert.equal(await stateOf('crew3-crew-example'), 'disabled');
  });

  test('move people to another group, and refuse those of higher rank', async () => {
    const group = await app.group('Harbour crew', {});
    const people = ['crew4-crew-example', 'crew5-crew-example', idOf(chief)];
    const work = await run(boss, { action: 'move', people, group });
    assert.deepEqual([work.total, work.done], [2, 2]);
    const { person } = (await app.admin.expect(200, 'getPerson', { params: { id: 'crew4-crew-example' } })).body as {
      person: { group: { id: string }; group_reason: { why: string; by: string } };
    };
    assert.deepEqual([person.group.id, person.group_reason.why, person.group_reason.by], [group, 'moved', 'boss']);
  });

  test('never include the caller, nor the last System Administrator', async () => {
    const everyone = { filter: { role: 'system_administrator' } };
    const plan = await ask(chief, { action: 'suspend', ...everyone, dry_run: true });
    assert.deepEqual(
      plan.refused.map(({ id, code }) => [id, code]),
      [[idOf(chief), 'user.self']],
    );
    assert.deepEqual(
      plan.sample.map(({ id }) => id),
      [idOf(app.admin)],
    );
    assert.equal(plan.count, 1);
    const byChief = await ask(chief, { action: 'suspend', ...everyone });
    const byAdmin = await ask(app.admin, { action: 'move', people: [idOf(chief)], group: 'local-users' });
    await app.app.jobs.runOnce('run-tasks');
    const read = app.app.ctx.db.read.selectFrom('tasks').select(['state', 'done', 'failed']);
    const first = await read.where('id', '=', byChief.task!.id).executeTakeFirstOrThrow();
    const second = await read.where('id', '=', byAdmin.task!.id).executeTakeFirstOrThrow();
    assert.deepEqual([first.state, Number(first.done), Number(first.failed)], ['done', 1, 1]);
    assert.equal(second.state, 'failed', 'a caller who was disabled changes no one');
    await chief.expect(200, 'changeUser', { params: { id: idOf(app.admin) }, body: { user: { disabled: false } } });
  });

  test('do nothing where the target group was deleted since', async () => {
    const group = await app.group('Short-lived', {});
    const { task } = await ask(boss, { action: 'move', people: ['crew6-crew-example'], group });
    await app.admin.expect(200, 'deleteGroup', { params: { id: group } });
    await app.app.jobs.runOnce('run-tasks');
    assert.equal((await taskOf(task!.id)).state, 'failed');
  });

  const leave = (who: ApiClient, id: string, deletion: Record<string, unknown>) =>
    who.call('deletePerson', { params: { id }, body: { deletion } as never });
  const send = async (who: ApiClient) =>
    (
      (
        await who.expect(200, 'sendMessage', {
          body: { message: { recipients: ['dan@harbour.example'], subject: 'Plans', body: 'x' } } as never,
        })
      ).body as { message: { id: string } }
    ).message.id;
  const transfersOf = async (who: ApiClient) =>
    ((await app.admin.expect(200, 'listTransfers', { query: { person: who.email } })).body as { transfers: unknown[] })
      .transfers.length;

  test('disable a person who leaves immediately, hand over their items, and then delete the account', async () => {
    const lena = await newPerson(app, 'lena');
    const newOwner = await newPerson(app, 'new-owner');
    const sent = [await send(lena), await send(lena)];
    await app.admin.expect(200, 'stopTransfer', { params: await searched(app.admin, sent[1]!), body: {} });
    const input = { email: lena.email, to: newOwner.email, reason: 'Left in May' };
    await boss.refused(422, 'user.deletion_unconfirmed', 'deletePerson', {
      params: { id: idOf(lena) },
      body: { deletion: { ...input, email: 'else@example.com' } },
    });
    for (const [code, to] of [
      ['transfer.no_heir', ' '],
      ['transfer.same_person', lena.email],
    ] as const)
      await boss.refused(422, code, 'deletePerson', {
        params: { id: idOf(lena) },
        body: { deletion: { ...input, to } },
      });
    await boss.refused(404, 'user.not_found', 'deletePerson', {
      params: { id: idOf(chief) },
      body: { deletion: { ...input, email: chief.email } },
    });
    const { task } = (await leave(boss, idOf(lena), input)).body as { task: { id: string } };
    await lena.expect(401, 'getAccount', {});
    assert.equal(await stateOf(idOf(lena)), 'disabled');
    await app.app.jobs.runOnce('run-tasks');
    const work = await taskOf(task.id);
    assert.deepEqual([work.kind, work.state, work.total, work.done, work.failed], ['leaver', 'done', 1, 1, 0]);
    await app.admin.expect(404, 'getPerson', { params: { id: idOf(lena) } });
    assert.equal(await transfersOf(newOwner), 1);
    assert.deepEqual(JSON.parse((await eventsOf('user.deleted'))[0]!.facts), {
      why: 'administrator',
      reason: 'Left in May',
    });
    await app.app.jobs.runOnce('send-outbox');
    const mails = mailbox.transport.sent.map(({ mail }) => mail).filter(({ text }) => /Left in May/.test(text));
    assert.deepEqual(
      mails.map(({ to }) => to),
      [newOwner.email],
    );
  });

  test('keep an account, disabled and signed out, while an item of it could not be handed over', async () => {
    const nora = await newPerson(app, 'nora', { password });
    const session = await signIn(app, nora.email, password);
    const gone = await newPerson(app, 'gone');
    await send(nora);
    const { task } = (await leave(boss, idOf(nora), { email: nora.email, to: gone.email })).body as {
      task: { id: string };
    };
    await app.admin.expect(200, 'changeUser', { params: { id: idOf(gone) }, body: { user: { disabled: true } } });
    await app.app.jobs.runOnce('run-tasks');
    const work = await taskOf(task.id);
    assert.deepEqual([work.state, work.done, work.failed], ['done', 0, 1]);
    assert.equal(work.refused[0]?.code, 'transfer.heir_off');
    assert.equal(await stateOf(idOf(nora)), 'disabled');
    assert.equal(await transfersOf(nora), 1);
    await app.admin.expect(200, 'changeUser', { params: { id: idOf(nora) }, body: { user: { disabled: false } } });
    await nora.expect(200, 'getAccount');
    await session.refused(401, 'session.ended', 'getAccount');
  });

  test('do not delete an account that was enabled again during the task', async () => {
    const [otto, newOwner] = [await newPerson(app, 'otto'), await newPerson(app, 'ottos-new-owner')];
    await send(otto);
    const deletion = { email: otto.email, to: newOwner.email };
    const { task } = (await leave(boss, idOf(otto), deletion)).body as { task: { id: string } };
    await app.admin.expect(200, 'changeUser', { params: { id: idOf(otto) }, body: { user: { disabled: false } } });
    await app.app.jobs.runOnce('run-tasks');
    const { state, done } = await taskOf(task.id);
    assert.deepEqual([state, done], ['done', 0]);
    await otto.expect(200, 'getAccount');
    assert.equal(await transfersOf(otto), 1);
  });

  test('do not delete an account when the task was stopped during its last step', async () => {
    const { ctx } = app.app;
    const [petra, newOwner] = [await newPerson(app, 'petra'), await newPerson(app, 'petras-new-owner')];
    const { task } = (await leave(boss, idOf(petra), { email: petra.email, to: newOwner.email })).body as {
      task: { id: string };
    };
    const seen = (await findTask(ctx.db.read, task.id))!;
    await boss.expect(200, 'stopTask', { params: { id: task.id }, body: {} });
    await runNextStep(ctx, seen);
    assert.equal(await stateOf(idOf(petra)), 'disabled');
  });

  /** How many mails report the number of transfers that were handed over. */
  const countReports = async ({ email }: ApiClient) => {
    await app.app.jobs.runOnce('send-outbox');
    const isReported = ({ to, text }: { to: string; text: string }) => to === email && text.includes('25 transfers');
    return mailbox.transport.sent.filter(({ mail }) => isReported(mail)).length;
  };

  test('fail with a refused end, and report nothing twice', async () => {
    const { ctx } = app.app;
    const [quinn, newOwner] = [await newPerson(app, 'quinn'), await newPerson(app, 'quinns-new-owner')];
    for (let index = 0; index < 25; index++) await send(quinn);
    const deletion = { email: quinn.email, to: newOwner.email };
    const { task } = (await leave(boss, idOf(quinn), deletion)).body as { task: { id: string } };
    await runNextStep(ctx, (await findTask(ctx.db.read, task.id))!);
    await app.admin.expect(200, 'changeUser', {
      params: { id: idOf(quinn) },
      body: { user: { group: 'administrators' } },
    });
    for (let turn = 0; turn < 2; turn++) await app.app.jobs.runOnce('run-tasks');
    const { state, done } = await taskOf(task.id);
    assert.deepEqual([state, done], ['failed', 25]);
    assert.equal(await stateOf(idOf(quinn)), 'disabled');
    assert.equal(await countReports(newOwner), 1);
  });

  test('end a hand-over also when the new owner is disabled before its end, and the former owner is notified', async () => {
    const { ctx } = app.app;
    const [rosa, newOwner] = [await newPerson(app, 'rosa'), await newPerson(app, 'rosas-new-owner')];
    for (let index = 0; index < 26; index++) await send(rosa);
    const body = { bulk: { action: 'hand_over', filter: { person: rosa.email }, to: newOwner.email } };
    const { bulk } = (await boss.expect(200, 'bulkTransfers', { body })).body as { bulk: { task: { id: string } } };
    await runNextStep(ctx, (await findTask(ctx.db.read, bulk.task.id))!);
    await app.admin.expect(200, 'changeUser', { params: { id: idOf(newOwner) }, body: { user: { disabled: true } } });
    for (let turn = 0; turn < 2; turn++) await app.app.jobs.runOnce('run-tasks');
    const { state, done, failed } = await taskOf(bulk.task.id);
    assert.deepEqual([state, done, failed], ['done', 25, 1]);
    assert.equal(await countReports(rosa), 1);
  });
});
