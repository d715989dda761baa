// Two hundred random transfers of a real program, counted where they arrive: rows, log and events agree with it to the
// byte, and never state less. Ranges, parallel ones, broken connections, a second key, other browsers, killed workers.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { newApiKeyAnswer } from '#contract/app/security.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { seededRandom } from '#server/lib/ids.ts';
import { Browser } from '#test/kit/browser.ts';
import { type CountedTransfer, countTransfer, type TransferOptions } from '#test/kit/counted-transfer.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { fileUrlOf, sendMessage } from '#test/kit/messages.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';
import { wireForm } from '#test/kit/wire-form.ts';

const transfers = 200;
/** The last one is larger than the buffers of a connection. */
const sizes = [1, 40_000, 700_000, 14_000_000];
const largest = sizes.length - 1;

interface Row {
  owner_id: string;
  number: number;
  request: number;
  files: number;
  outcome: string;
  range_start: number;
  range_end: number;
  taken_bytes: number;
  at_most_bytes: number | null;
  served_by: string;
}

interface Ended {
  attachment: string;
  download: number;
  request: number;
  from: number;
  to: number;
  taken: number;
  bytes: number;
  total: number;
  at_most?: number;
  crashed?: boolean;
}

/** What arrived, and how the connection ended. */
interface Arrived extends CountedTransfer {
  ip: string;
  ends: 'whole' | 'close' | 'reset' | 'kill';
  range: [number, number];
}

