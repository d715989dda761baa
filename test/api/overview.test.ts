import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { OverviewBody } from '#contract/admin/overview.ts';
import { onEachDatabase, onOneEngine, testOnce } from '#test/kit/app.ts';
import { type ApiClient, assertRefused } from '#test/kit/client.ts';
import { until } from '#test/kit/eventually.ts';
import { beyondBuffersBytes } from '#test/kit/outside.ts';
import { openSlowly } from '#test/kit/raw-requests.ts';
import { eventsLeftBy } from '#test/kit/recorded.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { Visitor } from '#test/kit/visitor.ts';

const overviewFor = async (as: ApiClient) =>
  ((await as.expect(200, 'getOverview')).body as { overview: OverviewBody }).overview;

onEachDatabase('the overview', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let boss: ApiClient;
  let auditor: ApiClient;
  const get = (as = app.admin) => overviewFor(as);

  before(async () => {
    alice = await newPerson(app, 'alice');
    boss = await newPerson(app, 'boss', { group: 'administrators' });
    const group = await app.group('Auditors', { role: 'auditor' });
    auditor = await newPerson(app, 'watcher', { group });
  });

  testOnce('is for all users with access to the console', async () => {
    await app.anonymous.expect(401, 'getOverview');
    assertRefused(await alice.call('getOverview'), 403, 'admin.not_permitted');
    assertRefused(await auditor.call('stopRunning', { params: { id: 'upload.x' } }), 403, 'admin.not_permitted');
    await get(boss);
    await get(auditor);
  });

  testOnce('reports that mail is not set up, and nothing else, while everything works', async () => {
    assert.deepEqual(
      (await get()).attention.map(({ topic }) => topic),
      ['mail-off'],
    );
  });

  test("counts today's items, and the usual number by this time of the day", async () => {
    const before28 = await get();
    assert.equal(before28.days.length, 29);
    assert.equal(before28.today.bytes.today, 0);
    await share(alice, { bytes: 'x'.repeat(2800) });
    const today = await get();
    assert.equal(today.today.bytes.today, 2800);
    assert.equal(today.today.bytes.usual, 0);
    assert.equal(today.days.at(-1)!.bytes, 2800);
    assert.equal(today.storage.kept, 2800);
    app.clock.advance(24 * 3_600_000);
    const tomorrow = await get();
    assert.equal(tomorrow.today.bytes.today, 0);
    assert.equal(tomorrow.today.bytes.usual, 100, 'one of 28 days');
    assert.equal(tomorrow.days.at(-2)!.bytes, 2800);
  });

  testOnce('shows the age of what can be opened', async () => {
    assert.deepEqual((await get()).readable[0], { up_to_days: 7, files: 1, bytes: 2800 });
    app.clock.advance(8 * 24 * 3_600_000);
    const { readable } = await get();
    assert.deepEqual(
      readable.map(({ up_to_days, files }) => [up_to_days, files]),
      [
        [7, 0],
        [30, 1],
        [90, 0],
        [null, 0],
      ],
    );
  });

  testOnce('lists a running upload; stopping it releases its storage, and the event says how much', async () => {
    const chunk = await alice.fetch('/attachments/binary_upload?filename=big.bin&chunk=1&chunks=3', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'a'.repeat(500),
    });
    assert.equal(chunk.status, 200);
    const [running] = (await get(boss)).running;
    assert.equal(running!.kind, 'upload');
    assert.equal(running!.owner.id, idOf(alice));
    assert.equal(running!.bytes, 500);
    const kept = (await get()).storage.kept;
    await boss.expect(200, 'stopRunning', { params: { id: running!.id } });
    await boss.expect(404, 'stopRunning', { params: { id: running!.id } });
    const after = await get();
    assert.deepEqual(after.running, []);
    assert.equal(after.storage.kept, kept - 500);
    const event = await app.app.ctx.db.read
      .selectFrom('events')
      .selectAll()
      .where('action', '=', 'upload.stopped')
      .executeTakeFirstOrThrow();
    assert.deepEqual(JSON.parse(event.facts), { size: 500 });
  });

  test('lists a running download; stopping it cuts the stream', async () => {
    const size = beyondBuffersBytes;
    const { linkId } = await share(alice, { bytes: size });
    const stream = await openSlowly(`${app.url}${await new Visitor(app.url).clickDownload(linkId)}`);
    const [running] = (await get(boss)).running;
    assert.equal(running!.kind, 'download');
    const [stopped] = await eventsLeftBy(app, () => boss.expect(200, 'stopRunning', { params: { id: running!.id } }));
    const about = { actor: idOf(boss), object: `link ${linkId}`, owner: idOf(alice) };
    const download = Number(running!.id.split('.')[1]);
    assert.deepEqual(stopped, { action: 'download.stopped', ...about, facts: { recipient: '', download } });
    await until(async () => (await get(boss)).running.length === 0);
    const { isWhole, sizeBytes } = await stream.rest();
    assert.ok(!isWhole && sizeBytes < size);
  });

  test('names no people of the caller’s own rank, and refuses to stop their transfers', async () => {
    await app.admin.fetch('/attachments/binary_upload?filename=own.bin&chunk=1&chunks=2', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'a',
    });
    assert.deepEqual((await get(boss)).running, []);
    const [running] = (await get()).running;
    await boss.expect(404, 'stopRunning', { params: { id: running!.id } });
    const { linkId } = await share(app.admin, { bytes: beyondBuffersBytes });
    const stream = await openSlowly(`${app.url}${await new Visitor(app.url).clickDownload(linkId)}`);
    const download = (await get()).running.find(({ kind }) => kind === 'download')!;
    await boss.expect(404, 'stopRunning', { params: { id: download.id } });
    assert.ok((await stream.rest()).isWhole);
    for (const id of ['nonsense', 'upload.', 'download.1', `download.1.${idOf(alice)}`])
      await app.admin.expect(404, 'stopRunning', { params: { id } });
  });
});

