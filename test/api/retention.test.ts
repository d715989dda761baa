import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '#test/kit/app.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const dayMs = 24 * 3_600_000;

onEachDatabase('old sessions', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const password = 'quiet river under seven lamps';

  test('are deleted when they have ended; valid ones stay', async () => {
    const { email } = await app.person('alice', { password });
    const [kept, brief] = [await signIn(app, email, password, true), await signIn(app, email, password)];
    const ends = () =>
      app.app.ctx.db.read.selectFrom('sessions').select(['is_kept', 'expires_at']).orderBy('expires_at').execute();
    const [first, last] = await ends();
    app.clock.advance(Number(first!.expires_at) - app.clock.now());
    await app.app.jobs.runOnce('tidy');
    assert.equal((await ends()).length, 2, 'not a moment too early');
    app.clock.advance(1);
    await app.app.jobs.runOnce('tidy');
    assert.deepEqual(
      (await ends()).map(({ is_kept, expires_at }) => [is_kept, Number(expires_at)]),
      [[1, Number(last!.expires_at)]],
    );
    await kept.expect(200, 'getAccount');
    await brief.expect(401, 'getAccount');
  });
});

onEachDatabase('old mails and visits', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  const alice = usePerson(app, 'alice');

  const newMessage = async () => {
    const mail = { recipients: ['ben@example.org'], subject: 'Plans', message: 'Here.', send_email: true };
    const { id } = await sendMessage(alice, mail);
    const at = app.clock.now();
    const visit = {
      visitor: 'ben',
      address: 'ben@example.org',
      first_at: at,
      last_at: at,
      count: 1,
      is_scanner: 0 as const,
    };
    const seen = { browser: '', device: '', network: '', country: '' };
    const { db } = app.app.ctx;
    await db.write((tx) =>
      tx
        .insertInto('message_visits')
        .values({ message_id: id, ...visit, ...seen })
        .execute(),
    );
    return id;
  };
  const leftOf = async (id: string) => {
    const { read } = app.app.ctx.db;
    const mails = await read.selectFrom('outbox').select('state').where('message_id', '=', id).execute();
    const visits = await read.selectFrom('message_visits').select('visitor').where('message_id', '=', id).execute();
    return { mails: mails.map(({ state }) => state), visits: visits.length };
  };

  test('are deleted half a year later, those of a message that can still be opened stay', async () => {
    const [ended, live] = [await newMessage(), await newMessage()];
    await mailbox.post(app);
    const { db } = app.app.ctx;
    const later = app.clock.now() + 400 * dayMs;
    await db.write((tx) => tx.updateTable('messages').set({ expires_at: later }).where('id', '=', live).execute());
    const before = await leftOf(ended);
    assert.ok(before.mails.length > 0 && before.mails.every((state) => state === 'sent'), String(before.mails));

    app.clock.advance(179 * dayMs);
    await app.app.jobs.runOnce('tidy');
    assert.deepEqual(await leftOf(ended), before, 'not a day too early');
    const waiting = await newMessage();
    app.clock.advance(2 * dayMs);
    await app.app.jobs.runOnce('tidy');
    assert.deepEqual(await leftOf(ended), { mails: [], visits: 0 });
    assert.deepEqual(await leftOf(live), before);
    assert.equal((await leftOf(waiting)).visits, 1);
    assert.ok(
      (await leftOf(waiting)).mails.every((state) => state === 'pending'),
      'waiting mails are not deleted',
    );
  });
});