describe('The bytes that are recorded', () => {
  let place: Installation;
  let database: DatabaseSync;
  let isOpen = false;
  let links: string[];
  let keyPaths: string[];
  let keys: string[];
  const random = seededRandom('counted downloads');
  const below = (limit: number) => random.bytes(4).readUInt32BE(0) % limit;

  before(async () => {
    place = await createInstallation(sqliteAndDisk, { WAYBILL_TRUST_PROXY: '127.0.0.1' });
    await place.start();
    const { admin } = place;
    links = [];
    for (const [index, size] of sizes.entries()) {
      const { id } = await admin.upload(`${index}.bin`, randomBytes(size), 'uploadForLink', { connection: 'close' });
      const { body } = await admin.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
      links.push(wireForm(fileLinkAnswer, body).link.id);
    }
    const attachments: string[] = [];
    for (const size of sizes.slice(0, largest))
      attachments.push((await admin.upload(`${size}.bin`, randomBytes(size), 'uploadForMessage')).id);
    const { id } = await sendMessage(admin, { recipients: ['ben@harbour.example'], attachments });
    keyPaths = [];
    for (let index = 0; index < largest; index++) keyPaths.push(await fileUrlOf(admin, id, index));
    const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    const created = await admin.expect(200, 'createApiKey', { body: { name: 'second', expires_at: day } });
    keys = [admin.key!, wireForm(newApiKeyAnswer, created.body).api_key.key];
    database = new DatabaseSync(join(place.environment.WAYBILL_DATA_DIR!, 'waybill.db'), { timeout: 60_000 });
    isOpen = true;
  });
  after(async () => {
    if (isOpen) database.close();
    await place.drop();
  });

  const rowOf = (ip: string) =>
    database.prepare('SELECT * FROM download_requests WHERE remote_ip = ?').get(ip) as unknown as Row | undefined;

  /** A ticket of a browser, new or the last one for this file, or a path and a key. */
  const tickets = new Map<number, { path: string; cookie: string }>();
  async function findSource(
    file: number,
    isNew: boolean,
  ): Promise<{ path: string; headers: Record<string, string>; size: number }> {
    if (file < largest && below(3) === 0) {
      const authorization = `Basic ${Buffer.from(`${keys[below(2)]}:`).toString('base64')}`;
      return { path: keyPaths[file]!, headers: { authorization }, size: sizes[file]! };
    }
    if (isNew || !tickets.has(file) || below(3) === 0) {
      const browser = new Browser(place.url);
      const { location } = await browser.submit(`/link/${links[file]}/download`);
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      tickets.set(file, { path: location!, cookie });
    }
    const { path, cookie } = tickets.get(file)!;
    return { path, headers: { cookie }, size: sizes[file]! };
  }

  function randomRange(size: number): [number, number] {
    if (below(4) === 0) return [0, size];
    const start = below(size);
    return [start, start + 1 + below(size - start)];
  }

  async function transfer(
    index: number,
    source: Awaited<ReturnType<typeof findSource>>,
    ends: Arrived['ends'],
  ): Promise<Arrived> {
    const { path, headers, size } = source;
    const ip = `10.1.${index >> 8}.${index & 255}`;
    const range = ends === 'kill' ? ([0, size] as [number, number]) : randomRange(size);
    const options: TransferOptions = {
      headers: { ...headers, 'x-forwarded-for': ip, range: `bytes=${range[0]}-${range[1] - 1}` },
    };
    const afterBytes = 1 + below(range[1] - range[0]);
    if (ends === 'close' || ends === 'reset') options.stop = { afterBytes, how: ends };
    if (ends === 'kill') options.pause = { afterBytes: 1, until: () => killServerOf(ip) };
    return { ...(await countTransfer(place.url, path, options)), ip, ends, range };
  }

  async function killServerOf(ip: string): Promise<void> {
    const row = await eventually('progress is recorded', async () => {
      const found = rowOf(ip);
      return found !== undefined && found.taken_bytes > 0 ? found : undefined;
    });
    process.kill(Number(row!.served_by.split('.')[0]), 'SIGKILL');
  }

  function checkRequest({ ip, ends, range, status, receivedBytes }: Arrived): Row | null {
    const row = rowOf(ip);
    if (status !== 206) {
      assert.equal(row, undefined, `a refused request (${status}) has no row`);
      return null;
    }
    assert.ok(row !== undefined, `the request of ${ip} has a row`);
    assert.deepEqual([row.range_start, row.range_end], range);
    const atMost = row.at_most_bytes ?? row.taken_bytes;
    const said = `${ends}: ${receivedBytes} arrived, ${row.taken_bytes} to ${atMost} recorded`;
    assert.ok(receivedBytes <= atMost && atMost <= range[1] - range[0], said);
    if (ends === 'kill') assert.equal(row.outcome, 'crashed');
    else if (ends !== 'reset' && row.outcome !== 'crashed') {
      if (row.at_most_bytes === null) assert.equal(row.taken_bytes, receivedBytes, said);
      assert.ok(row.taken_bytes <= receivedBytes, said);
    }
    if (ends === 'whole' && row.outcome !== 'crashed') assert.equal(row.outcome, 'complete');
    return row;
  }

  /** Distinct bytes, counted one by one. */
  function distinct(requests: Row[], from: number, size: number): number {
    const marks = new Uint8Array(size);
    for (const { range_start, taken_bytes } of requests)
      marks.fill(1, Math.max(0, range_start - from), Math.max(0, Math.min(size, range_start + taken_bytes - from)));
    return marks.reduce((sum, mark) => sum + mark, 0);
  }

  function checkDownload(requests: Row[]): void {
    const { owner_id, number, files } = requests[0]!;
    const events = database
      .prepare("SELECT facts FROM events WHERE action = 'download.ended' AND owner_id = ? ORDER BY seq")
      .all(owner_id)
      .map(({ facts }) => JSON.parse(String(facts)) as Ended);
    const total = requests.reduce((sum, { taken_bytes }) => sum + taken_bytes, 0);
    for (let line = number; line < number + files; line++) {
      const row = database
        .prepare(
          `SELECT sent_bytes, size_bytes, body_start, outcome FROM downloads
            JOIN attachments ON attachments.id = attachment_id WHERE downloads.owner_id = ? AND number = ?`,
        )
        .get(owner_id, line) as { sent_bytes: number; size_bytes: number; body_start: number; outcome: string };
      const bytes = distinct(requests, row.body_start, row.size_bytes);
      assert.equal(row.sent_bytes, bytes, `line ${line} has the distinct bytes of its requests`);
      assert.equal(row.outcome === 'complete', bytes === row.size_bytes, `line ${line} is complete when all was sent`);
      const own = events.filter(({ download }) => download === line);
      const latest = own.reduce<Ended | undefined>(
        (most, each) => ((most?.total ?? -1) < each.total ? each : most),
        undefined,
      );
      if (latest !== undefined) assert.equal(Math.max(...own.map((each) => each.bytes)), bytes);
    }
    for (const { request, taken_bytes, range_start, range_end } of requests) {
      const own = events.filter(
        (each) => each.request === request && each.download >= number && each.download < number + files,
      );
      assert.ok(own.length > 0, `request ${request} of download ${number} has an event`);
      for (const { taken, from, to } of own) assert.deepEqual([taken, from, to], [taken_bytes, range_start, range_end]);
    }
    assert.equal(Math.max(...events.filter(({ download }) => download === number).map((each) => each.total)), total);
  }

  test('agree with what arrived, to the byte', async () => {
    const arrived: Arrived[] = [];
    const ways: Arrived['ends'][] = ['whole', 'whole', 'close', 'reset'];
    for (let index = 0; index < transfers; ) {
      const group = 1 + below(5);
      const file = below(8) === 0 ? largest : below(largest);
      const running = Array.from({ length: group }, async () => {
        const source = await findSource(file, false);
        return transfer(index++, source, ways[below(ways.length)]!);
      });
      arrived.push(...(await Promise.all(running)));
    }
    // Before the first kill, because connections to a killed process are reset.
    const sources = [await findSource(largest, true), await findSource(largest, true)];
    for (const [count, source] of sources.entries())
      arrived.push(await transfer(transfers + 100 + count, source, 'kill'));
    await eventually('all requests have ended', async () => {
      const running = database.prepare("SELECT 1 FROM download_requests WHERE outcome = 'running'").get();
      return running === undefined ? true : undefined;
    });
    const rows = arrived.flatMap((one) => checkRequest(one) ?? []);
    const downloads = Map.groupBy(rows, ({ owner_id, number }) => `${owner_id} ${number}`);
    for (const requests of downloads.values())
      checkDownload(requests.toSorted((one, other) => one.request - other.request));
    const outcomes = new Set(rows.map(({ outcome }) => outcome));
    assert.ok(
      ['complete', 'partial', 'crashed'].every((outcome) => outcomes.has(outcome)),
      [...outcomes].join(),
    );
    const { output } = await place.runInside(['evidence', 'verify']);
    assert.match(output, /^✓/, 'no line contradicts its requests or its events');
    assert.ok(rows.length > transfers / 2, `${rows.length} of ${transfers} transfers were granted`);
    assert.ok([...downloads.values()].some((requests) => requests.length > 3));
  });
});
