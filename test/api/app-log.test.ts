import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { appLogAnswer, appLogFiguresAnswer } from '#contract/app/downloads.ts';
import { wireShape } from '#contract/codec.ts';
import { download, downloadsAnswer } from '#contract/downloads.ts';
import type { DownloadsTable } from '#server/db/schema/schema.ts';
import { onEachDatabase, testOnce, testStart } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { downloadLine } from '#test/kit/download-lines.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';
import { idOf, linkTo } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 86_400_000;
const dateOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);

onEachDatabase('download log of the web app', (start) => {
  const app = useApp(start);
  let alice: ApiClient;
  let eve: ApiClient;
  let link: string;
  let attachment: string;
  before(async () => {
    alice = await newPerson(app, 'alice');
    eve = await newPerson(app, 'eve');
    attachment = (await alice.upload('=cmd.txt', 'hello')).id;
    link = await linkTo(alice, attachment);
    await write([
      line(1, { granted_at: testStart - 40 * dayMs }),
      line(2, { recipient: 'ben@harbour.example', country_code: 'SE', latitude: 59, longitude: 18 }),
      line(3, {
        recipient: 'ben@harbour.example',
        country_code: 'SE',
        latitude: 57,
        longitude: 12,
        platform: 'mobile',
      }),
      line(4, { recipient: 'cleo@harbour.example', country_code: 'FR', granted_at: testStart - 2 * dayMs }),
      line(5, { link_id: null, user_agent: '=HYPERLINK("http://x")' }),
      line(6, { outcome: 'refunded' }),
    ]);
  });

  function line(number: number, more: Partial<DownloadsTable> = {}): DownloadsTable {
    const of = { owner_id: idOf(alice), number, attachment_id: attachment };
    return downloadLine(of, { link_id: link, ...more });
  }
  const write = (rows: DownloadsTable[]) =>
    app.app.ctx.db.write((tx) =>
      tx
        .insertInto('downloads')
        .values(rows)
        .execute()
        .then(() => {}),
    );
  const list = async (query: Record<string, string> = {}, who = alice) =>
    wireForm(appLogAnswer, (await who.expect(200, 'listAppLog', { query })).body);
  const statistics = async (query: Record<string, string> = {}, who = alice) =>
    wireForm(appLogFiguresAnswer, (await who.expect(200, 'getAppLogFigures', { query })).body).figures;
  const range = { from: dateOf(testStart - 60 * dayMs), to: dateOf(testStart) };

  test('an invalid range or filter is refused', async () => {
    const bad: [string, Record<string, string>][] = [
      ['log.bad_range', { from: '2026-02-02', to: '2026-02-01' }],
      ['request.invalid', { from: '2026-02-30' }],
      ['request.invalid', { from: '0001-01-01' }],
      ['request.invalid', { to: '1970-12-31', days: '366' }],
      ['log.bad_zone', { zone: 'Europe/Atlantis' }],
      ['request.invalid', { days: '367' }],
      ['request.invalid', { country: 'Sweden' }],
      ['request.invalid', { file: 'x' }],
      ['request.invalid', { size: '1000' }],
    ];
    for (const [code, query] of bad) await alice.refused(422, code, 'listAppLog', { query });
    await alice.refused(422, 'request.invalid', 'exportAppLog', { query: { format: 'xml' } });
    await alice.refused(422, 'log.bad_range', 'exportAppLog', {
      query: { format: 'csv', from: '2026-02-02', to: '2026-02-01' },
    });
  });

  test('a user reads no entry of another user, whatever they filter by', async () => {
    const queries: Record<string, string>[] = [{}, { link }, { file: attachment }, { ...range, link }];
    for (const query of queries)
      assert.deepEqual([(await list(query, eve)).total, (await statistics(query, eve)).downloads], [0, 0]);
  });

  test('without a range it is the last 30 days, newest first, without downloads that were given back', async () => {
    const listed = await list();
    assert.deepEqual(
      listed.items.map(({ id }) => id),
      [5, 3, 2, 4],
    );
    assert.equal(listed.total, 4);
    assert.deepEqual(
      (await list({ sort: 'downloaded_at', size: '2', page: '2' })).items.map(({ id }) => id),
      [3, 5],
    );
    assert.deepEqual((await list({ page: '9' })).items, []);
  });

  test('days are those of the requested time zone, also over a change of its clocks', async () => {
    const uma = await newPerson(app, 'uma');
    const owner_id = idOf(uma);
    // Clocks in Stockholm go back on 25 October 2026, at 01:00 UTC.
    await write(
      ['2026-10-23T21:59:00Z', '2026-10-23T22:00:00Z', '2026-10-25T22:59:00Z', '2026-10-25T23:00:00Z'].map((at, n) =>
        line(n + 1, { owner_id, granted_at: Date.parse(at) }),
      ),
    );
    const days = async (zone: string) =>
      (await statistics({ from: '2026-10-20', to: '2026-10-30', zone }, uma)).per_day.map(
        ({ date, downloads }) => `${date} ${downloads}`,
      );
    assert.deepEqual(await days('UTC'), ['2026-10-23 2', '2026-10-25 2']);
    assert.deepEqual(await days('Europe/Stockholm'), ['2026-10-23 1', '2026-10-24 1', '2026-10-25 1', '2026-10-26 1']);
    const last = await list({ from: '2026-10-26', to: '2026-10-26', zone: 'Europe/Stockholm' }, uma);
    assert.deepEqual(
      last.items.map(({ id }) => id),
      [4],
    );
    const week = await statistics({ to: '2026-10-30', days: '7' }, uma);
    assert.deepEqual([week.from, week.to], ['2026-10-24', '2026-10-30']);
  });

  test('each entry names its source, and the person where that is known', async () => {
    const vic = await newPerson(app, 'vic');
    const { id: message_id } = await sendMessage(vic, { recipients: [alice.email], subject: 'The sections' });
    await write([line(1, { owner_id: idOf(vic), message_id, link_id: null, recipient: alice.email })]);
    const { items, names } = await list({ message: message_id }, vic);
    assert.deepEqual([items[0]!.source_name, names], ['The sections', { [alice.email]: 'alice' }]);
  });

  test('each filter finds its entries, and the statistics count the same', async () => {
    const cases: [Record<string, string>, number[]][] = [
      [range, [5, 3, 2, 4, 1]],
      [{ ...range, person: 'ben@harbour.example' }, [3, 2]],
      [{ ...range, person: 'BEN@' }, [3, 2]],
      [{ ...range, person: 'harbour' }, [3, 2, 4]],
      [{ ...range, person: '%' }, []],
      [{ ...range, person: 'unknown' }, [5, 1]],
      [{ ...range, country: 'FR' }, [4]],
      [{ ...range, country: 'unknown' }, [5, 1]],
      [{ ...range, device: 'mobile' }, [3]],
      [{ ...range, link }, [4, 3, 2, 1]],
      [{ ...range, link, person: 'ben@harbour.example' }, [3, 2]],
      [{ ...range, file: attachment }, [5, 3, 2, 4, 1]],
      [{ ...range, message: 'A'.repeat(22) }, []],
    ];
    for (const [query, numbers] of cases) {
      const listed = await list(query);
      assert.deepEqual(
        listed.items.map(({ id }) => id),
        numbers,
        JSON.stringify(query),
      );
      assert.deepEqual([listed.total, (await statistics(query)).downloads], [numbers.length, numbers.length]);
    }
  });

  test('statistics sum by day, country, file and device', async () => {
    const result = await statistics(range);
    assert.deepEqual(
      [result.downloads, result.bytes, result.people, result.countries, result.without_location, result.has_locations],
      [5, 500, 2, 2, 2, false],
    );
    assert.deepEqual(
      result.per_day.map((day) => [day.date, day.downloads]),
      [
        [dateOf(testStart - 40 * dayMs), 1],
        [dateOf(testStart - 2 * dayMs), 1],
        [dateOf(testStart), 3],
      ],
    );
    assert.deepEqual(result.per_country[0], {
      country_code: 'SE',
      country_name: 'Sweden',
      downloads: 2,
      latitude: 58,
      longitude: 15,
    });
    assert.deepEqual(result.top_files, [{ attachment_id: attachment, filename: '=cmd.txt', downloads: 5, bytes: 500 }]);
    assert.deepEqual(result.devices, [
      { device: 'desktop', downloads: 4 },
      { device: 'mobile', downloads: 1 },
    ]);
  });

  test('statistics of many entries are the sum of their slices', async () => {
    const owner = await newPerson(app, 'busy');
    const file = await owner.upload('many.txt', 'many');
    const many = await linkTo(owner, file.id);
    const rows = Array.from({ length: 8100 }, (_, index) =>
      line(index + 1, {
        owner_id: idOf(owner),
        attachment_id: file.id,
        link_id: many,
        // Half of them have one timestamp, which cannot be divided.
        granted_at: testStart - (index % 2 === 0 ? 0 : index),
        recipient: `person${index % 100}@example.com`,
      }),
    );
    for (let from = 0; from < rows.length; from += 500) await write(rows.slice(from, from + 500));
    const queries: Record<string, string>[] = [{}, { link: many }];
    for (const query of queries) {
      const result = await statistics(query, owner);
      assert.deepEqual([result.downloads, result.people, result.bytes], [8100, 100, 810_000]);
      assert.equal((await list(query, owner)).total, 8100);
    }
    const reply = await owner.expect(200, 'exportAppLog', { query: { format: 'csv' } });
    assert.equal(reply.text.trimEnd().split('\r\n').length, 8101);
  });

  test('an export has every entry of the filter once, with all fields, oldest first', async () => {
    const json = await alice.expect(200, 'exportAppLog', { query: { ...range, format: 'json' } });
    assert.match(json.headers.get('content-disposition')!, /^attachment; filename="downloads-[\d-]+\.json"$/);
    const { downloads } = wireForm(downloadsAnswer, JSON.parse(json.text));
    assert.deepEqual(
      downloads.map(({ id }) => id),
      [1, 4, 2, 3, 5],
    );
    const narrow = await alice.expect(200, 'exportAppLog', { query: { ...range, format: 'json', link } });
    assert.deepEqual(
      wireForm(downloadsAnswer, JSON.parse(narrow.text)).downloads.map(({ id }) => id),
      [1, 2, 3, 4],
    );
  });

  testOnce('a spreadsheet runs nothing that recipients wrote', async () => {
    const csv = await alice.expect(200, 'exportAppLog', { query: { ...range, format: 'csv' } });
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
    const [head, ...lines] = csv.text.trimEnd().split('\r\n');
    assert.deepEqual(head!.split(','), Object.keys(wireShape(download)));
    assert.equal(lines.length, 5);
    for (const text of lines) assert.ok(text.includes(",'=cmd.txt,"));
    assert.ok(lines.at(-1)!.includes(`"'=HYPERLINK(""http://x"")"`));
    assert.ok(lines[0]!.includes(new Date(testStart - 40 * dayMs).toISOString()));
  });

  testOnce('an export without entries has only its header', async () => {
    const csv = await eve.expect(200, 'exportAppLog', { query: { format: 'csv' } });
    assert.equal(csv.text, `${Object.keys(wireShape(download)).join(',')}\r\n`);
  });
});