onOneEngine('the overview, west of Greenwich', (start) => {
  const app = useApp(start, { environment: { WAYBILL_TIMEZONE: 'America/Los_Angeles' } });

  test('compares with the usual number by this time of the day on the clocks there', async () => {
    app.clock.set(Date.UTC(2026, 10, 18, 1)); // 17:00 on the day before
    await share(app.admin, { bytes: 'x'.repeat(2800) });
    app.clock.set(Date.UTC(2026, 10, 18, 18)); // 10:00 on the next
    const morning = await overviewFor(app.admin);
    assert.equal(morning.days.at(-2)!.bytes, 2800);
    assert.equal(morning.today.bytes.usual, 0, 'the upload happened at five in the afternoon');
    app.clock.set(Date.UTC(2026, 10, 19, 1));
    assert.equal((await overviewFor(app.admin)).today.bytes.usual, 100);
  });
});

onOneEngine('the overview, where days begin at half past', (start) => {
  const app = useApp(start, { environment: { WAYBILL_TIMEZONE: 'Asia/Kolkata' } });

  test('counts items of the first half hour for their own day', async () => {
    app.clock.set(Date.UTC(2026, 10, 17, 18, 29));
    await share(app.admin, { bytes: 'x'.repeat(10) });
    app.clock.advance(60_000);
    await share(app.admin, { bytes: 'x'.repeat(200) });
    const { days } = await overviewFor(app.admin);
    assert.deepEqual(
      days.slice(-2).map(({ date, bytes }) => [date, bytes]),
      [
        ['2026-11-17', 10],
        ['2026-11-18', 200],
      ],
    );
  });
});

onOneEngine('the overview, where clocks change', (start) => {
  const app = useApp(start, { environment: { WAYBILL_TIMEZONE: 'Europe/Stockholm' } });

  test('leaves out no day of 23 hours, and shows none of 25 twice', async () => {
    // Half an hour after the midnight that ends a day of 23 hours, and before the one that ends a day of 25.
    for (const at of ['2027-03-28T22:30:00Z', '2027-10-31T22:30:00Z']) {
      app.clock.set(Date.parse(at));
      const { days } = await overviewFor(app.admin);
      const numbers = days.map(({ date }) => Date.parse(date) / 86_400_000);
      assert.deepEqual(
        numbers.map((number) => number - numbers[0]!),
        [...Array(29).keys()],
        at,
      );
    }
  });
});
