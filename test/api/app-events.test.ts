import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { record } from '#server/actions/events.ts';
import { type NewsCursor, openCursor, readNews } from '#server/actions/live/news.ts';
import { signOut } from '#server/actions/sessions/sessions.ts';
import { appendEvent, findLastSeq } from '#server/db/events/events.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { ApiClient } from '#test/kit/client.ts';
import { until } from '#test/kit/eventually.ts';
import { appendEvents } from '#test/kit/evidence.ts';
import { type Following, follow } from '#test/kit/follow.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { browserProving, inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { whileObserved } from '#test/kit/queries.ts';
import { downloadAs, track } from '#test/kit/sent.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'seven lamps under a quiet river';

function failAt(statements: RegExp): (statement: string) => void {
  return (statement) => {
    if (statements.test(statement)) throw new Error('the disk has a bad sector');
  };
}

onEachDatabase('live events', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  let people = 0;
  before(async () => {
    alice = await newPerson(app, 'alice', { password });
  });

  const open: Following[] = [];
  const followed = async (...args: Parameters<typeof follow>): Promise<Following> => {
    const following = await follow(...args);
    open.push(following);
    return following;
  };
  const leaveAll = async () => {
    for (const following of open) following.leave();
    await Promise.all(open.splice(0).map((following) => following.ended));
  };
  const send = (sender: ApiClient, to = 'ben@harbour.example') =>
    sendMessage(sender, { recipients: [to], send_email: true, attachments: [inlineFile('plan.txt', 'the plan')] });

  test('callers without credentials, and foreign pages, are refused', async () => {
    assert.equal((await follow(app.anonymous, { authorization: '' })).status, 401);
    const session = await signIn(app, alice.email, password);
    assert.equal((await follow(session, { 'x-csrf-token': '', 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await follow(session, { 'x-csrf-token': 'wrong' })).status, 403);
  });

  testOnce(
    'a HEAD request ends immediately, and a failing database gives an error instead of a silent stream',
    async () => {
      const { status, headers, text } = await alice.fetch('/app-api/events', { method: 'HEAD' });
      assert.deepEqual([status, text], [200, '']);
      assert.equal(headers.get('content-type'), 'text/event-stream; charset=utf-8');
      const last = await findLastSeq(app.app.ctx.db.read);
      const watched = { ask: failAt(/from "events"/), begin: () => ({ ask() {}, end() {} }) };
      const failed = await whileObserved(app, watched, () => follow(alice, { 'last-event-id': String(last) }));
      assert.equal(failed.status, 500);
      assert.equal((await followed(alice)).status, 200);
      await leaveAll();
    },
  );

  testOnce('a person has six streams and no seventh; ending one permits a new one', async () => {
    const crowd = await newPerson(app, `crowd${++people}`);
    for (let count = 0; count < 6; count++) assert.equal((await followed(crowd)).status, 200);
    const seventh = await follow(crowd);
    assert.equal(seventh.status, 429);
    assert.match(seventh.refusal, /events\.too_many/);
    assert.equal((await followed(alice)).status, 200, 'others are not shut out');
    await leaveAll();
  });

  testOnce('sending, delivery, opening and downloading are reported to the sender only', async () => {
    const session = await signIn(app, alice.email, password);
    const own = await followed(session, { 'x-csrf-token': '' });
    const other = await followed(await newPerson(app, `other${++people}`));
    assert.equal(own.status, 200);
    const { id } = await send(alice);
    await own.saw('messages');
    own.topics.length = 0;
    await mailbox.post(app);
    await own.saw('messages');
    own.topics.length = 0;
    await (await browserProving(app, 'ben@harbour.example')).get(`/message/${id}`);
    await own.saw('messages');
    own.topics.length = 0;
    await downloadAs(app, 'ben@harbour.example', id, [(await track(alice, id)).files[0]!.id]);
    await own.saw('downloads');
    assert.deepEqual(
      other.topics.filter((topic) => /^message|downloads|received/.test(topic)),
      [],
    );
    await leaveAll();
  });

  testOnce('a colleague is notified that a message came for them', async () => {
    const name = `dana${++people}`;
    const dana = await newPerson(app, name);
    const following = await followed(dana);
    await send(alice, dana.email);
    await following.saw('received');
    assert.ok(!following.topics.includes('messages'));
    await leaveAll();
  });

  testOnce('what one recipient does is reported to the sender, and to no other recipient', async () => {
    const { ctx } = app.app;
    const dana = await newPerson(app, `dana${++people}`);
    const followers = [alice, dana].map((person) => ({ userId: idOf(person), addresses: [person.email] }));
    const cursor = await openCursor(ctx);
    const { id } = await sendMessage(alice, { recipients: [dana.email, 'ben@harbour.example'] });
    const notifiedUsers = async () =>
      (await readNews(ctx, cursor, followers)).filter(({ topics }) => topics.length > 0).map(({ userId }) => userId);
    assert.ok((await notifiedUsers()).includes(idOf(dana)), 'something came');
    await (await browserProving(app, 'ben@harbour.example')).get(`/message/${id}`);
    assert.deepEqual(new Set(await notifiedUsers()), new Set([idOf(alice)]));
  });

  test('a page that reconnects gets the events it missed, also after a restart of the server', async () => {
    const first = await followed(alice);
    const { lastId } = first;
    await app.restart();
    await first.ended;
    open.length = 0;
    await send(alice);
    const second = await followed(alice, { 'last-event-id': lastId });
    assert.ok(second.topics.includes('messages'));
    assert.ok(Number(second.lastId) >= Number(lastId));
    const third = await followed(alice, { 'last-event-id': 'nonsense' });
    assert.deepEqual(third.topics, []);
    await leaveAll();
  });

  test('events that come together have the number of the last of them, so that none is sent twice', async () => {
    const gus = await newPerson(app, `gus${++people}`);
    const following = await followed(gus);
    const [object, ownerId] = [{ kind: 'user', id: idOf(gus) } as const, idOf(gus)];
    await app.app.ctx.db.write(async (tx) => {
      for (const fields of [['name'], ['language'], ['time zone']])
        await record(app.app.ctx, tx, systemCaller, { action: 'profile.changed', object, ownerId, facts: { fields } });
    });
    const { last } = await app.app.ctx.db.read
      .selectFrom('events')
      .select((eb) => eb.fn.max('seq').as('last'))
      .where('owner_id', '=', idOf(gus))
      .executeTakeFirstOrThrow();
    await following.saw('account');
    assert.equal(Number(following.lastId), Number(last));
    await leaveAll();
  });

  test('a page that was disconnected too long is instructed to fetch everything again', async () => {
    const { ctx } = app.app;
    const { lastId, leave } = await follow(alice);
    leave();
    const user = await ctx.db.read
      .selectFrom('users')
      .select('id')
      .where('email', '=', alice.email)
      .executeTakeFirstOrThrow();
    await ctx.db.write(async (tx) => {
      for (let count = 0; count < 510; count++)
        await appendEvent(
          tx,
          {
            at: ctx.clock.now(),
            action: 'link.changed',
            actorKind: 'system',
            actorId: '',
            objectKind: 'link',
            objectId: `x${count}`,
            ownerId: user.id,
            facts: {},
            remoteIp: '',
            requestId: '',
          },
          Buffer.alloc(16),
        );
    });
    const back = await followed(alice, { 'last-event-id': lastId });
    assert.deepEqual(back.topics, ['everything']);
    await leaveAll();
  });

  testOnce('a stream does not extend a session', async () => {
    const session = await signIn(app, alice.email, password);
    app.clock.advance(50 * 60_000);
    assert.equal((await followed(session)).status, 200);
    app.clock.advance(20 * 60_000);
    assert.equal((await follow(session)).status, 401);
    await leaveAll();
  });

  test('a stream ends after sign-out, and after its key was deleted, at the next heartbeat', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const session = await signIn(app, alice.email, password);
    const other = await signIn(app, alice.email, password);
    const named = (await alice.expect(200, 'createApiKey', { body: { name: 'watcher' } })).body as {
      api_key: { id: string; key: string };
    };
    const streams = [await followed(session), await followed(new ApiClient(app.url, named.api_key.key, alice.email))];
    const kept = await followed(other);
    let isKeptOpen = true;
    void kept.ended.then(() => {
      isKeptOpen = false;
    });
    await signOut(app.app.ctx, session.session);
    await alice.expect(200, 'deleteApiKey', { params: { id: named.api_key.id } });
    context.mock.timers.tick(15_000);
    await Promise.all(streams.map((stream) => stream.ended));
    assert.ok(isKeptOpen, 'the other session continues');
    await until(async () => kept.signsOfLife === 1);
    await leaveAll();
  });

  test('stopping the server ends the streams immediately', async () => {
    const following = await followed(alice);
    await app.restart();
    await following.ended;
    open.length = 0;
  });

  testOnce('a skipped number is polled for until it appears, or for a limited number of polls', async () => {
    const { ctx } = app.app;
    const follower = { userId: 'unknown', addresses: [] };
    const last = await findLastSeq(ctx.db.read);
    // As if the event before the last had not been committed yet.
    await appendEvents(ctx, 3);
    const skipped = last + 2;
    const behind: NewsCursor = { last: skipped, holes: new Map() };
    await readNews(ctx, behind, [follower]);
    assert.deepEqual([behind.last >= last + 3, [...behind.holes]], [true, []], 'nothing was skipped here');
    const found: NewsCursor = { last: last + 3, holes: new Map([[skipped, 10]]) };
    await readNews(ctx, found, [follower]);
    assert.deepEqual([...found.holes], [], 'the event has appeared');
    const never = last + 1_000_000;
    const waiting: NewsCursor = { ...(await openCursor(ctx)), holes: new Map([[never, 3]]) };
    const left: unknown[] = [];
    for (let reading = 0; reading < 4; reading++) {
      await readNews(ctx, waiting, [follower]);
      left.push(waiting.holes.get(never));
    }
    assert.deepEqual(left, [2, 1, undefined, undefined]);
  });
});
