// Situations in which other services pass on a file that was not scanned, or never pass on one that was.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { listDueScans, requestRescans } from '#server/db/scanning/file-scans.ts';
import { clean, FileRefused, infected, ScannerSilent } from '#server/lib/scanners/scanner.ts';
import { encryptedZip } from '#server/lib/scanners/self-test.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload } from '#test/kit/downloads.ts';
import { createFakeScanner, fakeScannerEnvironment, scanJob, scanStateOf } from '#test/kit/fake-scanner.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { fileUrlOf, sendMessage } from '#test/kit/messages.ts';
import { referenceOf } from '#test/kit/references.ts';
import { linkTo, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onEachDatabase('A virus scanner', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, { ...mailbox.options, environment: fakeScannerEnvironment });
  const fake = createFakeScanner();
  let alice: ApiClient;
  let people = 0;
  let scan: () => Promise<string>;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });
  beforeEach(() => {
    Object.assign(fake, { isDown: false, judge: judgeEvil });
    // The files of earlier tests are not scanned again.
    scan = scanJob(app, fake);
    app.clock.advance(60_000);
  });
  const judgeEvil = (content: string) => (content.includes('evil') ? infected('Evil') : clean);
  const upload = async (content: string | Uint8Array<ArrayBuffer>, owner = alice) =>
    (await owner.upload(`${content.slice(0, 8)}.bin`, content)).id;
  const stateOf = (id: string) => scanStateOf(app, id);
  const later = (ms: number) => app.clock.advance(ms);
  const isServed = async (id: string) => (await clickDownload(app.url, await linkTo(alice, id))).path !== null;
  const send = (files: string[], owner = alice) =>
    sendMessage(owner, {
      recipients: [`person${++people}@example.com`],
      subject: 'x',
      send_email: true,
      attachments: files,
    });
  const mailOf = async ({ id }: { id: string }) => {
    const row = await app.app.ctx.db.read
      .selectFrom('outbox')
      .select('state')
      .where('message_id', '=', id)
      .where('kind', '=', 'message')
      .executeTakeFirstOrThrow();
    return row.state;
  };
  const setState = (id: string, state: 'failed' | 'ready') =>
    app.app.ctx.db.write((tx) => tx.updateTable('attachments').set({ state }).where('id', '=', id).execute());
  const blobOf = async (id: string) => {
    const part = await app.app.ctx.db.read
      .selectFrom('parts')
      .select('blob_key')
      .where('upload_id', '=', id)
      .executeTakeFirstOrThrow();
    return part.blob_key;
  };
  /** Under another key the store has other bytes, or none. */
  const setBlob = (id: string, blob_key: string) =>
    app.app.ctx.db.write((tx) => tx.updateTable('parts').set({ blob_key }).where('upload_id', '=', id).execute());

  test('keeps an infected file held when its group stops scanning, and when the scanner is removed during a rescan', async () => {
    const group = await app.group('Scanning');
    const owner = await newPerson(app, 'stops', { group });
    const bad = await upload('evil of a group', owner);
    await scan();
    await app.admin.expect(200, 'changeGroup', { params: { id: group }, body: { group: { virus_scan: false } } });
    fake.signatures += 1;
    later(60_000);
    await scan();
    assert.equal(await stateOf(bad), 'held');

    const other = await upload('evil of alice');
    await scan();
    fake.signatures += 1;
    fake.judge = () => {
      throw new ScannerSilent('no answer');
    };
    later(60_000);
    await scan();
    later(60_000);
    await scanJob(app, null)();
    assert.equal(await stateOf(other), 'held');
  });

  test('does not read the files of a group without scanning again and again', async () => {
    const group = await app.group('Rules only', { virus_scan: false, content_type_mismatch: 'hold' });
    const id = await upload('content', await newPerson(app, 'rules', { group }));
    await scan();
    assert.equal(await stateOf(id), 'free');
    later(60_000);
    assert.equal(await scan(), '0 files scanned');
  });

  test('that is away holds up neither files of a group without scanning, nor others because one is lost', async () => {
    const rules = { content_type_mismatch: 'hold' };
    const unscanned = await app.group('Unscanned', { ...rules, virus_scan: false });
    const releasing = await app.group('Releasing', { ...rules, virus_scan_silent: 'release' });
    const [first, second] = [
      await newPerson(app, 'unscanned', { group: unscanned }),
      await newPerson(app, 'releasing', { group: releasing }),
    ];
    fake.isDown = true;
    const lost = await upload('lost while away', second);
    later(1000);
    const [good, late] = [await upload('no scan needed', first), await upload('released', second)];
    await setBlob(lost, 'E'.repeat(22));
    later(61_000);
    await scan();
    assert.deepEqual([await stateOf(lost), await stateOf(good), await stateOf(late)], ['waiting', 'free', 'free']);
  });

  test('does not let the new owner of a transfer have a file that it holds or has not scanned', async () => {
    const [bad, late] = [await upload('evil to hand over'), await upload('late to hand over')];
    await scan();
    await app.app.ctx.db.write((tx) =>
      tx.updateTable('attachments').set({ scan_state: 'waiting' }).where('id', '=', late).execute(),
    );
    const message = await send([bad, late]);
    const link = await linkTo(alice, bad);
    const heir = await newPerson(app, 'heir');
    const urls = [await fileUrlOf(alice, message.id, 0), await fileUrlOf(alice, message.id, 1)];
    for (const url of urls) assert.equal((await alice.fetch(url)).status, 200, 'the uploader');
    const hand = { params: await referenceOf(app, message.id), body: { to: heir.email, reason: 'left' } };
    const handOver = () => app.admin.call('handOverTransfer', hand);
    if ((await handOver()).status !== 200) {
      later(25 * 3_600_000);
      await app.admin.expect(200, 'handOverTransfer', hand);
    }
    for (const url of urls) assert.notEqual((await heir.fetch(url)).status, 200, url);
    assert.equal((await clickDownload(app.url, link)).path, null);
  });

  test('does not hold a mail back for a file that cannot be scanned any more', async () => {
    const [good, failed] = [await upload('good beside failed'), await upload('failed')];
    const ofFailed = await send([good, failed]);
    await setState(failed, 'failed');
    const [other, damaged, donor] = [
      await upload('good beside damaged'),
      await upload('damaged'),
      await upload('donor'),
    ];
    const ofDamaged = await send([other, damaged]);
    const [own, others] = [await blobOf(damaged), await blobOf(donor)];
    await setBlob(donor, 'D'.repeat(22));
    await setBlob(damaged, others);
    await scan();
    later(60_000);
    await app.app.jobs.runOnce('send-outbox');
    assert.deepEqual([await mailOf(ofFailed), await mailOf(ofDamaged)], ['sent', 'sent']);
    assert.equal(await isReady(damaged), false, 'it is marked as damaged');

    await setBlob(damaged, own);
    await app.app.jobs.runOnce('check-damaged');
    assert.equal(await isReady(damaged), true);
    assert.equal(await stateOf(damaged), 'waiting', 'it returned and was not scanned');
    later(60_000 * 15);
    await scan();
    assert.equal(await stateOf(damaged), 'free');
  });
  const isReady = async (id: string) => {
    const row = await app.app.ctx.db.read.selectFrom('attachments').select('state').where('id', '=', id).execute();
    return row[0]?.state === 'ready';
  };

  test('does not serve a lost file that returns before it is scanned, with the signatures of today', async () => {
    const [unscanned, scanned] = [await upload('evil and lost'), await upload('harmless until today')];
    const blobs = [await blobOf(unscanned), await blobOf(scanned)] as const;
    await setBlob(unscanned, 'A'.repeat(22));
    await scan();
    assert.deepEqual([await stateOf(unscanned), await stateOf(scanned)], ['waiting', 'free']);
    await setBlob(scanned, 'B'.repeat(22));
    fake.signatures += 1;
    fake.judge = (content) => (/evil|harmless/.test(content) ? infected('New') : clean);
    later(60_000);
    await scan();
    await setBlob(unscanned, blobs[0]);
    await setBlob(scanned, blobs[1]);
    assert.equal(await isServed(unscanned), false);
    later(60_000 * 15);
    await scan();
    assert.deepEqual([await isServed(unscanned), await isServed(scanned)], [false, false]);
  });

  test('that answers with an error to protected archives works, and the archive is held as encrypted', async () => {
    fake.judge = (content) => {
      if (/^PK|always/.test(content)) throw new FileRefused('500');
      return clean;
    };
    const [protectedZip, odd, good] = [
      await upload(new Uint8Array(encryptedZip)),
      await upload('always'),
      await upload('good'),
    ];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await scan();
      later(31_000);
    }
    assert.deepEqual([await stateOf(protectedZip), await stateOf(odd), await stateOf(good)], ['held', 'held', 'free']);
    const { body } = await app.admin.expect(200, 'getScanner');
    const { not_scanned } = (body as { scanner: { not_scanned: { reason: string }[] } }).scanner;
    assert.deepEqual(not_scanned.map(({ reason }) => reason).sort(), ['damaged', 'encrypted']);
  });

  test('that gives no answer to a file counts anew in each scan', async () => {
    const id = await upload('hard to scan');
    let failures = 2;
    fake.judge = (content) => {
      if (content === 'hard to scan' && failures-- > 0) throw new ScannerSilent('no answer');
      return clean;
    };
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await scan();
      later(31_000);
    }
    assert.equal(await stateOf(id), 'free');
    fake.signatures += 1;
    failures = 2;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      later(31_000);
      await scan();
      assert.equal(await stateOf(id), 'free');
    }
  });

  test('scans content that it knows again with new signatures', async () => {
    await upload('harmless until now');
    await scan();
    fake.signatures += 1;
    fake.judge = () => infected('New');
    const copy = await upload('harmless until now');
    await scan();
    assert.equal(await stateOf(copy), 'held');
  });

  test('scans new files before those of a rescan', async () => {
    const first = await upload('seen before');
    await scan();
    await app.app.ctx.db.write((tx) => requestRescans(tx, [first], app.clock.now()));
    later(1000);
    const id = await upload('new');
    const due = await listDueScans(app.app.ctx.db.read, app.clock.now(), 1);
    assert.deepEqual(
      due.map(({ file }) => file.id),
      [id],
    );
  });

  test('holds up no file by a larger one', async () => {
    const large = Promise.withResolvers<typeof clean>();
    const small = Promise.withResolvers<void>();
    fake.judge = (content) => {
      if (content === 'large') return large.promise;
      if (content === 'small') small.resolve();
      return clean;
    };
    const ids = [await upload('large')];
    const running = scan();
    ids.push(await upload('small'));
    await small.promise;
    large.resolve(clean);
    await running;
    for (const id of ids) assert.equal(await stateOf(id), 'free');
  });

  test('leaves no mail behind for ever about a message of which every file is held', async () => {
    const message = await send([await upload('evil and alone')]);
    await scan();
    await app.app.jobs.runOnce('send-outbox');
    assert.equal(await mailOf(message), 'pending');
    later(60 * 86_400_000);
    await app.app.jobs.runOnce('expire');
    await app.app.jobs.runOnce('send-outbox');
    assert.equal(await mailOf(message), 'cancelled');
  });
});
