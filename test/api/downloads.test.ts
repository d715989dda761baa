import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { DownloadBody } from '#contract/downloads.ts';
import { onEachEngine, type TestApp, testOnce } from '#test/kit/app.ts';
import type { ApiClient, Reply } from '#test/kit/client.ts';
import { damageStoredFiles, startWithStore } from '#test/kit/damage.ts';
import { eventually, until } from '#test/kit/eventually.ts';
import { buildDatabase, prefixOf } from '#test/kit/geo-database.ts';
import { startNameServer, type TestNameServer } from '#test/kit/name-server.ts';
import { assertInside, beyondBuffersBytes, isBehindNginx } from '#test/kit/outside.ts';
import { openSlowly, type RawReply, rawRequest } from '#test/kit/raw-requests.ts';
import { idOf, linkTo, newPerson, type SharedFile, share, uploadChunks } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { Visitor } from '#test/kit/visitor.ts';

const dayMs = 24 * 3_600_000;
const downloadsOf = (reply: Reply) => (reply.body as { downloads: DownloadBody[] }).downloads;

onEachEngine('downloading', (start) => {
  const app = useApp(start);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  const visitor = () => new Visitor(app.url);
  const ticketFor = ({ linkId }: SharedFile) => visitor().clickDownload(linkId);
  const fetchFile = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawReply> =>
    rawRequest(`${app.url}${path}`, { method, headers: { accept: '*/*', ...headers } });
  const logOf = async (linkId: string, owner = alice) =>
    downloadsOf(await owner.expect(200, 'listLinkDownloads', { params: { id: linkId } }));

  describe('a ticket', () => {
    test('that is unknown, truncated, malformed or for another kind is 404', async () => {
      const file = await share(alice);
      for (const ticket of ['D'.repeat(22), 'D'.repeat(21), file.linkId, file.attachmentId, '%00', 'a%20b']) {
        const reply = await fetchFile(`/dl/${ticket}/report.bin`);
        // nginx refuses a NUL character.
        assert.equal(reply.status, ticket === '%00' && isBehindNginx ? 400 : 404, ticket);
        assert.ok(!reply.bytes.includes(file.bytes.subarray(0, 16)));
      }
      assert.equal((await fetchFile(`/dl/${'D'.repeat(22)}`)).status, 404);
    });

    testOnce(
      'is refused from the moment its link is deleted, expired, closed to visitors, or its owner disabled',
      async () => {
        const deleted = await share(alice);
        const deletedTicket = await ticketFor(deleted);
        await alice.expect(200, 'deleteFileLink', { params: { id: deleted.linkId } });
        assert.equal((await fetchFile(deletedTicket)).status, 410);

        const bob = await newPerson(app, 'bob');
        const disabledTicket = await ticketFor(await share(bob));
        await app.admin.expect(200, 'changeUser', { params: { id: idOf(bob) }, body: { user: { disabled: true } } });
        assert.equal((await fetchFile(disabledTicket)).status, 410);

        const today = new Date(app.clock.now()).toISOString().slice(0, 10);
        const expiring = await share(alice, { link: { expires_at: today } });
        const expiringTicket = await ticketFor(expiring);
        assert.equal((await fetchFile(expiringTicket, { range: 'bytes=0-9' })).status, 206);
        app.clock.advance(Date.parse(`${today}T00:00:00Z`) + dayMs - app.clock.now());
        for (const headers of [{}, { range: 'bytes=10-' }] as Record<string, string>[])
          assert.notEqual(Math.floor((await fetchFile(expiringTicket, headers)).status / 100), 2);
      },
    );

    testOnce('is valid for a day', async () => {
      const file = await share(alice);
      const ticket = await ticketFor(file);
      app.clock.advance(dayMs - 1);
      assert.equal((await fetchFile(ticket)).status, 200);
      app.clock.advance(1);
      assert.equal((await fetchFile(ticket)).status, 404);
    });

    test('serves one copy, in ranges that may overlap, and at most twice the size over all its requests', async () => {
      const file = await share(alice, { bytes: 1000 });
      const ticket = await ticketFor(file);
      assert.equal((await fetchFile(ticket, { range: 'bytes=0-899' })).status, 206);
      assert.equal((await fetchFile(ticket, { range: 'bytes=0-899' })).status, 206);
      const refused = await fetchFile(ticket);
      assert.equal(refused.status, 410);
      assert.match(refused.text, /select Download/);
      assert.equal((await fetchFile(ticket, { range: 'bytes=900-' })).status, 206, 'the rest is served');
      assert.equal((await fetchFile(ticket, { range: 'bytes=0-0' })).status, 410);
      const another = await ticketFor(file);
      assert.equal((await fetchFile(another)).status, 200);
      assert.equal((await fetchFile(another, { range: 'bytes=0-0' })).status, 410, 'the file was fetched completely');
      assert.equal((await logOf(file.linkId)).length, 2);
    });

    test('fetched many times concurrently is still limited to twice the size, and counted once', async () => {
      const file = await share(alice, { bytes: 5000 });
      const ticket = await ticketFor(file);
      const replies = await Promise.all(Array.from({ length: 12 }, () => fetchFile(ticket)));
      const copies = replies.filter((reply) => reply.status === 200).length;
      assert.ok(copies === 1 || copies === 2, `${copies} copies`);
      assert.ok(replies.every((reply) => reply.status === 200 || reply.status === 410));
      assert.equal((await logOf(file.linkId)).length, 1);
    });

    test('of an empty file works and is counted', async () => {
      const file = await share(alice, { bytes: '' });
      const reply = await fetchFile(await ticketFor(file));
      assert.equal(reply.status, 200);
      assert.equal(reply.headers['content-length'], '0');
      assert.equal(reply.bytes.length, 0);
      assert.equal((await logOf(file.linkId)).length, 1);
    });
  });

  describe('the bytes', () => {
    let file: SharedFile;
    before(async () => {
      file = await share(alice, { bytes: 200_000 });
    });

    test('are the uploaded ones, with their checksum in the headers', async () => {
      const reply = await fetchFile(await ticketFor(file));
      assert.equal(reply.status, 200);
      assert.ok(reply.isWhole);
      assert.deepEqual(reply.bytes, file.bytes);
      const digest = createHash('sha256').update(file.bytes);
      assert.equal(reply.headers.etag, `"${digest.copy().digest('hex')}"`);
      assert.equal(reply.headers['repr-digest'], `sha-256=:${digest.digest('base64')}:`);
      assert.equal(reply.headers['content-length'], '200000');
      assert.equal(reply.headers['accept-ranges'], 'bytes');
    });

    test('are sent whatever the program accepts, without a redirect', async () => {
      const reply = await fetchFile(await ticketFor(file), {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: 'Bearer nonsense',
      });
      assert.equal(reply.status, 200);
      assert.deepEqual(reply.bytes, file.bytes);
    });

    test('are sent in part when one range is requested', async () => {
      const size = file.bytes.length;
      for (const [range, from, to] of [
        ['bytes=0-0', 0, 1],
        ['bytes=0-99', 0, 100],
        ['bytes=65535-65536', 65_535, 65_537],
        ['bytes=70000-139999', 70_000, 140_000],
        ['bytes=199990-', 199_990, size],
        ['bytes=-1', size - 1, size],
        ['bytes=-500', size - 500, size],
        ['bytes=-999999', 0, size],
        ['bytes=199000-999999999', 199_000, size],
      ] as const) {
        const reply = await fetchFile(await ticketFor(file), { range });
        assert.equal(reply.status, 206, range);
        assert.equal(reply.headers['content-range'], `bytes ${from}-${to - 1}/${size}`);
        assert.equal(reply.headers['content-length'], String(to - from));
        assert.ok(reply.bytes.equals(file.bytes.subarray(from, to)), range);
      }
    });

    test('are sent whole when the range is malformed, of another unit, or several', async () => {
      for (const range of [
        'bytes',
        'bytes=',
        'bytes=-',
        'bytes=a-b',
        'bytes=5-2',
        'bytes=1-2,5-6',
        'bytes=0-0,-1',
        'items=0-5',
        'bytes=--5',
        'bytes=1e3-',
      ]) {
        const reply = await fetchFile(await ticketFor(file), { range });
        assert.equal(reply.status, 200, range);
        assert.ok(reply.bytes.equals(file.bytes), range);
      }
    });

    test('beyond the end are 416, and count nothing', async () => {
      const before = (await logOf(file.linkId)).length;
      for (const range of ['bytes=200000-', 'bytes=200000-200001', 'bytes=9999999999-', 'bytes=-0']) {
        const reply = await fetchFile(await ticketFor(file), { range });
        assert.equal(reply.status, 416, range);
        assert.equal(reply.headers['content-range'], 'bytes */200000');
        assert.equal(reply.bytes.length, 0);
      }
      assert.equal((await logOf(file.linkId)).length, before);
    });

    test('are sent in part only when If-Range names this very file', async () => {
      const ticket = await ticketFor(file);
      const etag = (await fetchFile(ticket, {}, 'HEAD')).headers.etag!;
      const part = await fetchFile(ticket, { range: 'bytes=10-19', 'if-range': etag });
      assert.equal(part.status, 206);
      for (const other of [`W/${etag}`, '"other"', 'Mon, 16 Nov 2026 09:00:00 GMT']) {
        const reply = await fetchFile(await ticketFor(file), { range: 'bytes=10-19', 'if-range': other });
        assert.equal(reply.status, 200, other);
        assert.ok(reply.bytes.equals(file.bytes));
      }
    });

    test('are not sent for HEAD nor for a known copy, and neither counts', async () => {
      const ticket = await ticketFor(file);
      const before = (await logOf(file.linkId)).length;
      const head = await fetchFile(ticket, {}, 'HEAD');
      assert.equal(head.status, 200);
      assert.equal(head.headers['content-length'], '200000');
      assert.equal(head.bytes.length, 0);
      const headOfPart = await fetchFile(ticket, { range: 'bytes=5-9' }, 'HEAD');
      assert.equal(headOfPart.status, 206);
      assert.equal(headOfPart.headers['content-length'], '5');
      const etag = head.headers.etag!;
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const reply = await fetchFile(ticket, { 'if-none-match': known });
        assert.equal(reply.status, 304, known);
        assert.equal(reply.bytes.length, 0);
        assert.equal(reply.headers.etag, etag);
      }
      assert.equal((await logOf(file.linkId)).length, before);
      assert.equal((await fetchFile(ticket, { 'if-none-match': '"other"' })).status, 200);
    });

    test('of many chunks are right across the borders of the chunks', async () => {
      const chunks = [70_000, 1, 65_536, 3, 100_000].map((size) => randomBytes(size));
      const whole = Buffer.concat(chunks);
      const linkId = await linkTo(alice, await uploadChunks(alice, 'pieces.bin', chunks));
      const ticket = () => visitor().clickDownload(linkId);
      assert.ok((await fetchFile(await ticket())).bytes.equals(whole));
      for (const [from, to] of [
        [69_999, 70_002],
        [0, 70_001],
        [70_000, 70_001],
        [70_001, 135_540],
        [135_536, 135_541],
        [100, 235_000],
        [135_540, 235_540],
      ] as const) {
        const reply = await fetchFile(await ticket(), { range: `bytes=${from}-${to - 1}` });
        assert.equal(reply.status, 206);
        assert.ok(reply.bytes.equals(whole.subarray(from, to)), `${from}-${to}`);
      }
    });

    test('fetched in ranges under one ticket are one log entry, with all bytes and all time', async () => {
      const resumed = await share(alice, { bytes: 90_000 });
      const ticket = await ticketFor(resumed);
      const parts: Buffer[] = [];
      for (const range of ['bytes=0-29999', 'bytes=30000-59999', 'bytes=60000-'])
        parts.push((await fetchFile(ticket, { range })).bytes);
      assert.ok(Buffer.concat(parts).equals(resumed.bytes));
      // No time passes on the clock of the test, so the speed is the bytes of a millisecond.
      const log = await until(async () => {
        const lines = await logOf(resumed.linkId);
        return lines[0]!.download_speed === 90_000 * 1000 && lines;
      });
      assert.equal(log.length, 1);
    });
  });

  describe('what is sent with the bytes', () => {
    test('uploaded content is saved, never shown: the headers say so, whatever type it claims', async () => {
      const page = '<!doctype html><script>alert(1)</script>';
      for (const [name, type, sent] of [
        ['a.html', 'text/html', 'application/octet-stream'],
        ['a.svg', 'image/svg+xml', 'application/octet-stream'],
        ['a.xml', 'application/xml', 'application/octet-stream'],
        ['a.css', 'text/css', 'application/octet-stream'],
        ['a.mjs', 'text/javascript', 'application/octet-stream'],
        ['a.pdf', 'application/pdf', 'application/pdf'],
        ['a.png', 'image/png', 'image/png'],
        ['a.txt', 'text/plain; charset=utf-8', 'text/plain'],
        ['a.bin', 'nonsense', 'application/octet-stream'],
      ] as const) {
        const file = await share(alice, { name, bytes: page, headers: { 'content-type': type } });
        const reply = await fetchFile(await ticketFor(file));
        assert.equal(reply.status, 200);
        assert.equal(reply.headers['content-type'], sent, name);
        assert.match(reply.headers['content-disposition']!, /^attachment; /);
        assert.equal(reply.headers['content-security-policy'], "sandbox; default-src 'none'; frame-ancestors 'none'");
        assert.equal(reply.headers['x-content-type-options'], 'nosniff');
        assert.equal(reply.headers['cross-origin-resource-policy'], 'same-origin');
        assert.equal(reply.headers['referrer-policy'], 'no-referrer');
        assert.equal(reply.headers['cache-control'], 'private, no-store, no-transform');
        assert.equal(reply.headers['x-robots-tag'], 'noindex');
        assert.equal(reply.headers['set-cookie'], undefined);
      }
    });

    test('the log has the type as it was uploaded', async () => {
      const file = await share(alice, { name: 'a.svg', bytes: '<svg/>', headers: { 'content-type': 'image/svg+xml' } });
      await fetchFile(await ticketFor(file));
      assert.equal((await logOf(file.linkId))[0]!.content_type, 'image/svg+xml');
    });

    test('hostile names break neither the header nor the address, and are returned unchanged', async () => {
      for (const name of [
        'plain.txt',
        '報告書.pdf',
        'a"b;c=d.txt',
        "it's (1).txt",
        'smile 😀.png',
        '%41%00.txt',
        'semi;colon, comma.txt',
        '.htaccess',
        `${'x'.repeat(240)}.bin`,
        'a#b?c&d.txt',
        'CON.txt',
        'naïve café.txt',
      ]) {
        const file = await share(alice, { name });
        const ticket = await ticketFor(file);
        assert.match(ticket, /^\/dl\/[A-Za-z0-9]{22}\/[A-Za-z0-9._-]+$/);
        const reply = await fetchFile(ticket);
        assert.equal(reply.status, 200, name);
        const match = /^attachment; filename="([A-Za-z0-9._-]+)"; filename\*=UTF-8''([A-Za-z0-9.~!#$&+^_`|%-]+)$/.exec(
          reply.headers['content-disposition']!,
        );
        assert.ok(match, reply.headers['content-disposition']!);
        const kept = (await logOf(file.linkId))[0]!.filename;
        assert.equal(decodeURIComponent(match[2]!), kept);
        assert.ok(ticket.endsWith(`/${match[1]}`));
      }
    });

    test('the name at the end of the address is ignored', async () => {
      const file = await share(alice);
      const ticket = await ticketFor(file);
      const reply = await fetchFile(ticket.replace(/[^/]+$/, 'evil.html'));
      assert.equal(reply.status, 200);
      assert.match(reply.headers['content-disposition']!, /filename="report\.bin"/);
    });
  });

  describe('a running download', () => {
    const outcomeOf = (owner: ApiClient, linkId: string) =>
      until(async () => {
        const row = await app.app.ctx.db.read
          .selectFrom('downloads')
          .select(['outcome', 'sent_bytes'])
          .where('owner_id', '=', idOf(owner))
          .where('link_id', '=', linkId)
          .executeTakeFirst();
        return row !== undefined && row.outcome !== 'granted' && row;
      });

    testOnce('stops within seconds when its link or file is deleted; one that merely expires may finish', async () => {
      const size = beyondBuffersBytes;
      const owner = await newPerson(app, 'streamer');
      const today = new Date(app.clock.now()).toISOString().slice(0, 10);
      const open = async (link: Record<string, unknown> = {}) => {
        const file = await share(owner, { bytes: size, link });
        return { file, stream: await openSlowly(`${app.url}${await ticketFor(file)}`) };
      };
      const deleted = await open();
      const expired = await open({ expires_at: today });
      const expiredAndDeleted = await open({ expires_at: today });
      app.clock.advance(Date.parse(`${today}T00:00:00Z`) + dayMs - app.clock.now());
      await app.app.jobs.runOnce('expire');
      await owner.expect(200, 'deleteFileLink', { params: { id: deleted.file.linkId } });
      await owner.expect(200, 'deleteAttachment', { params: { id: expiredAndDeleted.file.attachmentId } });
      for (const { file, stream } of [deleted, expiredAndDeleted]) {
        const { outcome, sent_bytes } = await outcomeOf(owner, file.linkId);
        assert.equal(outcome, 'cut');
        const { sizeBytes, isWhole } = await stream.rest();
        assert.ok(!isWhole && sizeBytes < size && sizeBytes <= sent_bytes + 1024 * 1024);
      }
      assert.deepEqual(await expired.stream.rest(), { sizeBytes: size, isWhole: true });
      assert.equal((await outcomeOf(owner, expired.file.linkId)).outcome, 'complete');
    });

    test('that the client cancels is partial, keeps its log entry, and can be resumed', async () => {
      const owner = await newPerson(app, 'resumer');
      const size = beyondBuffersBytes;
      const file = await share(owner, { bytes: size });
      const ticket = await ticketFor(file);
      const gone = new AbortController();
      const response = await fetch(`${app.url}${ticket}`, { signal: gone.signal });
      await response.body!.getReader().read();
      gone.abort();
      const { outcome, sent_bytes } = await outcomeOf(owner, file.linkId);
      assert.equal(outcome, 'partial');
      assert.ok(sent_bytes > 0 && sent_bytes < size);
      const rest = await fetchFile(ticket, { range: 'bytes=1000-' });
      assert.ok(rest.bytes.equals(file.bytes.subarray(1000)));
      assert.equal((await logOf(file.linkId, owner)).length, 1);
    });
  });
});

