import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createdMessageAnswer } from '#contract/messages.ts';
import { problem } from '#contract/problems.ts';
import { openVault } from '#server/blobs/encrypted.ts';
import { StoreFull, StoreUnavailable } from '#server/domain/ports.ts';
import { onEachEngine, startTestApp, type TestApp, testOnce } from '#test/kit/app.ts';
import { openMemoryStore } from '#test/kit/blob-store.ts';
import { type ChildServer, startChildServer } from '#test/kit/child-server.ts';
import { type ApiClient, assertRefused } from '#test/kit/client.ts';
import { crc32Of, samples, sha256Of, someBytes } from '#test/kit/content.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { until } from '#test/kit/eventually.ts';
import { chargeOf, contentOf } from '#test/kit/inside.ts';
import { inlineFile, newPerson, readMessage, sendMessage, tracesOf } from '#test/kit/messages.ts';
import { ask, basic, chunked, dial, head, type RawConnection, type RawReply } from '#test/kit/raw-http.ts';
import { useApp } from '#test/kit/use-app.ts';
import { watchUploads } from '#test/kit/watched-uploads.ts';
import { wireForm } from '../kit/wire-form.ts';

const ben = 'ben@harbour.example';
const megabyte = 1024 * 1024;

onEachEngine('The body of POST /message', (start) => {
  const vault = watchUploads();
  const app = useApp(start, { wrapVault: vault.wrap, canRunOutside: true, environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  async function leavesNothing(refusals: () => Promise<unknown>): Promise<void> {
    const before = await tracesOf(app);
    await refusals();
    assert.deepEqual(await tracesOf(app), before);
  }

  /** Sends the body exactly as written, without a parser in the test. */
  function post(body: string | Uint8Array, headers: string[] = ['Content-Type: application/json']): Promise<RawReply> {
    return ask(
      app.url,
      'POST /message',
      [basic(alice.key), `Content-Length: ${Buffer.byteLength(body)}`, ...headers],
      body,
    );
  }

  async function refusedText(code: string, body: string | Uint8Array, status = 422): Promise<void> {
    assertRefused(await post(body), status, code);
  }

  const refusedFile = (code: string, ...files: unknown[]) =>
    leavesNothing(async () => {
      for (const file of files) {
        const attachments = [inlineFile('good.txt', 'good'), file];
        await alice.refused(422, code, 'sendMessage', { body: { message: { recipients: [ben], attachments } } });
      }
    });

  testOnce('is refused if it is no JSON', async () => {
    const message = `{"message":{"recipients":["${ben}"],"attachments":[{"filename":"a.txt","data":"eA=="}]`;
    await leavesNothing(async () => {
      for (const body of [
        '',
        ' ',
        '{',
        'x',
        '[]',
        'null',
        '"x"',
        '{"message":',
        `${message}}`,
        message,
        `${message}}}}`,
      ])
        assert.equal((await post(body)).status, 422, body);
      const nul = Buffer.from([...Buffer.from('{"message":{"subject":"'), 0xc3, 0x28, ...Buffer.from('"}}')]);
      await refusedText('request.bad_json', nul);
      await refusedText('request.bad_json', `{"message":${'['.repeat(200)}`);
    });
  });

  testOnce('is refused with 422 with another content type', async () => {
    const body = JSON.stringify({ message: { recipients: [ben] } });
    await leavesNothing(async () => {
      for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data'])
        assert.equal((await post(body, [`Content-Type: ${type}`, 'Accept: application/json'])).status, 422, type);
    });
    assert.equal((await post(body, ['Content-Type: application/json; charset=utf-8'])).status, 200);
  });

  testOnce('is refused with a file without data, whatever stands in its place', async () => {
    const stored = {
      id: 'A'.repeat(22),
      blobKey: 'B'.repeat(22),
      dataKey: 'x',
      received: { sha256: 'c', sizeBytes: 1 },
    };
    const wrong = [undefined, null, 7, true, ['eA=='], {}, { stored }, { stored: null }, { stored: 1 }];
    await refusedFile('attachment.no_data', ...wrong.map((data) => ({ filename: 'a.txt', data })));
  });

  testOnce('ignores internal field names anywhere in the request', async () => {
    const body = { stored: 1, message: { stored: { received: null }, recipients: [ben], attachments: [] } };
    await alice.expect(200, 'sendMessage', { body });
    await alice.expect(200, 'sendMessage', { body, headers: { 'idempotency-key': 'stored' } });
  });

  testOnce('is refused with data that is not Base64', async () => {
    const wrong = ['e', 'eA=', 'eA===', 'eA==eA==', 'e-_A', 'eA==x', 'ü', '%%%%', 'data:text/plain;base64,eA=='];
    await refusedFile('request.bad_json', ...wrong.map((data) => ({ filename: 'a.txt', data })));
  });

  testOnce('is refused with a file without a usable name', async () => {
    await refusedFile(
      'request.invalid',
      { data: 'eA==' },
      { filename: null, data: 'eA==' },
      { filename: 7, data: 'eA==' },
    );
    await refusedFile('request.invalid', { filename: 'n'.repeat(4097), data: 'eA==' });
  });

  testOnce('is refused with a value of the wrong kind in a file, by the name of the field', async () => {
    const file = { filename: 'a.txt', data: 'YQ==', content_type: 5 };
    const message = { recipients: ['ben@harbour.example'], attachments: [file] };
    const { body } = await alice.refused(422, 'request.invalid', 'sendMessage', { body: { message } });
    assert.match(JSON.stringify(body), /The field [^ ]*message\.attachments\.0\.content_type[^ ]* is not valid/);
  });

  testOnce('is refused with a checksum that does not match, SHA-256 and CRC-32', async () => {
    const bytes = someBytes(5000);
    await refusedFile(
      'attachment.checksum_mismatch',
      inlineFile('a.bin', bytes, { checksum: sha256Of('other') }),
      inlineFile('a.bin', bytes, { crc32: crc32Of('other') }),
      inlineFile('a.bin', bytes, { checksum: sha256Of(bytes), crc32: '0' }),
      inlineFile('a.bin', bytes, { checksum: sha256Of('other').toUpperCase(), crc32: crc32Of(bytes) }),
    );
  });

  test('is refused after several files were received, which are all erased', async () => {
    const files = [1, 2, 3].map((seed) => inlineFile(`${seed}.bin`, someBytes(200_000, seed)));
    await leavesNothing(async () => {
      for (const [code, message] of [
        ['message.bad_recipient', { recipients: ['x'], attachments: files }],
        ['message.attachment_unknown', { recipients: [ben], attachments: [...files, 'A'.repeat(22)] }],
        ['request.invalid', { recipients: [ben], attachments: files, subject: 7 }],
        ['idempotency.bad_key', { recipients: [ben], attachments: files }],
      ] as const) {
        const headers: Record<string, string> = code === 'idempotency.bad_key' ? { 'idempotency-key': 'a b' } : {};
        await alice.refused(422, code, 'sendMessage', { body: { message }, headers });
      }
    });
    assert.equal((await chargeOf(app, alice.email)).reservedBytes, 0);
  });

  testOnce('leaves nothing if it ends in the middle', async () => {
    const data = Buffer.from(someBytes(300_000)).toString('base64');
    const body = `{"message":{"recipients":["${ben}"],"attachments":[{"filename":"a","data":"${data}"},{"filename":"b","data":"${data}`;
    const before = await tracesOf(app);
    for (const cutEarly of [true, false]) {
      const line = await dial(app.url);
      const length = body.length + 1000;
      await line.write(
        head(app.url, 'POST /message', [
          basic(alice.key),
          'Content-Type: application/json',
          `Content-Length: ${length}`,
        ]),
      );
      await line.write(cutEarly ? body.slice(0, 200_000) : body);
      await vault.receiving(1);
      line.cut();
      // The client has gone, so no answer tells when the cleanup has ended.
      await vault.idle();
      await until(async () => isDeepStrictEqual(await tracesOf(app), before));
    }
  });

  test('is refused with 507 by a full store and with 503 by a failing one', async () => {
    const message = { recipients: [ben], attachments: [inlineFile('a.bin', someBytes(300_000))] };
    const refused = (status: number, code: string) => alice.refused(status, code, 'sendMessage', { body: { message } });
    try {
      await leavesNothing(async () => {
        vault.state = 'no_uploads';
        await refused(507, 'storage.full');
        vault.state = 'read_only';
        await refused(503, 'storage.unavailable');
        vault.state = null;
        vault.fault = new StoreFull();
        await refused(507, 'storage.full');
        vault.fault = new StoreUnavailable('a test says so');
        await refused(503, 'server.unavailable');
      });
    } finally {
      vault.state = null;
      vault.fault = null;
    }
    await sendMessage(alice, message);
  });

  testOnce('is not requested from a caller with a wrong key', async () => {
    const reply = await ask(app.url, 'POST /message', [
      basic('wrong'),
      'Content-Type: application/json',
      'Expect: 100-continue',
      'Content-Length: 50000000',
    ]);
    assert.equal(reply.status, 401);
  });

  testOnce('is refused with 413 before 100 Continue if more than 100 MB are announced', async () => {
    const announcing = (length: number) =>
      ask(app.url, 'POST /message', [
        basic(alice.key),
        'Content-Type: application/json',
        'Expect: 100-continue',
        `Content-Length: ${length}`,
      ]);
    const reply = await announcing(100 * megabyte + 1);
    assert.equal(reply.status, 413);
    assert.equal(wireForm(problem, reply.body).code, 'message.body_too_large');
    assert.equal((await announcing(100 * megabyte)).status, 100);
  });

  testOnce('is refused with 413 with more than 1 MB outside of the files', async () => {
    await leavesNothing(async () => {
      const body = JSON.stringify({
        message: { recipients: [ben], attachments: [inlineFile('a', 'x')], subject: 'x'.repeat(megabyte) },
      });
      await refusedText('message.body_too_large', body, 413);
      await refusedText('message.body_too_large', `${' '.repeat(megabyte + 1)}{"message":{}}`, 413);
    });
  });

  test('stores files as they were sent, with the detected type, the name and the checksums', async () => {
    const bytes = someBytes(400_001);
    const sent = await sendMessage(alice, {
      recipients: [ben],
      attachments: [
        inlineFile('large.bin', bytes),
        inlineFile('picture.png', samples.png),
        inlineFile('letter', samples.pdf, { content_type: '' }),
        inlineFile('declared.bin', samples.txt, { content_type: 'text/csv' }),
        inlineFile('../../etc/passwd\u202e', samples.txt, { content_type: 'application/json' }),
        inlineFile('empty.txt', ''),
      ],
    });
    const { attachments, size } = await readMessage(alice, sent.id);
    const facts = attachments.map(({ filename, size: bytes, content_type, checksum, crc32, available }) => [
      filename,
      bytes,
      content_type,
      checksum,
      crc32,
      available,
    ]);
    const expected = (name: string, type: string, content: Uint8Array | string) => [
      name,
      content.length,
      type,
      sha256Of(content),
      crc32Of(content),
      true,
    ];
    assert.deepEqual(facts, [
      expected('large.bin', 'application/octet-stream', bytes),
      expected('picture.png', 'image/png', samples.png),
      expected('letter', 'application/pdf', samples.pdf),
      expected('declared.bin', 'text/csv', samples.txt),
      expected('passwd', 'text/plain', samples.txt),
      expected('empty.txt', 'application/octet-stream', ''),
    ]);
    assert.equal(
      size,
      attachments.reduce((sum, attachment) => sum + attachment.size, 0),
    );
    assert.deepEqual(await contentOf(app, attachments[0]!.id), Buffer.from(bytes));
    assert.equal((await contentOf(app, attachments[5]!.id)).length, 0);
  });

  test('accepts right checksums in any case, and ignores one that is no SHA-256', async () => {
    const bytes = someBytes(1000);
    const md5 = createHash('md5').update('something else').digest('hex');
    const files = [
      inlineFile('a', bytes, { checksum: sha256Of(bytes).toUpperCase(), crc32: crc32Of(bytes).toUpperCase() }),
      inlineFile('b', bytes, { checksum: md5 }),
      inlineFile('c', bytes, { checksum: 'none', crc32: 'none' }),
      inlineFile('d', bytes, { checksum: '', crc32: '' }),
      inlineFile('e', bytes, { checksum: null, crc32: null, content_type: null }),
      // A leading zero may be dropped, as in the samples of old documents.
      inlineFile('f', 'c8', { crc32: crc32Of('c8').replace(/^0+/, '') }),
    ];
    const sent = await sendMessage(alice, { recipients: [ben], attachments: files });
    const { attachments } = await readMessage(alice, sent.id);
    assert.deepEqual(
      attachments.map(({ checksum }) => checksum),
      [...Array(5).fill(sha256Of(bytes)), sha256Of('c8')],
    );
  });

  test('accepts fields in any order, wrapped or unpadded Base64, and escaped text', async () => {
    const data = Buffer.from(samples.txt).toString('base64').replace(/=+$/, '');
    const wrapped = data.replace(/.{20}/g, '$&\\r\\n');
    const escaped = [...data].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    const files = [wrapped, escaped, data].map(
      (text, index) => `{"data":"${text}","crc32":"","filename":"${index}.txt"}`,
    );
    const reply = await post(`{"message":{"attachments":[${files}],"recipients":["${ben}"]}}`);
    assert.equal(reply.status, 200, reply.text);
    const { id } = wireForm(createdMessageAnswer, reply.body).message;
    for (const { checksum } of (await readMessage(alice, id)).attachments)
      assert.equal(checksum, sha256Of(samples.txt));
  });

  test('accepts ids of uploaded files and files inside together, in their order', async () => {
    const first = await alice.upload('1.txt', 'one', 'uploadForMessage');
    const third = await alice.upload('3.txt', 'three', 'uploadForMessage');
    const attachments = [first.id, inlineFile('2.txt', 'two'), third.id, inlineFile('4.txt', 'four')];
    const sent = await sendMessage(alice, { recipients: [ben], attachments });
    const names = (await readMessage(alice, sent.id)).attachments.map(({ filename }) => filename);
    assert.deepEqual(names, ['1.txt', '2.txt', '3.txt', '4.txt']);
  });

  test('keeps the last of a repeated key, and erases the bytes of the first', async () => {
    const before = (await tracesOf(app)).blobs as string[];
    const reply = await post(
      `{"message":{"recipients":["${ben}"],"attachments":[{"filename":"a","data":"Zmlyc3Q=","data":"bGFzdA=="}]}}`,
    );
    if (reply.status === 200) {
      const { id } = wireForm(createdMessageAnswer, reply.body).message;
      assert.equal((await readMessage(alice, id)).attachments[0]!.checksum, sha256Of('last'));
      assert.equal(((await tracesOf(app)).blobs as string[]).length, before.length + 1);
    } else {
      assert.equal(reply.status, 422);
      assert.deepEqual((await tracesOf(app)).blobs, before);
    }
  });

  testOnce(
    'makes one message from repeated requests under one Idempotency-Key, with files inside and without',
    async () => {
      const headers = { 'idempotency-key': 'once-1' };
      const message = { recipients: [ben], subject: 'Once', attachments: [inlineFile('a.bin', someBytes(100_000))] };
      const first = await sendMessage(alice, message, headers);
      const before = await tracesOf(app);
      const second = await sendMessage(alice, message, headers);
      assert.deepEqual(second, first);
      assert.deepEqual(await tracesOf(app), before);
    },
  );

  testOnce('is refused if another request used the same Idempotency-Key, and leaves nothing', async () => {
    const headers = { 'idempotency-key': 'once-2' };
    const message = { recipients: [ben], attachments: [inlineFile('a.bin', 'first')] };
    const first = await sendMessage(alice, message, headers);
    await leavesNothing(async () => {
      for (const change of [{ subject: 'x' }, { attachments: [inlineFile('a.bin', 'other')] }, { attachments: [] }])
        await alice.refused(422, 'idempotency.key_reused', 'sendMessage', {
          body: { message: { ...message, ...change } },
          headers,
        });
    });
    const bob = await newPerson(app, 'bob');
    assert.notEqual((await sendMessage(bob, message, headers)).id, first.id);
    app.clock.advance(24 * 3_600_000 + 1);
    assert.notEqual((await sendMessage(alice, { ...message, subject: 'x' }, headers)).id, first.id);
  });

  test('makes one message and keeps one file from ten concurrent equal requests under one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once-3' };
    const message = { recipients: [ben], attachments: [inlineFile('a.bin', someBytes(50_000))], send_email: true };
    const before = await tracesOf(app);
    const sent = await Promise.all(Array.from({ length: 10 }, () => sendMessage(alice, message, headers)));
    assert.equal(new Set(sent.map(({ id }) => id)).size, 1);
    const traces = await tracesOf(app);
    assert.equal(traces.messages, (before.messages as number) + 1);
    assert.equal(traces.attachments, (before.attachments as number) + 1);
    assert.equal((traces.blobs as string[]).length, (before.blobs as string[]).length + 1);
    // One to Ben, and the copy.
    assert.equal(traces.outbox, (before.outbox as number) + 2);
  });

  testOnce('can be sent again under its Idempotency-Key after a refusal', async () => {
    const headers = { 'idempotency-key': 'once-4' };
    const message = { recipients: [ben], attachments: [inlineFile('a.bin', 'x')] };
    await alice.refused(422, 'message.bad_recipient', 'sendMessage', {
      body: { message: { ...message, recipients: ['x'] } },
      headers,
    });
    await sendMessage(alice, message, headers);
  });
});

