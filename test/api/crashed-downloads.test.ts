import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createProcessWatch, endDownloadsOf } from '#server/actions/downloads/crashed-processes.ts';
import { type Grant, grantBytes, isStillAllowed } from '#server/actions/downloads/downloads.ts';
import { finishDownload, recordProgress, recordTaken } from '#server/actions/downloads/request-ends.ts';
import { openTicket } from '#server/actions/downloads/tickets.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload, unknownVisitor } from '#test/kit/downloads.ts';
import { idOf, linkTo, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const hourMs = 3_600_000;
const bearer = {
  visitorHash: null,
  sessionHash: null,
  proofHash: null,
  apiKeyId: null,
  isBare: false,
  accountId: null,
  network: '',
};

onEachDatabase('a download that another process serves', (start) => {
  const app = useApp(start);
  let alice: ApiClient;
  let attachment: string;
  before(async () => {
    alice = await newPerson(app, 'alice');
    attachment = (await alice.upload('plan.txt', '0123456789')).id;
  });

  const grantTo = async (path: string, servedBy: string, first = 0): Promise<Grant> => {
    const delivery = await openTicket(app.app.ctx, path.split('/')[2]!, bearer);
    return grantBytes(app.app.ctx, systemCaller, {
      delivery,
      range: { start: first, end: 10 },
      visitor: unknownVisitor,
      servedBy,
    });
  };
  const begin = async (servedBy: string) => {
    const { path } = await clickDownload(app.url, await linkTo(alice, attachment));
    return { path: path!, grant: await grantTo(path!, servedBy) };
  };
  const taken = (count: number) => ({ certain: count, possible: count });
  const lineOf = ({ number }: Grant) =>
    app.app.ctx.db.read
      .selectFrom('downloads')
      .select(['outcome', 'is_crashed', 'sent_bytes', 'finished_at', 'duration_ms', 'delivered'])
      .where('owner_id', '=', idOf(alice))
      .where('number', '=', number)
      .executeTakeFirstOrThrow();
  const requestsOf = ({ number }: Grant) =>
    app.app.ctx.db.read
      .selectFrom('download_requests')
      .select(['outcome', 'taken_bytes', 'at_most_bytes', 'ended_at'])
      .where('owner_id', '=', idOf(alice))
      .where('number', '=', number)
      .orderBy('request')
      .execute();
  const lastEvent = async () => {
    const query = app.app.ctx.db.read.selectFrom('events').select('facts').where('action', '=', 'download.ended');
    return JSON.parse((await query.orderBy('seq', 'desc').executeTakeFirstOrThrow()).facts) as Record<string, unknown>;
  };

  test('is running in the log while bytes are recorded, and counts each of them once', async () => {
    const { grant } = await begin('other');
    app.clock.advance(30_000);
    const first = await recordProgress(app.app.ctx, grant, taken(4));
    assert.deepEqual(await lineOf(grant), {
      outcome: 'granted',
      is_crashed: 0,
      sent_bytes: 4,
      finished_at: null,
      duration_ms: 30_000,
      delivered: '0-4',
    });
    app.clock.advance(10_000);
    await finishDownload(app.app.ctx, await recordProgress(app.app.ctx, first, taken(7)), taken(7), 'partial');
    const { outcome, sent_bytes, duration_ms, delivered } = await lineOf(grant);
    assert.deepEqual(
      { outcome, sent_bytes, duration_ms, delivered },
      {
        outcome: 'partial',
        sent_bytes: 7,
        duration_ms: 40_000,
        delivered: '0-7',
      },
    );
    assert.equal((await lastEvent()).bytes, 7);
  });

  test('is closed with what was recorded once the heartbeat of its process stops', async () => {
    const { grant } = await begin('dead');
    await recordProgress(app.app.ctx, grant, taken(6));
    const watch = createProcessWatch(app.app.ctx, 'watching', 'file none');
    assert.deepEqual([await watch.check(), await watch.check(), await watch.check()], [0, 0, 0]);
    assert.equal((await lineOf(grant)).finished_at, null);
    assert.equal(await watch.check(), 1);
    const { outcome, is_crashed, sent_bytes, finished_at } = await lineOf(grant);
    assert.deepEqual({ outcome, is_crashed, sent_bytes }, { outcome: 'cut', is_crashed: 1, sent_bytes: 6 });
    assert.equal(finished_at, app.clock.now());
    const event = await lastEvent();
    assert.deepEqual([event.bytes, event.taken, event.crashed, event.at_most], [6, 6, true, 10]);
    const [request] = await requestsOf(grant);
    assert.deepEqual(request, { outcome: 'crashed', taken_bytes: 6, at_most_bytes: 10, ended_at: app.clock.now() });
    await watch.stop();
  });

  test('stays open while its process lives, whatever the clocks say', async () => {
    const { grant } = await begin('living');
    const [living, watching] = [
      createProcessWatch(app.app.ctx, 'living', 'file none'),
      createProcessWatch(app.app.ctx, 'watching', 'file none'),
    ];
    for (let round = 0; round < 6; round++) {
      app.clock.advance(hourMs);
      await living.check();
      assert.equal(await watching.check(), 0);
    }
    assert.equal((await lineOf(grant)).outcome, 'granted');
    await finishDownload(app.app.ctx, grant, taken(10), 'partial');
    await living.stop();
    await watching.stop();
    assert.equal((await lineOf(grant)).outcome, 'complete');
  });

  test('is closed for the request of the dead process only while another one serves the rest', async () => {
    const { path, grant } = await begin('dead');
    await recordTaken(app.app.ctx, grant, taken(3));
    const rest = await grantTo(path, 'living', 6);
    assert.equal(await endDownloadsOf(app.app.ctx, 'dead'), 1);
    assert.deepEqual(
      (await requestsOf(grant)).map(({ outcome, taken_bytes, at_most_bytes }) => [outcome, taken_bytes, at_most_bytes]),
      [
        ['crashed', 3, 10],
        ['running', 0, null],
      ],
    );
    assert.equal((await lineOf(grant)).outcome, 'granted');
    assert.deepEqual([(await lastEvent()).bytes, (await lastEvent()).at_most], [3, 10]);
    await finishDownload(app.app.ctx, rest, taken(4), 'partial');
    const { outcome, sent_bytes } = await lineOf(grant);
    assert.deepEqual({ outcome, sent_bytes }, { outcome: 'partial', sent_bytes: 7 });
    assert.equal((await lastEvent()).total, 7);
  });

  test('that was closed runs again and is complete when another process serves the rest', async () => {
    const { path, grant } = await begin('dead');
    await recordProgress(app.app.ctx, grant, taken(6));
    assert.equal(await endDownloadsOf(app.app.ctx, 'dead'), 1);
    const rest = await grantTo(path, 'other', 6);
    const running = await recordProgress(app.app.ctx, rest, taken(2));
    assert.deepEqual([(await lineOf(grant)).outcome, (await lineOf(grant)).finished_at], ['granted', null]);
    await finishDownload(app.app.ctx, running, taken(4), 'partial');
    const { outcome, is_crashed, sent_bytes } = await lineOf(grant);
    assert.deepEqual({ outcome, is_crashed, sent_bytes }, { outcome: 'complete', is_crashed: 0, sent_bytes: 10 });
  });

  test('of a version that did not store the process is closed after three days', async () => {
    const { grant } = await begin('');
    await app.app.ctx.db.write((tx) => tx.deleteFrom('download_requests').where('served_by', '=', '').execute());
    const watch = createProcessWatch(app.app.ctx, 'watching', 'file none');
    for (let count = 0; count < 5; count++) assert.equal(await watch.check(), 0);
    app.clock.advance(72 * hourMs + 1);
    assert.equal(await watch.check(), 1);
    assert.equal((await lineOf(grant)).is_crashed, 1);
    await watch.stop();
  });

  test('keeps its ticket while bytes are sent, and loses it two days after the last ones', async () => {
    const { grant } = await begin('other');
    for (let day = 0; day < 4; day++) {
      app.clock.advance(24 * hourMs);
      await recordProgress(app.app.ctx, grant, taken(day + 1));
      await app.app.jobs.runOnce('tidy');
      assert.ok(await isStillAllowed(app.app.ctx, grant), `after ${day + 1} days`);
    }
    app.clock.advance(48 * hourMs);
    await app.app.jobs.runOnce('tidy');
    assert.equal(await isStillAllowed(app.app.ctx, grant), false);
  });
});
