import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { record } from '#server/actions/events.ts';
import { changesSince } from '#server/actions/groups/changes-since.ts';
import { readNews } from '#server/actions/live/news.ts';
import { listRefusals } from '#server/actions/mail/delivery.ts';
import { listSentMessages, type SentQuery } from '#server/actions/messages/sent.ts';
import { getOverview } from '#server/actions/overview/overview.ts';
import { operatorCaller, systemCaller, type UserCaller } from '#server/domain/caller.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const dayMs = 86_400_000;

onOneEngine('A list below the API', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  test('of sent messages orders equal ones by id, or by time', async () => {
    const { ctx } = app.app;
    const send = async (subject: string, size: number) => {
      const attachments = [inlineFile('a.txt', 'x'.repeat(size))];
      return (
        await sendMessage(alice, { recipients: ['ben@harbour.example'], subject, attachments, send_email: false })
      ).id;
    };
    const alike = [await send('Beta', 5), await send('Beta', 5), await send('Beta', 5)].sort();
    app.clock.advance(1000);
    const [large, first] = [await send('Beta', 9), await send('Alpha', 5)];
    const caller = await callerFor(app, alice);
    const list = async (by: SentQuery['order']['by'], isDescending: boolean) => {
      const order = { by, direction: isDescending ? ('desc' as const) : ('asc' as const) };
      const filter = { words: 'a.txt', states: [], person: null, from: null, to: null, page: 1, size: 10, order };
      const found = await listSentMessages(ctx, caller, filter);
      return found.items.map(({ id }) => id);
    };
    const bySize = [...[...alike, first].sort(), large];
    assert.deepEqual(await list('size', false), bySize);
    assert.deepEqual(await list('size', true), bySize.toReversed());
    const bySubject = await list('subject', false);
    assert.deepEqual([bySubject[0], bySubject[4]], [first, large]);
    assert.deepEqual((await list('sent', false)).slice(0, 3), alike);
  });

  test('of faults shows details only to those who run the installation', async (context) => {
    const { ctx } = app.app;
    const deputy = await newPerson(app, 'deputy', { group: 'administrators' });
    const row = { name: 'sweep', holder: '', lease_ends_at: 0, last_run_at: null, held_because: 'a secret path' };
    await ctx.db.write((tx) =>
      tx
        .insertInto('jobs')
        .values({ ...row, note: '', failures: 0, failed_at: null, failure: '', took_ms: 0 } as never)
        .execute(),
    );
    context.mock.method(ctx.blobs, 'space', async () => ({ usedBytes: 95, totalBytes: 100 }));
    const wordsFor = async (caller: UserCaller) => JSON.stringify((await getOverview(ctx, caller)).alerts);
    assert.match(await wordsFor(operatorCaller()), /a secret path/);
    const shown = await wordsFor(await callerFor(app, deputy));
    assert.doesNotMatch(shown, /secret/);
    assert.match(shown, /"erasing-paused","detail":""/);
    assert.match(shown, /"storage-full","percentUsed":95/, 'numbers contain no details');
  });

  test('of events checks ten times for a missing number, and at most for a thousand of them', async () => {
    const { ctx } = app.app;
    const cursor = { last: -3, holes: new Map<number, number>() };
    await readNews(ctx, cursor, []);
    assert.deepEqual(
      [...cursor.holes],
      [
        [-2, 10],
        [-1, 10],
        [0, 10],
      ],
    );
    for (let remaining = 9; remaining > 0; remaining--) {
      await readNews(ctx, cursor, []);
      assert.deepEqual([...cursor.holes.values()], [remaining, remaining, remaining]);
    }
    await readNews(ctx, cursor, []);
    assert.equal(cursor.holes.size, 0);
    const far = { last: -5000, holes: new Map<number, number>() };
    await readNews(ctx, far, []);
    assert.deepEqual([far.holes.size, far.last], [1000, cursor.last]);
    const found = {
      last: cursor.last,
      holes: new Map([
        [1, 10],
        [-1, 10],
      ]),
    };
    const own = { userId: 'root-example-com', addresses: [] };
    await readNews(ctx, found, [own]);
    assert.deepEqual([...found.holes], [[-1, 9]], 'one that was found is not searched again');
  });

  test('of refused mails starts with the domain that has most, then the newest, of thirty days', async () => {
    const { ctx } = app.app;
    await ctx.db.write((tx) => tx.deleteFrom('outbox').execute());
    const now = app.clock.now();
    const refused = async (recipient: string, finishedAt: number) => {
      const message = { recipients: [recipient], subject: 'x', message: 'x', send_email: true };
      await sendMessage(alice, { ...message, send_receipt: false });
      const set = { state: 'failed', finished_at: finishedAt, server_text: `no ${recipient}` } as const;
      await ctx.db.write((tx) => tx.updateTable('outbox').set(set).where('recipient', '=', recipient).execute());
    };
    await refused('a@old.example', now - 30 * dayMs - 1);
    await refused('a@one.example', now - 2000);
    await refused('a@new.example', now - 1000);
    await refused('a@two.example', now - 3000);
    await refused('b@two.example', now - 4000);
    const found = await listRefusals(ctx, operatorCaller());
    assert.deepEqual(
      found.map(({ domain, mails }) => [domain, mails]),
      [
        ['two.example', 2],
        ['new.example', 1],
        ['one.example', 1],
      ],
    );
    assert.deepEqual([found[0]!.lastAt, found[0]!.said], [now - 3000, 'no a@two.example']);
  });

  test('of changes of a group goes back to the requested version, over more than a page', async () => {
    const { ctx } = app.app;
    const id = await app.group('Busy', { session_hours: 1 });
    const change = { action: 'group.changed', object: { kind: 'group', id }, ownerId: '' } as const;
    await ctx.db.write(async (tx) => {
      for (let from = 1; from <= 51; from++) {
        const step = { from, to: from + 1 };
        await record(ctx, tx, systemCaller, { ...change, facts: { version: step, session_hours: step } });
      }
    });
    const hoursSince = async (version: number) =>
      (await changesSince(app.app.ctx.db.read, id, version)).map(({ setting, from, to }) => [setting, from, to]);
    assert.deepEqual(await hoursSince(1), [['session_hours', 1, 52]]);
    assert.deepEqual(await hoursSince(51), [['session_hours', 51, 52]]);
    assert.deepEqual(await hoursSince(52), []);
  });
});