// The limit is checked before the store, so one engine is enough for this many bytes.
describe('A message without an announced length', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(sqliteAndDisk, { environment: { WAYBILL_ROLE: 'web' } });
  });
  after(() => app.close());

  test('is refused with 413 once more than 100 MB have been received, and leaves nothing', async () => {
    const before = await tracesOf(app);
    const line = await dial(app.url);
    const headers = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    await line.write(head(app.url, 'POST /message', [basic(app.admin.key), ...headers]));
    const reply = line.reply();
    let isAnswered = false;
    reply.finally(() => {
      isAnswered = true;
    });
    await writeText(line, `{"message":{"recipients":["${ben}"],"attachments":[`);
    const block = framed(Buffer.alloc(megabyte, 'QUJD'));
    // Files of 25 MB each, so that complete files are erased too.
    for (let count = 0; count < 110 && !isAnswered; count++) {
      if (count % 25 === 0) await writeText(line, `${count === 0 ? '' : '"},'}{"filename":"${count}.bin","data":"`);
      await line.write(block);
    }
    assert.equal((await reply).status, 413);
    line.cut();
    assert.deepEqual(await tracesOf(app), before);
  });
});

const writeText = (line: RawConnection, text: string): Promise<void> => line.write(framed(text));

/** Without the end that `chunked` writes. */
function framed(bytes: string | Uint8Array): Buffer {
  return chunked(bytes).subarray(0, -5);
}

