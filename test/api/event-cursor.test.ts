// GET /admin/events with a position: a program that follows the log gets every event once, in order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsAnswer } from '#contract/admin/events.ts';
import { record } from '#server/actions/events.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

onEachDatabase('A program that follows the event log', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

  const follow = async (after: string, more: Record<string, string> = {}) =>
    wireForm(eventsAnswer, (await app.admin.expect(200, 'listEvents', { query: { after, ...more } })).body);

  async function followAll(after: string, limit: string): Promise<{ ids: number[]; next: string }> {
    const ids: number[] = [];
    for (let place = after; ; ) {
      const { events, next } = await follow(place, { limit });
      ids.push(...events.map(({ id }) => id));
      if (events.length < Number(limit)) return { ids, next: next! };
      place = next!;
    }
  }

  async function storedNumbers(): Promise<number[]> {
    const rows = await app.app.ctx.db.read.selectFrom('events').select('seq').orderBy('seq').execute();
    return rows.map(({ seq }) => Number(seq));
  }

  test('gets all events oldest first, and continues with the ones that follow', async () => {
    const alice = await newPerson(app, 'alice');
    await sendMessage(alice, { recipients: ['ben@harbour.example'], send_email: false });
    // The call itself is an event, once in 15 minutes.
    await follow('0');
    const { ids, next } = await followAll('0', '3');
    assert.deepEqual(ids, await storedNumbers());
    assert.deepEqual(await follow(next), { events: [], next });
    await sendMessage(alice, { recipients: ['ben@harbour.example'], send_email: false });
    const { events } = await follow(next);
    assert.ok(events.some(({ action }) => action === 'message.sent'));
    assert.ok(events.every(({ id }) => id > Number(next)));
  });

  test('gets a position behind the events that a filter left out', async () => {
    const { events, next } = await follow('0', { action: 'message.sent' });
    assert.deepEqual([...new Set(events.map(({ action }) => action))], ['message.sent']);
    assert.equal(Number(next), (await storedNumbers()).at(-1));
  });

  test('misses nothing while several transactions write', async () => {
    const { ctx } = app.app;
    const bob = await newPerson(app, 'bob');
    const caller = await callerFor(app, bob);
    await follow('0');
    const { next: from } = await followAll('0', '1000');
    const total = 60;
    const writing = Promise.all(
      Array.from({ length: total }, (_, number) =>
        ctx.db.write(async (tx) => {
          await record(ctx, tx, caller, {
            action: 'user.language_changed',
            object: { kind: 'user', id: String(number) },
            ownerId: '',
            facts: { language: 'en' },
          });
          // A transaction that has its number and commits later than others.
          for (let round = 0; round < number % 7; round++)
            await tx.selectFrom('events').select('seq').limit(1).execute();
        }),
      ),
    );
    let isWriting = true;
    const ended = writing.finally(() => (isWriting = false));
    const seen: number[] = [];
    let place = from;
    for (let isLast = false; !isLast; ) {
      isLast = !isWriting;
      const { ids, next } = await followAll(place, '5');
      seen.push(...ids);
      place = next;
    }
    await ended;
    assert.deepEqual(
      seen,
      (await storedNumbers()).filter((seq) => seq > Number(from)),
    );
  });

  testOnce('refuses sizes and positions that are none', async () => {
    await app.admin.refused(422, 'request.invalid', 'listEvents', { query: { after: '0', limit: '1001' } });
    await app.admin.refused(422, 'list.bad_place', 'listEvents', { query: { after: '-1' } });
    assert.deepEqual((await follow('999999999')).events, []);
  });
});
