import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { DownloadFiguresBody, LoggedDownloadBody } from '#contract/admin/downloads.ts';
import type { DownloadsTable } from '#server/db/schema/schema.ts';
import { onEachDatabase, testStart } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { downloadLine } from '#test/kit/download-lines.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const dayMs = 86_400_000;

onEachDatabase('the download log of all users', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let ben: ApiClient;
  let boss: ApiClient;
  let auditor: ApiClient;
  let link: string;
  before(async () => {
    alice = await newPerson(app, 'alice');
    ben = await newPerson(app, 'ben');
    boss = await newPerson(app, 'boss', { group: 'administrators' });
    auditor = await newPerson(app, 'watcher', { group: await app.group('Auditors', { role: 'auditor' }) });
    const { attachmentId, linkId } = await share(alice, { name: 'secret name.txt', bytes: 'x'.repeat(100) });
    link = linkId;
    const line = (owner: ApiClient, number: number, more: Partial<DownloadsTable> = {}): DownloadsTable => {
      const of = { owner_id: idOf(owner), number, attachment_id: attachmentId };
      return downloadLine(of, { link_id: 'other-link', browser: 'Firefox', ...more });
    };
    const lines = [
      line(alice, 1, { granted_at: testStart - 40 * dayMs }),
      line(alice, 2, { recipient: 'cleo@harbour.example', country_code: 'SE', link_id: link }),
      line(alice, 3, { recipient: 'cleo@harbour.example', country_code: 'SE', granted_at: testStart - dayMs }),
      line(ben, 1, { recipient: 'dan@quay.example', country_code: 'FR', outcome: 'cut', sent_bytes: 7 }),
      line(ben, 2, { outcome: 'refunded' }),
      line(auditor, 1, {}),
    ];
    await app.app.ctx.db.write((tx) => tx.insertInto('downloads').values(lines).execute());
  });

  const list = async (as: ApiClient, query: Record<string, string> = {}) =>
    (await as.expect(200, 'listDownloadLog', { query })).body as {
      downloads: LoggedDownloadBody[];
      next: string | null;
    };
  const statistics = async (as: ApiClient, query: Record<string, string> = {}) =>
    ((await as.expect(200, 'getDownloadFigures', { query })).body as { figures: DownloadFiguresBody }).figures;
  const ids = (downloads: LoggedDownloadBody[]) => downloads.map(({ id }) => id).sort();
  const [a2, a3, b1, w1] = ['alice-example-com.2', 'alice-example-com.3', 'ben-example-com.1', 'watcher-example-com.1'];

  test('is for administrators and auditors', async () => {
    for (const name of ['listDownloadLog', 'getDownloadFigures', 'exportDownloadLog'] as const) {
      await app.anonymous.refused(401, 'credentials.invalid', name);
      await alice.refused(403, 'admin.not_permitted', name);
    }
  });

  test('returns downloads of all users in the last 30 days, and to administrators those within their reach', async () => {
    assert.deepEqual(ids((await list(auditor)).downloads), [a2, a3, b1, w1]);
    assert.deepEqual(ids((await list(app.admin)).downloads), [a2, a3, b1, w1]);
    assert.deepEqual(ids((await list(boss)).downloads), [a2, a3, b1]);
    assert.equal((await statistics(boss)).downloads, 3);
  });

  test('never contains the name of a file', async () => {
    for (const name of ['listDownloadLog', 'getDownloadFigures', 'exportDownloadLog'] as const) {
      const { text } = await auditor.expect(200, name);
      assert.ok(!text.includes('secret name'), name);
    }
  });

  test('is filtered by person, recipient, link, country and time', async () => {
    const found = async (query: Record<string, string>) => ids((await list(auditor, query)).downloads);
    assert.deepEqual(await found({ person: ben.email }), [b1]);
    assert.deepEqual(await found({ recipient: 'CLEO@harbour.example' }), [a2, a3]);
    assert.deepEqual(await found({ recipient: 'quay' }), [b1]);
    assert.deepEqual(await found({ recipient: 'unknown' }), [w1]);
    assert.deepEqual(await found({ object: `${app.url}/link/${link}` }), [a2]);
    assert.deepEqual(await found({ country: 'FR' }), [b1]);
    assert.equal((await found({ days: '60' })).length, 5);
    await auditor.refused(404, 'user.not_found', 'listDownloadLog', { query: { person: 'unknown@example.com' } });
    await auditor.refused(422, 'log.bad_range', 'listDownloadLog', { query: { from: '2026-02-02', to: '2026-02-01' } });
    await auditor.refused(422, 'log.too_long', 'getDownloadFigures', { query: { from: '2020-01-01' } });
    await auditor.refused(422, 'list.bad_place', 'listDownloadLog', { query: { after: 'x' } });
  });

  test('returns every entry once over several pages, newest first', async () => {
    const all: LoggedDownloadBody[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const page: { downloads: LoggedDownloadBody[]; next: string | null } = await list(auditor, {
        size: '1',
        ...(after === '' ? {} : { after }),
      });
      all.push(...page.downloads);
      after = page.next;
    }
    assert.deepEqual(ids(all), [a2, a3, b1, w1]);
    assert.equal(all.at(-1)!.id, a3);
    const cut = all.find(({ id }) => id === b1)!;
    assert.deepEqual([cut.outcome, cut.bytes, cut.owner.email], ['partial', 7, ben.email]);
  });

  test('is summed by day, country and person', async () => {
    const sums = await statistics(auditor);
    assert.deepEqual([sums.downloads, sums.bytes, sums.recipients, sums.days.length], [4, 307, 2, 30]);
    assert.deepEqual(
      sums.days.slice(-2).map(({ downloads, bytes }) => [downloads, bytes]),
      [
        [1, 100],
        [3, 207],
      ],
    );
    assert.deepEqual(sums.countries, [
      { country_code: 'SE', downloads: 2 },
      { country_code: '', downloads: 1 },
      { country_code: 'FR', downloads: 1 },
    ]);
    assert.deepEqual(
      sums.owners.map(({ email, downloads }) => [email, downloads]),
      [
        [alice.email, 2],
        [ben.email, 1],
        [auditor.email, 1],
      ],
    );
  });

  test('is exported as a file with the same entries', async () => {
    const { text } = await auditor.expect(200, 'exportDownloadLog', { query: { country: 'SE' } });
    const [head, ...lines] = text.trim().split('\r\n');
    assert.match(head!, /^at,owner,recipient,/);
    assert.equal(lines.length, 2);
    assert.ok(lines.every((line) => line.includes('alice@example.com,cleo@harbour.example')));
  });
});