onEachEngine('a stored file that was changed outside of the service', (_start, engine) => {
  test('never ends cleanly, is marked damaged and not served again', async () => {
    const { app, store } = await startWithStore(engine);
    try {
      const alice = await newPerson(app, 'alice');
      const file = await share(alice, { bytes: 6_000_000 });
      const guest = new Visitor(app.url);
      const [first, second] = [await guest.clickDownload(file.linkId), await guest.clickDownload(file.linkId)];
      await damageStoredFiles(store, 5_000_000);
      const reply = await rawRequest(`${app.url}${first}`);
      assert.equal(reply.status, 200);
      assert.ok(!reply.isWhole, 'the client can tell');
      assert.ok(reply.bytes.length < 5_000_000 && file.bytes.subarray(0, reply.bytes.length).equals(reply.bytes));
      const row = await until(async () => {
        const found = await app.app.ctx.db.read.selectFrom('attachments').select('state').executeTakeFirst();
        return found?.state === 'damaged' && found;
      });
      assert.equal(row.state, 'damaged');
      const events = await app.app.ctx.db.read
        .selectFrom('events')
        .select('object_id')
        .where('action', '=', 'attachment.damaged')
        .execute();
      assert.deepEqual(events, [{ object_id: file.attachmentId }]);
      assert.equal((await guest.get(second)).status, 410);
      assert.equal((await guest.get(`/link/${file.linkId}`)).status, 410);
      await alice.refused(422, 'link.attachment_damaged', 'createFileLink', {
        body: { link: { attachment: file.attachmentId } },
      });
    } finally {
      await app.close();
    }
  });
});