describe('Many small files inside one message', () => {
  let app: TestApp;
  /** How many files were stored, and how many of them concurrently. */
  let received = 0;
  let most = 0;
  let waiting: (() => void)[] = [];
  before(async () => {
    let running = 0;
    const vault = openVault(openMemoryStore());
    app = await startTestApp(sqliteAndDisk, {
      environment: { WAYBILL_ROLE: 'web' },
      wrapVault: () => ({
        ...vault,
        async receive(blob, body, options) {
          received += 1;
          running += 1;
          most = Math.max(most, running);
          // The first file is stored only after the second one has begun.
          if (waiting.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
          for (const wake of waiting) wake();
          try {
            return await vault.receive(blob, body, options);
          } finally {
            running -= 1;
          }
        },
      }),
    });
  });
  after(() => app.close());

  const send = (count: number) => {
    const attachments = Array.from({ length: count }, (_, index) => inlineFile(`${index}.txt`, `file ${index}`));
    received = 0;
    waiting = [];
    return app.admin.call('sendMessage', { body: { message: { recipients: [ben], attachments } } });
  };

  test('are stored concurrently, complete and in order', async () => {
    const { status, body } = await send(50);
    assert.equal(status, 200);
    const { attachments } = await readMessage(app.admin, wireForm(createdMessageAnswer, body).message.id);
    for (const [index, file] of attachments.entries()) {
      assert.equal(file.filename, `${index}.txt`);
      assert.equal(file.checksum, sha256Of(`file ${index}`));
    }
    assert.equal(attachments.length, 50);
    assert.ok(most > 1 && most <= 32, `${most} concurrently`);
  });

  test('are refused at the first one above the limit, while the request is still being read', async () => {
    const before = await tracesOf(app);
    const { status, body } = await send(3000);
    assert.equal(status, 422);
    assert.equal(wireForm(problem, body).code, 'request.invalid');
    assert.equal(wireForm(problem, body).field, 'attachments');
    assert.equal(received, 1000);
    assert.deepEqual(await tracesOf(app), before);
  });
});

describe('Twenty concurrent senders of 12 MB of Base64 each', () => {
  /** A megabyte of Base64, and its decoded bytes. */
  const block = Buffer.alloc(megabyte, 'QUJD');
  const blockBytes = Buffer.alloc((megabyte / 4) * 3, 'ABC');
  const blocks = 12;
  let server: ChildServer;
  before(async () => {
    server = await startChildServer();
  });
  after(() => server.stop());

  async function send(number: number): Promise<RawReply> {
    const opening = `{"message":{"recipients":["${ben}"],"subject":"${number}","attachments":[{"filename":"${number}.bin","data":"`;
    const closing = '"}]}}';
    const length = opening.length + blocks * block.length + closing.length;
    const line = await dial(server.url);
    try {
      await line.write(
        head(server.url, 'POST /message', [
          basic(server.admin.key),
          'Content-Type: application/json',
          `Content-Length: ${length}`,
        ]),
      );
      await line.write(opening);
      for (let count = 0; count < blocks; count++) await line.write(block);
      await line.write(closing);
      return await line.reply();
    } finally {
      line.cut();
    }
  }

  test('are all served, and the memory does not grow with what they send', async () => {
    const expected = createHash('sha256');
    for (let count = 0; count < blocks; count++) expected.update(blockBytes);
    const checksum = expected.digest('hex');
    await send(0);
    const before = await server.weigh();
    const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index + 1)));
    const growth = (await server.peakBytes()) - before;
    for (const reply of replies) {
      assert.equal(reply.status, 200, reply.text);
      const { id } = wireForm(createdMessageAnswer, reply.body).message;
      assert.equal((await readMessage(server.admin, id)).attachments[0]!.checksum, checksum);
    }
    // 240 MB were sent, of files of 180 MB.
    assert.ok(growth < 150 * megabyte, `the memory grew by ${Math.round(growth / megabyte)} MB`);
  });
});
