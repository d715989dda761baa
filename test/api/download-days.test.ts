import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { appLogFiguresAnswer } from '#contract/app/downloads.ts';
import { sumDays } from '#server/actions/downloads/day-sums.ts';
import { beginDay, forgetDays, listSummedDays, saveDay } from '#server/db/downloads/download-days.ts';
import type { DownloadsTable } from '#server/db/schema/schema.ts';
import { emptyDaySums, encodeDaySums } from '#server/domain/download-sums.ts';
import { onEachDatabase, type TestApp, testStart } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { someBytes } from '#test/kit/content.ts';
import { downloadLine } from '#test/kit/download-lines.ts';
import { clickDownload, openDownload } from '#test/kit/downloads.ts';
import { until } from '#test/kit/eventually.ts';
import { beyondBuffersBytes } from '#test/kit/outside.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { idOf, linkTo, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 86_400_000;
const today = Math.floor(testStart / dayMs);
const dateOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

const figuresOf = async (who: ApiClient, query: Record<string, string> = {}) =>
  wireForm(appLogFiguresAnswer, (await who.expect(200, 'getAppLogFigures', { query })).body).figures;
const statisticsOfAll = async (who: ApiClient, query: Record<string, string> = {}) =>
  ((await who.expect(200, 'getDownloadFigures', { query })).body as { figures: Record<string, unknown> }).figures;
const write = (app: TestApp, rows: DownloadsTable[]) =>
  app.app.ctx.db.write((tx) => tx.insertInto('downloads').values(rows).execute());
const keptDays = async (app: TestApp, ownerId: string) =>
  (await listSummedDays(app.app.ctx.db.read, ownerId, { firstDay: 0, lastDay: today + 1000 })).map(({ day }) => day);
const sum = (app: TestApp) => app.app.jobs.runOnce('sum-downloads');

/** Log entries over a whole day, of different files, people, places and devices. */
function linesOf(
  day: number,
  count: number,
  of: { owner_id: string; first: number; files: string[] },
): DownloadsTable[] {
  return Array.from({ length: count }, (_, index) => {
    const isSwedish = index % 3 === 0;
    return downloadLine(
      { owner_id: of.owner_id, number: of.first + index, attachment_id: of.files[index % of.files.length]! },
      {
        granted_at: day * dayMs + Math.floor((index * dayMs) / count),
        sent_bytes: index + 1,
        recipient: index % 4 === 0 ? '' : `person${(day + index) % 9}@harbour.example`,
        country_code: isSwedish ? 'SE' : index % 5 === 0 ? 'FR' : '',
        latitude: isSwedish ? 57 + (index % 2) : null,
        longitude: isSwedish ? 12 : null,
        platform: index % 7 === 0 ? 'mobile' : 'desktop',
        outcome: index % 50 === 49 ? 'refunded' : 'complete',
      },
    );
  });
}

