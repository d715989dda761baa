import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { onEachEngine, onOneEngine, type TestApp } from '#test/kit/app.ts';
import type { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { someBytes } from '#test/kit/content.ts';
import { openDownload } from '#test/kit/downloads.ts';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { browserProving, countersOf, newPerson, sendMessage } from '#test/kit/messages.ts';
import { beyondBuffersBytes } from '#test/kit/outside.ts';

async function sendFile(alice: ApiClient, sizeBytes: number, more: Record<string, unknown> = {}) {
  const { id: attachment } = await alice.upload('model.zip', someBytes(sizeBytes));
  const recipients = ['ben@harbour.example'];
  const message = { recipients, subject: 'The model', attachments: [attachment], authorization: 3, expires_after: 1 };
  const { id } = await sendMessage(alice, { ...message, ...more });
  return { id, downloadPath: `/message/${id}/download/${attachment}` };
}

/** The log entry of a message with one download, once no request for it is running. */
function lineOf(app: TestApp, id: string) {
  return until(async () => {
    const row = await app.app.ctx.db.read
      .selectFrom('downloads')
      .innerJoin('tickets', 'tickets.download_number', 'downloads.number')
      .select(['outcome', 'sent_bytes', 'delivered', 'served_bytes'])
      .where('downloads.message_id', '=', id)
      .executeTakeFirst();
    return row !== undefined && row.outcome !== 'granted' && row;
  });
}

const part = (browser: Browser, path: string, range: string) => browser.get(path, { range: `bytes=${range}` });

onOneEngine('a reader who stops reading', (start) => {
  const size = beyondBuffersBytes;
  let app: TestApp;
  let alice: ApiClient;
  before(async () => {
    app = await start(openMailbox().options);
    alice = await newPerson(app, 'alice');
  });
  after(() => app.close());

  test('is cut after two minutes, and the bytes received by then are counted and logged exactly', async () => {
    const { id, downloadPath } = await sendFile(alice, size);
    const ben = await browserProving(app, 'ben@harbour.example');
    const path = (await ben.submit(downloadPath)).location!;
    const cookie = [...ben.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() });
    try {
      const running = await openDownload(app.url, path, { cookie });
      const outcome = async () => (await lineAtOnce(app, id)).outcome;
      /** Advances the time, and waits until its effects are in the log. */
      const pass = async (seconds: number) => {
        for (let passed = 0; passed < seconds; passed += 2) mock.timers.tick(2000);
        for (let attempt = 0; attempt < 25; attempt++) if ((await outcome()) !== 'granted') return;
      };
      // Bytes are still sent until the buffers of the system are full.
      for (let step = 0; step < 5; step++) await pass(2);
      await pass(108);
      assert.equal(await outcome(), 'granted', 'two minutes have not passed');
      await until(async () => {
        await pass(4);
        return (await outcome()) !== 'granted';
      });
      mock.timers.reset();
      const { bytes, isWhole } = await running.rest();
      assert.equal(isWhole, false);
      assert.ok(bytes.length > 0 && bytes.length < size);
      const line = await lineOf(app, id);
      assert.deepEqual(
        [line.outcome, line.sent_bytes, line.served_bytes, line.delivered],
        ['cut', bytes.length, bytes.length, `0-${bytes.length}`],
      );
      assert.deepEqual(await countersOf(app, id), { 'ben@harbour.example': 1 });
    } finally {
      mock.timers.reset();
    }
  });

  async function lineAtOnce(of: TestApp, id: string) {
    return of.app.ctx.db.read
      .selectFrom('downloads')
      .select('outcome')
      .where('message_id', '=', id)
      .executeTakeFirstOrThrow();
  }
});

onEachEngine('ranges of one download', (start) => {
  const size = 400_000;
  let app: TestApp;
  let alice: ApiClient;
  let ben: Browser;
  before(async () => {
    app = await start(openMailbox().options);
    alice = await newPerson(app, 'alice');
    ben = await browserProving(app, 'ben@harbour.example');
  });
  after(() => app.close());

  test('fetched twice are one part of the file, not two', async () => {
    const { id, downloadPath } = await sendFile(alice, size);
    const path = (await ben.submit(downloadPath)).location!;
    for (let time = 0; time < 2; time++) assert.equal((await part(ben, path, '0-199999')).status, 206);
    const half = await until(async () => {
      const line = await lineOf(app, id);
      return line.served_bytes === size && line;
    });
    assert.deepEqual([half.outcome, half.sent_bytes, half.delivered], ['partial', 200_000, '0-200000']);
    assert.match((await ben.get(`/message/${id}`)).words, /was interrupted/);
    assert.equal((await part(ben, path, '200000-')).status, 206);
    const whole = await until(async () => {
      const line = await lineOf(app, id);
      return line.outcome === 'complete' && line;
    });
    assert.deepEqual([whole.sent_bytes, whole.delivered], [size, 'all']);
    assert.deepEqual(await countersOf(app, id), { 'ben@harbour.example': 1 });
  });

  test('over many concurrent connections are joined', async () => {
    const { id, downloadPath } = await sendFile(alice, size);
    const path = (await ben.submit(downloadPath)).location!;
    const starts = Array.from({ length: 20 }, (_, index) => index * 20_000);
    const replies = await Promise.all(
      starts.map((start) => part(ben, path, `${start}-${Math.min(size, start + 25_000) - 1}`)),
    );
    assert.ok(replies.every((reply) => reply.status === 206));
    const line = await until(async () => {
      const found = await lineOf(app, id);
      return found.delivered === 'all' && found;
    });
    assert.deepEqual([line.outcome, line.sent_bytes], ['complete', size]);
    assert.deepEqual(await countersOf(app, id), { 'ben@harbour.example': 1 });
  });

  test('that leave a gap are never the whole file, whatever their sum', async () => {
    const { id, downloadPath } = await sendFile(alice, size);
    const path = (await ben.submit(downloadPath)).location!;
    for (const range of ['0-199999', '0-199999', '250000-399999', '250000-399999'])
      assert.equal((await part(ben, path, range)).status, 206);
    const line = await until(async () => {
      const found = await lineOf(app, id);
      return found.served_bytes === 700_000 && found;
    });
    assert.deepEqual([line.outcome, line.sent_bytes, line.delivered], ['partial', 350_000, '0-200000,250000-400000']);
  });
});