onEachEngine('the download log', (start) => {
  let app: TestApp;
  let folder: string;
  let names: TestNameServer;
  let alice: ApiClient;
  let sendingTakesMs = 0;
  before(async () => {
    names = await startNameServer({
      'PTR 8.113.0.203.in-addr.arpa': 'gate.harbour.example',
      'A gate.harbour.example': '203.0.113.8',
    });
    folder = await mkdtemp(join(tmpdir(), 'waybill-geo-'));
    const lyon = {
      city: { names: { en: 'Lyon' } },
      country: { iso_code: 'FR', names: { en: 'France' } },
      location: { latitude: 45.75, longitude: 4.85 },
      subdivisions: [{ iso_code: 'ARA', names: { en: 'Auvergne-Rhône-Alpes' } }],
    };
    await writeFile(join(folder, 'places.mmdb'), buildDatabase([{ bits: prefixOf('203.0.113.0', 24), record: lyon }]));
    app = await start({
      environment: {
        WAYBILL_GEOIP_DB: join(folder, 'places.mmdb'),
        WAYBILL_TRUST_PROXY: 'loopback',
        WAYBILL_HOST_NAMES: names.address,
      },
      canRunOutside: true,
      wrapVault: (vault) => ({
        ...vault,
        async send(...args) {
          app.clock.advance(sendingTakesMs);
          return vault.send(...args);
        },
      }),
    });
    alice = await newPerson(app, 'alice');
  });
  after(async () => {
    names.close();
    await app?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const download = async (linkId: string, headers: Record<string, string> = {}) => {
    const ticket = await new Visitor(app.url).clickDownload(linkId);
    const reply = await rawRequest(`${app.url}${ticket}`, { headers });
    assert.equal(reply.status, 200);
    return reply;
  };
  const log = async (client: ApiClient, query: Record<string, string> = {}) =>
    downloadsOf(await client.expect(200, 'listDownloads', { query }));

  testOnce('needs a key', async () => {
    await app.anonymous.refused(401, 'credentials.invalid', 'listDownloads');
    await app.anonymous.refused(401, 'credentials.invalid', 'listLinkDownloads', { params: { id: 'E'.repeat(22) } });
  });

  testOnce('of a link that is unknown, of another user or deleted is the same 404', async () => {
    const bob = await newPerson(app, 'bob');
    const foreign = await share(bob);
    const deleted = await share(alice);
    await alice.expect(200, 'deleteFileLink', { params: { id: deleted.linkId } });
    const answers = new Set<string>();
    for (const id of ['E'.repeat(22), foreign.linkId, deleted.linkId, 'x', '%', 'a/b']) {
      const reply = await alice.refused(404, 'link.not_found', 'listLinkDownloads', { params: { id } });
      answers.add(reply.text.replace(/"request_id":"[^"]+"/, ''));
    }
    assert.equal(answers.size, 1);
    await app.admin.refused(404, 'link.not_found', 'listLinkDownloads', { params: { id: foreign.linkId } });
  });

  test('names the host of a visitor where the operator wants it, once the name is verified', async () => {
    const dora = await newPerson(app, 'dora');
    const { linkId } = await share(dora);
    await download(linkId, { 'x-forwarded-for': '203.0.113.8' });
    await download(linkId, { 'x-forwarded-for': '203.0.113.9' });
    const hosts = await eventually('the name is in the log', async () => {
      const all = (await log(dora)).map((entry) => entry.remote_host);
      return all.some((host) => host.startsWith('gate')) ? all : null;
    });
    assert.deepEqual(hosts.toSorted(), ['203.0.113.9 (203.0.113.9)', 'gate.harbour.example (203.0.113.8)']);
  });

  test('refuses an "after" that is no date with a sentence', async () => {
    for (const after of [
      'yesterday',
      '2026-13-01',
      '2026-02-30',
      '16/11/2026',
      '2026-11-16T25:00:00Z',
      '2026-11-16T10:00',
      '-1',
    ]) {
      const reply = await alice.refused(422, 'downloads.bad_after', 'listDownloads', { query: { after } });
      assert.equal((reply.body as { field: string }).field, 'after');
    }
  });

  test('of a person whose files no one fetched is an empty list', async () => {
    const nora = await newPerson(app, 'nora');
    assert.deepEqual(await log(nora), []);
    const { linkId } = await share(nora);
    const reply = await nora.expect(200, 'listLinkDownloads', { params: { id: linkId } });
    assert.equal(reply.text, '{"downloads":[]}');
  });

  testOnce('has all 28 fields with the true values, for a program', async () => {
    const owner = await newPerson(app, 'owner');
    const bytes = randomBytes(50_000);
    const file = await share(owner, {
      name: 'Bericht für Müller.pdf',
      bytes,
      headers: { 'content-type': 'application/pdf' },
    });
    assertInside();
    sendingTakesMs = 2500;
    await download(file.linkId, { 'user-agent': 'curl/8.5.0', 'x-forwarded-for': '203.0.113.9' });
    sendingTakesMs = 0;
    const [entry] = await until(async () => {
      const entries = await log(owner);
      return entries[0]!.download_time !== '0.000' && entries;
    });
    assert.deepEqual(entry, {
      id: 1,
      attachment_id: file.attachmentId,
      message_id: null,
      filelink_id: file.linkId,
      filename: 'Bericht für Müller.pdf',
      size: 50_000,
      content_type: 'application/pdf',
      checksum: createHash('sha256').update(bytes).digest('hex'),
      crc32: crc32(bytes).toString(16).padStart(8, '0'),
      downloaded_at: new Date(app.clock.now() - 2500).toISOString(),
      user_id: 'owner-example-com',
      recipient: '',
      remote_ip: '203.0.113.9',
      remote_host: '203.0.113.9 (203.0.113.9)',
      download_time: '2.500',
      download_speed: 20_000,
      location: 'Lyon, France',
      user_agent: 'curl/8.5.0',
      browser: 'curl 8',
      os: '',
      platform: 'cli',
      longitude: 4.85,
      latitude: 45.75,
      country_code: 'FR',
      country_name: 'France',
      city: 'Lyon',
      region_code: 'ARA',
      region_name: 'Auvergne-Rhône-Alpes',
    });
    assert.equal(Object.keys(entry!).length, 28);
  });

  test('recognises a browser, and leaves place fields empty for an unknown address', async () => {
    const owner = await newPerson(app, 'owner2');
    const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:125.0) Gecko/20100101 Firefox/125.0';
    await download((await share(owner)).linkId, { 'user-agent': agent, 'x-forwarded-for': '198.51.100.4' });
    const [entry] = await log(owner);
    assert.equal(entry!.user_agent, agent);
    assert.equal(entry!.browser, 'Firefox 125');
    assert.equal(entry!.os, 'Windows 10');
    assert.equal(entry!.platform, 'desktop');
    assert.equal(entry!.remote_ip, '198.51.100.4');
    for (const field of ['location', 'country_code', 'country_name', 'city', 'region_code', 'region_name'] as const)
      assert.equal(entry![field], '', field);
    assert.equal(entry!.longitude, null);
    assert.equal(entry!.latitude, null);
  });

  testOnce('trusts the proxy only, and only about the last hop before it', async () => {
    const owner = await newPerson(app, 'owner3');
    const { linkId } = await share(owner);
    for (const forwarded of ['1.2.3.4, 203.0.113.7', '203.0.113.7, 127.0.0.1', 'nonsense'])
      await download(linkId, { 'x-forwarded-for': forwarded, 'x-real-ip': '6.6.6.6', forwarded: 'for=6.6.6.6' });
    assert.deepEqual(
      (await log(owner)).map((entry) => entry.remote_ip),
      ['203.0.113.7', '203.0.113.7', '127.0.0.1'],
    );
  });

  test('stores a hostile agent as text, truncated to a limit', async () => {
    const owner = await newPerson(app, 'owner4');
    await download((await share(owner)).linkId, { 'user-agent': `<script>"\\${'x'.repeat(3000)}` });
    const [entry] = await log(owner);
    assert.ok(entry!.user_agent.startsWith('<script>"\\xxx') && entry!.user_agent.length <= 512);
  });

  test('counts from 1 for every owner, oldest first, and shows no entries of others', async () => {
    const [one, two] = [await newPerson(app, 'one'), await newPerson(app, 'two')];
    const [fileOne, fileTwo] = [await share(one), await share(two)];
    for (const file of [fileOne, fileTwo, fileOne, fileTwo, fileOne]) {
      app.clock.advance(1000);
      await download(file.linkId);
    }
    assert.deepEqual(
      (await log(one)).map((entry) => [entry.id, entry.filelink_id]),
      [1, 2, 3].map((id) => [id, fileOne.linkId]),
    );
    assert.deepEqual(
      (await log(two)).map((entry) => [entry.id, entry.user_id]),
      [1, 2].map((id) => [id, 'two-example-com']),
    );
    assert.deepEqual(await log(app.admin), []);
  });

  test('numbers concurrent downloads without gaps or repetitions', async () => {
    const owner = await newPerson(app, 'busy');
    const files = [await share(owner), await share(owner), await share(owner)];
    await Promise.all(Array.from({ length: 15 }, (_, count) => download(files[count % 3]!.linkId)));
    assert.deepEqual(
      (await log(owner)).map((entry) => entry.id),
      Array.from({ length: 15 }, (_, count) => count + 1),
    );
  });

  test('of one link has that link’s entries only, and "after" does not apply to it', async () => {
    const owner = await newPerson(app, 'linker');
    const [first, second] = [await share(owner), await share(owner)];
    for (const file of [first, second, first]) await download(file.linkId);
    const reply = await owner.expect(200, 'listLinkDownloads', {
      params: { id: first.linkId },
      query: { after: 'nonsense' },
    });
    assert.deepEqual(
      downloadsOf(reply).map((entry) => entry.id),
      [1, 3],
    );
  });

  test('accepts "after" as a date in either spelling, or an instant, and leaves out what came before', async () => {
    const owner = await newPerson(app, 'later');
    const { linkId } = await share(owner, { link: { expires_at: '2027-02-01' } });
    app.clock.set(Date.UTC(2026, 11, 1, 10));
    await download(linkId);
    app.clock.set(Date.UTC(2026, 11, 2, 0));
    await download(linkId);
    app.clock.set(Date.UTC(2026, 11, 2, 12, 30, 0, 500));
    await download(linkId);
    const idsAfter = async (after: string) => (await log(owner, { after })).map((entry) => entry.id);
    assert.deepEqual(await idsAfter(''), [1, 2, 3]);
    assert.deepEqual(await idsAfter('2026-12-01'), [1, 2, 3]);
    assert.deepEqual(await idsAfter('2026-12-02'), [2, 3]);
    assert.deepEqual(await idsAfter('20261202'), [2, 3]);
    assert.deepEqual(await idsAfter('2026-12-03'), []);
    assert.deepEqual(await idsAfter('2026-12-02T12:30:00Z'), [3]);
    assert.deepEqual(await idsAfter('2026-12-02T12:30:00.500Z'), [3]);
    assert.deepEqual(await idsAfter('2026-12-02T12:31:00+00:00'), []);
    assert.deepEqual(await idsAfter('2026-12-02T14:00:00+02:00'), [3]);
  });

  test('keeps its entries when link and file are deleted', async () => {
    const owner = await newPerson(app, 'keeper');
    const { linkId } = await share(owner, { name: 'gone.txt' });
    await download(linkId);
    await owner.expect(200, 'deleteFileLink', { params: { id: linkId } });
    await app.app.jobs.runOnce('remove-erased');
    const [entry] = await log(owner);
    assert.equal(entry!.filename, 'gone.txt');
    assert.equal(entry!.filelink_id, linkId);
  });

  test('is complete when it is longer than a page', async () => {
    const owner = await newPerson(app, 'popular');
    const { linkId } = await share(owner);
    await download(linkId);
    const { db } = app.app.ctx;
    const row = await db.read
      .selectFrom('downloads')
      .selectAll()
      .where('owner_id', '=', idOf(owner))
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: 1099 }, (_, index) => ({ ...row, number: index + 2 }));
    await db.write(async (tx) => {
      for (let from = 0; from < rows.length; from += 500)
        await tx
          .insertInto('downloads')
          .values(rows.slice(from, from + 500))
          .execute();
    });
    const entries = await log(owner);
    assert.deepEqual(
      entries.map((entry) => entry.id),
      Array.from({ length: 1100 }, (_, index) => index + 1),
    );
  });
});