onEachDatabase('daily sums of the download log', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let ben: ApiClient;
  let boss: ApiClient;
  let files: string[];
  before(async () => {
    alice = await newPerson(app, 'alice');
    ben = await newPerson(app, 'ben');
    boss = await newPerson(app, 'boss', { group: 'administrators' });
    files = [(await alice.upload('one.txt', '1')).id, (await alice.upload('two.txt', '2')).id];
    const owner_id = idOf(alice);
    // Clocks in New York change on the first of November, 15 days ago.
    await write(app, linesOf(today - 16, 150, { owner_id, files, first: 1 }));
    await write(app, linesOf(today - 15, 200, { owner_id, files, first: 1001 }));
    await write(app, linesOf(today - 14, 20, { owner_id, files, first: 2001 }));
    await write(app, linesOf(today - 12, 150, { owner_id, files, first: 3001 }));
    await write(app, linesOf(today - 2, 150, { owner_id, files, first: 4001 }));
    await write(app, linesOf(today, 10, { owner_id, files, first: 5001 }).slice(0, 4));
    await write(app, linesOf(today - 15, 30, { owner_id: idOf(ben), files, first: 1 }));
    await app.app.ctx.db.write((tx) => tx.updateTable('users').set({ download_number: 9100 }).execute());
  });

  /** Every answer of each person, in zones whose days begin at other quarters, for ranges that begin and end within days. */
  async function everyAnswer(): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const zone of ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati'])
      for (const who of [alice, ben]) {
        answers.push(await figuresOf(who, { zone }));
        answers.push(await figuresOf(who, { zone, from: dateOf(today - 15), to: dateOf(today - 12) }));
        answers.push(await figuresOf(who, { zone, country: 'SE' }));
        answers.push((await who.expect(200, 'listAppLog', { query: { zone, size: '10', page: '2' } })).body);
      }
    const queries: Record<string, string>[] = [{}, { person: alice.email }, { person: ben.email }, { country: 'FR' }];
    for (const query of [...queries, { recipient: 'person3' }])
      for (const who of [app.admin, boss]) answers.push(await statisticsOfAll(who, query));
    return answers;
  }

  test('change no answer, and are stored for completed days of people with many entries', async () => {
    const fromLines = await everyAnswer();
    assert.equal(await sum(app), '4 days of the download log summed');
    assert.deepEqual(await keptDays(app, ''), [today - 16, today - 15, today - 14, today - 12]);
    assert.deepEqual(await keptDays(app, idOf(alice)), [today - 16, today - 15, today - 12]);
    assert.deepEqual(await keptDays(app, idOf(ben)), []);
    assert.deepEqual(await everyAnswer(), fromLines);
    assert.equal(await sum(app), '0 days of the download log summed');
  });

  test('are the source of the statistics', async () => {
    const earlier = await figuresOf(alice);
    await app.app.ctx.db.write((tx) =>
      tx
        .updateTable('downloads')
        .set({ sent_bytes: 10_000 })
        .where('number', '=', 1)
        .where('owner_id', '=', idOf(alice))
        .execute(),
    );
    assert.equal((await figuresOf(alice)).bytes, earlier.bytes);
    await app.app.ctx.db.write((tx) => forgetDays(tx, today - 16, today - 16));
    assert.equal((await figuresOf(alice)).bytes, earlier.bytes - 1 + 10_000);
    assert.equal(await sum(app), '1 day of the download log summed');
    assert.equal((await figuresOf(alice)).bytes, earlier.bytes - 1 + 10_000);
  });

  test("do not delay queries over thousands of years: a zone's clocks are looked up only for days with downloads", async (t) => {
    const formatting = t.mock.method(Intl.DateTimeFormat.prototype, 'formatToParts');
    const years = { zone: 'America/New_York', from: '1971-01-01', to: '9999-12-31' };
    assert.ok((await figuresOf(alice, years)).downloads > 500);
    await app.admin.expect(422, 'getDownloadFigures', { query: { from: years.from, to: years.to } });
    assert.ok(formatting.mock.callCount() < 2000, `${formatting.mock.callCount()} times`);
  });

  test('of a day whose entries change during the summing are not stored', async () => {
    const day = today - 40;
    const written = encodeDaySums(emptyDaySums());
    const { db } = app.app.ctx;
    await db.write((tx) => beginDay(tx, day));
    assert.deepEqual(await keptDays(app, '').then((days) => days.includes(day)), false, 'a day that was begun');
    await db.write((tx) => forgetDays(tx, day, day));
    assert.equal(await db.write((tx) => saveDay(tx, day, written, new Map([[idOf(alice), written]]))), false);
    for (const owner of ['', idOf(alice)]) assert.equal((await keptDays(app, owner)).includes(day), false);
  });

  describe('after later changes', () => {
    test('the sums of a day are computed again when one of its downloads ends late', async () => {
      const bytes = someBytes(beyondBuffersBytes, 3);
      const link = await linkTo(alice, (await alice.upload('large.bin', bytes)).id);
      const { path } = await clickDownload(app.url, link);
      const running = await openDownload(app.url, path!);
      app.clock.advance(4 * dayMs);
      await sum(app);
      assert.ok((await keptDays(app, '')).includes(today));
      const earlier = await statisticsOfAll(app.admin);
      await running.rest();
      await until(async () => !(await keptDays(app, '')).includes(today));
      const later = await statisticsOfAll(app.admin);
      assert.equal(Number(later.bytes) - Number(earlier.bytes), bytes.length);
      await sum(app);
      assert.deepEqual(await statisticsOfAll(app.admin), later);
    });

    test('the sums of the day on which a download began are computed again when a later click continues it', async () => {
      const bytes = someBytes(beyondBuffersBytes, 4);
      const link = await linkTo(alice, (await alice.upload('continued.bin', bytes)).id);
      const beginning = Math.floor(app.clock.now() / dayMs);
      const first = await clickDownload(app.url, link);
      (await openDownload(app.url, first.path!)).cut();
      await untilDownloadsEnd(app);
      app.clock.advance(20 * 3_600_000);
      const second = await clickDownload(app.url, link, first.browser);
      const running = await openDownload(app.url, second.path!);
      assert.ok(Math.floor(app.clock.now() / dayMs) > beginning, 'the second click came on a later day');
      app.clock.advance(4 * dayMs);
      await sum(app);
      assert.ok((await keptDays(app, '')).includes(beginning));
      const earlier = await statisticsOfAll(app.admin);
      await running.rest();
      await until(async () => !(await keptDays(app, '')).includes(beginning));
      const later = await statisticsOfAll(app.admin);
      assert.equal(later.downloads, earlier.downloads, 'one download');
      assert.ok(Number(later.bytes) > Number(earlier.bytes));
      await sum(app);
      assert.deepEqual(await statisticsOfAll(app.admin), later);
    });

    test('days that a fast clock has summed too early are read from their entries, and their sums deleted', async () => {
      const now = app.clock.now();
      const day = Math.floor(now / dayMs);
      const of = { owner_id: idOf(alice), attachment_id: files[0]! };
      await write(app, [downloadLine({ ...of, number: 9001 }, { granted_at: now })]);
      // As in a process whose clock was wrong until an operator corrected it.
      await sumDays({ ...app.app.ctx, clock: { ...app.app.ctx.clock, now: () => now + 10 * dayMs } }, 100);
      assert.ok((await keptDays(app, '')).includes(day));
      const earlier = await statisticsOfAll(app.admin);
      await write(app, [downloadLine({ ...of, number: 9002 }, { granted_at: now })]);
      assert.equal((await statisticsOfAll(app.admin)).downloads, Number(earlier.downloads) + 1);
      await sum(app);
      assert.equal((await keptDays(app, '')).includes(day), false);
    });

    test('nothing that was counted from an address outlives its erasure', async () => {
      const carl = await newPerson(app, 'carl');
      assert.ok((await keptDays(app, '')).length > 0);
      const erasure = { email: carl.email, reason: 'Asked by letter' };
      await app.admin.expect(200, 'erasePerson', { params: { id: idOf(carl) }, body: { erasure } });
      assert.deepEqual(await keptDays(app, ''), []);
      const fromLines = await everyAnswer();
      await sum(app);
      assert.deepEqual(await everyAnswer(), fromLines);
    });
  });
});
