// An event of an action reaches each consumer once, also when it or another consumer fails for a while.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findAlerts, findShownAlerts } from '#server/actions/alerts/checks.ts';
import type { Ctx } from '#server/actions/context.ts';
import { eventConsumers } from '#server/actions/event-consumers.ts';
import { writeSyslog } from '#server/actions/event-receivers/streams.ts';
import { verifyLog } from '#server/actions/evidence/verify.ts';
import { openCursor, readNews } from '#server/actions/live/news.ts';
import { listActivityPage } from '#server/actions/messages/timeline.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { openSyslogReceiver, type SyslogReceiver } from '#test/kit/syslog-receiver.ts';
import { useApp } from '#test/kit/use-app.ts';

onEachDatabase('An event of an action', (start) => {
  const environment: Record<string, string> = { WAYBILL_ROLE: 'web' };
  let syslog: SyslogReceiver;
  let folder: string;
  before(async () => {
    syslog = await openSyslogReceiver();
    folder = mkdtempSync(join(tmpdir(), 'waybill-events-'));
    environment.WAYBILL_SYSLOG_URL = syslog.url;
    environment.WAYBILL_EVENTS_FILE = join(folder, 'events.jsonl');
  });
  const app = useApp(start, { environment });
  after(async () => {
    await syslog.close();
    rmSync(folder, { recursive: true });
  });
  let people = 0;

  const linesOf = () => {
    const path = join(folder, 'events.jsonl');
    return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  };
  /** How often these lines say that this person sent a message. */
  const timesSent = (lines: readonly string[], owner: ApiClient) =>
    lines.filter((line) => line.includes('"action":"message.sent"') && line.includes(owner.email)).length;

  /** Its second read of the database fails. */
  function broken(ctx: Ctx): Ctx {
    let reads = 0;
    const db = new Proxy(ctx.db, {
      get: (target, name) => {
        if (name === 'read' && ++reads > 1) throw new Error('the database is unavailable');
        return Reflect.get(target, name);
      },
    });
    return { ...ctx, db };
  }

  /** Everything that reads events, and how often each has had the event that a message was sent. */
  async function openConsumers(owner: ApiClient) {
    const { ctx } = app.app;
    const cursor = await openCursor(ctx);
    const follower = { userId: idOf(owner), addresses: [owner.email] };
    const seen = { live: 0 };
    const run = async (failing: string | null) => {
      const within = (name: string) => (name === failing ? broken(ctx) : ctx);
      const failed: string[] = [];
      const note = (name: string) => () => void failed.push(name);
      const news = await readNews(within('live'), cursor, [follower]).catch(note('live'));
      seen.live += (news ?? []).filter(({ topics }) => topics.includes('messages')).length;
      for (const { name, consume } of eventConsumers) await consume(within(name)).catch(note(name));
      return failed;
    };
    return { run, seen };
  }

  /** The log has one entry for each event, in order. */
  async function assertSealedOnce(): Promise<void> {
    const { ctx } = app.app;
    const { count } = await ctx.db.read
      .selectFrom('events')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    assert.deepEqual(await verifyLog(ctx), { entries: Number(count), fault: null, warnings: [] });
  }

  test('that a stream does not accept is one item of the overview, worth an e-mail after an hour', async () => {
    const { ctx } = app.app;
    const topic = async (find: typeof findAlerts) =>
      (await find(ctx)).filter((alert) => alert.topic === 'stream-failing').map((alert) => JSON.stringify(alert));
    await writeSyslog(ctx);
    assert.deepEqual(await topic(findShownAlerts), []);
    syslog.behaviour = 'reset';
    const owner = await newPerson(app, 'early');
    await writeSyslog(ctx);
    assert.equal((await topic(findShownAlerts)).length, 1);
    assert.match((await topic(findShownAlerts))[0]!, new RegExp(`"detail":"${syslog.url}: .+"`));
    assert.deepEqual(await topic(findAlerts), []);
    app.clock.advance(60 * 60_000);
    assert.equal((await topic(findAlerts)).length, 1);
    syslog.behaviour = 'accept';
    await writeSyslog(ctx);
    assert.deepEqual(await topic(findShownAlerts), []);
    assert.ok(
      syslog.messages.some((text) => text.includes(owner.email)),
      'nothing is lost',
    );
  });

  for (const failing of [null, 'live', ...eventConsumers.map(({ name }) => name)])
    test(`reaches each consumer once when ${failing ?? 'none'} fails`, async () => {
      const { ctx } = app.app;
      const owner = await newPerson(app, `owner${++people}`);
      const { run, seen } = await openConsumers(owner);
      await run(null);
      const { id } = await sendMessage(owner, { recipients: [owner.email] });
      assert.deepEqual(await run(failing), failing === null ? [] : [failing]);
      if (failing !== 'live') assert.equal(seen.live, 1, 'open pages do not wait for others');
      for (let again = 0; again < 2; again++) assert.deepEqual(await run(null), []);
      assert.equal(seen.live, 1, 'open pages');
      await assertSealedOnce();
      assert.equal(timesSent(linesOf(), owner), 1, 'the file');
      assert.equal(timesSent(syslog.messages, owner), 1, 'syslog');
      const page = { kind: null, beforeSeq: null, size: 10 };
      const { events } = await listActivityPage(ctx, await callerFor(app, owner), id, page);
      assert.equal(events.filter(({ action }) => action === 'message.sent').length, 1, 'the timeline');
    });
});
