import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HoldBody } from '#contract/admin/legal-holds.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload } from '#test/kit/downloads.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { searched } from '#test/kit/references.ts';
import { track } from '#test/kit/sent.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const day = 86_400_000;

onEachDatabase('a legal hold', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

  const set = async (target: Record<string, string>): Promise<HoldBody> => {
    const { body } = await app.admin.expect(200, 'setHold', { body: { hold: { reason: 'Case 17', ...target } } });
    return (body as { hold: HoldBody }).hold;
  };
  const lift = (id: string) =>
    app.admin.expect(200, 'liftHold', { params: { id }, body: { lift: { reason: 'Closed' } } });
  const stateOf = async (id: string): Promise<string> => {
    const rows = app.app.ctx.db.read.selectFrom('attachments').select(['state', 'data_key_wrapped']);
    const { state, data_key_wrapped: key } = await rows.where('id', '=', id).executeTakeFirstOrThrow();
    if (state === 'erased') return key === null ? 'erased' : 'kept';
    assert.notEqual(key, null);
    return state;
  };
  const grace = async () => {
    app.clock.advance(3 * day);
    for (const job of ['expire', 'erase-files'] as const) await app.app.jobs.runOnce(job, { isConfirmed: true });
  };

  test("needs a reason and one target, is not for auditors, and cannot include people of the caller's own rank", async () => {
    const boss = await newPerson(app, 'boss', { group: 'administrators' });
    const refuse = (status: number, code: string, hold: Record<string, unknown>) =>
      boss.refused(status, code, 'setHold', { body: { hold: { reason: 'Case', ...hold } } });
    await refuse(422, 'hold.no_target', {});
    await refuse(422, 'hold.no_target', { user: 'a', transfer: 'b' });
    await refuse(404, 'user.not_found', { user: 'root@example.com' });
    await refuse(404, 'transfer.not_found', { transfer: 'A'.repeat(22) });
    await refuse(422, 'user.reason_missing', { user: boss.email, reason: '' });
    const onRoot = await set({ user: 'root@example.com' });
    await boss.refused(404, 'hold.not_found', 'liftHold', {
      params: { id: onRoot.id },
      body: { lift: { reason: 'x' } },
    });
    const own = await set({ user: boss.email });
    const auditor = await newPerson(app, 'auditor', { group: await app.group('Auditors', { role: 'auditor' }) });
    const listed = async (who: ApiClient) => {
      const { body } = await who.expect(200, 'listHolds', {});
      return (body as { holds: { id: string }[] }).holds.map(({ id }) => id).sort();
    };
    assert.deepEqual(await listed(boss), [own.id], 'the one on an administrator, which is their own');
    assert.deepEqual(await listed(auditor), [own.id, onRoot.id].sort());
    await lift(own.id);
    await app.admin.refused(422, 'hold.already', 'setHold', {
      body: { hold: { user: 'root@example.com', reason: 'Again' } },
    });
    await lift(onRoot.id);
    await app.admin.refused(422, 'hold.lifted', 'liftHold', {
      params: { id: onRoot.id },
      body: { lift: { reason: 'x' } },
    });
  });

  test('on a link keeps its file through deletion and expiry, and changes no access', async () => {
    const ann = await newPerson(app, 'ann');
    const soon = new Date(app.clock.now() + day).toISOString().slice(0, 10);
    const expiring = await share(ann, { link: { expires_at: soon } });
    const [deleted, free] = [await share(ann), await share(ann)];
    const holds = [await set({ transfer: deleted.linkId }), await set({ transfer: expiring.linkId })];
    assert.notEqual((await clickDownload(app.url, deleted.linkId)).path, null);
    await ann.expect(200, 'deleteFileLink', { params: { id: deleted.linkId } });
    await ann.expect(200, 'deleteFileLink', { params: { id: free.linkId } });
    assert.equal((await clickDownload(app.url, deleted.linkId)).path, null);
    await grace();
    await grace();
    const states = async () => Promise.all([deleted, expiring, free].map((file) => stateOf(file.attachmentId)));
    assert.deepEqual(await states(), ['kept', 'kept', 'erased']);
    for (const { id } of holds) await lift(id);
    await grace();
    assert.deepEqual(await states(), ['erased', 'erased', 'erased']);
    const events = await app.app.ctx.db.read
      .selectFrom('events')
      .select('action')
      .where('object_id', '=', deleted.linkId)
      .where('action', 'in', ['hold.set', 'hold.lifted'])
      .orderBy('seq')
      .execute();
    assert.deepEqual(events, [{ action: 'hold.set' }, { action: 'hold.lifted' }]);
  });

  /** Every answer to an owner who deletes, revokes and lets expire, without ids and times. */
  const answersToOwner = async (owner: ApiClient, files: string[]): Promise<unknown[]> => {
    const send = async (more = {}) => {
      // Lists are in order of time.
      app.clock.advance(1000);
      const file = await owner.upload('plan.txt', 'plan', 'uploadForMessage');
      files.push(file.id);
      return (await sendMessage(owner, { recipients: ['zoe@harbour.example'], attachments: [file.id], ...more })).id;
    };
    const soon = new Date(app.clock.now() + day).toISOString().slice(0, 10);
    const [open, stopped, expiring] = [await send(), await send(), await send({ expires_at: soon })];
    const shared = await share(owner);
    const loose = await owner.upload('loose.txt', 'loose', 'uploadForLink');
    files.push(shared.attachmentId, loose.id);
    const hold = owner.email.startsWith('dora') ? await set({ user: idOf(owner) }) : null;
    const answers: unknown[] = [];
    const note = async (call: Promise<{ status: number; body: unknown }>) => {
      const { status, body } = await call;
      answers.push([status, body]);
    };
    const noteLists = async () => {
      for (const call of ['listAttachments', 'listAppFiles', 'listAppLinks', 'getStorage'] as const)
        await note(owner.call(call, {}));
      for (const id of [open, stopped, expiring]) await note(owner.call('listMessageActivity', { params: { id } }));
    };
    const deleting = (id: string) => ({ params: { id }, body: {} });
    for (let round = 0; round < 2; round += 1) {
      await note(owner.call('deleteAttachment', { params: { id: loose.id } }));
      await note(owner.call('deleteMessageFiles', deleting(open)));
      await note(owner.call('deleteMessageAttachments', { params: { id: stopped } }));
      if (round === 0) await note(owner.call('deleteFileLink', { params: { id: shared.linkId } }));
      if (round === 0) await note(owner.call('revokeMessage', deleting(stopped)));
    }
    await noteLists();
    app.clock.advance(3 * day);
    await grace();
    await grace();
    for (const id of [open, stopped, expiring]) {
      const { files_state: left, is_open: isOpen, actions } = await track(owner, id);
      answers.push([left, isOpen, actions.delete_files, actions.extend_to]);
    }
    await noteLists();
    const used = app.app.ctx.db.read.selectFrom('users').select('stored_bytes').where('id', '=', idOf(owner));
    answers.push(Number((await used.executeTakeFirstOrThrow()).stored_bytes));
    const keys = app.app.ctx.db.read.selectFrom('attachments').select(['state', 'data_key_wrapped']);
    for (const { state, data_key_wrapped: key } of await keys.where('id', 'in', files).execute()) {
      assert.equal(state, 'erased');
      assert.equal(key !== null, hold !== null);
    }
    if (hold !== null) await lift(hold.id);
    return answers;
  };

  test('does not show in answers to the owner: deletions, later lists and counts are the same without it', async () => {
    const seen: unknown[] = [];
    for (const name of ['dora', 'dave']) {
      const files: string[] = [];
      const answers = JSON.stringify(await answersToOwner(await newPerson(app, name), files))
        .replaceAll(/[A-Za-z0-9]{22}/g, 'id')
        .replaceAll(/[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{2}/g, 'reference')
        .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, 'time')
        .replaceAll(/"request_id":"[^"]+"|"id":"\d+"/g, '"id":""')
        .replaceAll(name, 'owner');
      seen.push(JSON.parse(answers));
      await grace();
      for (const id of files) assert.equal(await stateOf(id), 'erased');
    }
    assert.deepEqual(seen[0], seen[1]);
  });

  test('on a message keeps withdrawn files; on a person everything, even when the account is deleted', async () => {
    const [ben, cleo] = [await newPerson(app, 'ben'), await newPerson(app, 'cleo')];
    const file = await ben.upload('plan.txt', 'plan', 'uploadForMessage');
    const sent = await sendMessage(ben, { recipients: ['zoe@harbour.example'], attachments: [file.id] });
    const onMessage = await set({ transfer: sent.id });
    await ben.expect(200, 'deleteMessageAttachments', { params: { id: sent.id } });
    assert.equal(await stateOf(file.id), 'kept');
    const kept = await share(cleo);
    const loose = await cleo.upload('loose.txt', 'loose', 'uploadForLink');
    const onPerson = await set({ user: idOf(cleo) });
    await cleo.expect(200, 'deleteAttachment', { params: { id: loose.id } });
    await app.admin.expect(200, 'deleteUser', { params: { id: idOf(cleo) } });
    await grace();
    assert.deepEqual([await stateOf(kept.attachmentId), await stateOf(loose.id)], ['kept', 'kept']);
    for (const { id } of [onMessage, onPerson]) await lift(id);
    await grace();
    assert.deepEqual(
      [await stateOf(file.id), await stateOf(kept.attachmentId), await stateOf(loose.id)],
      ['erased', 'erased', 'erased'],
    );
  });

  test('on a person stays on handed-over items, which the new owner cannot destroy', async () => {
    const [eve, finn] = [await newPerson(app, 'eve'), await newPerson(app, 'finn')];
    const shared = await share(eve);
    const file = await eve.upload('plan.txt', 'plan', 'uploadForMessage');
    const sent = await sendMessage(eve, { recipients: ['zoe@harbour.example'], attachments: [file.id] });
    const onPerson = await set({ user: idOf(eve) });
    const leave = { hand_over_to: finn.email, reason: 'Left' };
    await app.admin.expect(200, 'leaveUser', { params: { id: idOf(eve) }, body: { leave } });
    assert.notEqual((await clickDownload(app.url, shared.linkId)).path, null, 'access is not touched');
    await finn.expect(200, 'deleteFileLink', { params: { id: shared.linkId } });
    await finn.expect(200, 'deleteMessageAttachments', { params: { id: sent.id } });
    assert.equal((await track(finn, sent.id)).files_state, 'deleted');
    await app.admin.expect(200, 'deleteUser', { params: { id: idOf(eve) } });
    await app.admin.expect(200, 'deleteUser', { params: { id: idOf(finn) } });
    await grace();
    const states = async () => [await stateOf(shared.attachmentId), await stateOf(file.id)];
    assert.deepEqual(await states(), ['kept', 'kept']);
    await lift(onPerson.id);
    await grace();
    assert.deepEqual(await states(), ['erased', 'erased']);
  });

  test('on handed-over items stops the erasure of the new and of the former owner', async () => {
    const [gina, hal, ida] = [await newPerson(app, 'gina'), await newPerson(app, 'hal'), await newPerson(app, 'ida')];
    const send = async () =>
      (await sendMessage(gina, { recipients: ['zoe@harbour.example'], attachments: [inlineFile('a.txt', 'a')] })).id;
    const [onHold, ofThePerson] = [await send(), await send()];
    const handOver = async (id: string, to: ApiClient) =>
      app.admin.expect(200, 'handOverTransfer', {
        params: await searched(app.admin, id),
        body: { to: to.email },
      });
    const erasure = (person: ApiClient) => ({
      params: { id: idOf(person) },
      body: { erasure: { email: person.email, reason: 'Asked' } },
    });
    const holds = [await set({ transfer: onHold }), await set({ user: idOf(gina) })];
    await handOver(onHold, hal);
    await handOver(ofThePerson, ida);
    for (const person of [gina, hal, ida]) await app.admin.refused(422, 'user.on_hold', 'erasePerson', erasure(person));
    for (const { id } of holds) await lift(id);
    for (const person of [gina, hal, ida]) await app.admin.expect(200, 'erasePerson', erasure(person));
  });
});
