// Files and mails while the virus scanner answers wrongly, late or not at all.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { encryptedZip } from '#server/lib/scanners/self-test.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload } from '#test/kit/downloads.ts';
import { inlineFile, readMessage, sendMessage } from '#test/kit/messages.ts';
import { cleanAnswer, eicarAnswer, type ScriptedScanner, startScriptedScanner } from '#test/kit/scripted-scanner.ts';
import { linkTo, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onEachDatabase('With a virus scanner', (start) => {
  let scanner: ScriptedScanner;
  const environment: Record<string, string> = { WAYBILL_ROLE: 'web' };
  before(async () => {
    scanner = await startScriptedScanner();
    environment.WAYBILL_SCANNER = scanner.address;
  });
  after(() => scanner.close());
  const app = useApp(start, { environment });
  let alice: ApiClient;
  let releasing: ApiClient;
  let people = 0;
  let answer: ScriptedScanner['answer'];
  before(async () => {
    answer = scanner.answer;
    alice = await newPerson(app, 'alice');
    const group = await app.group('Releasing', { virus_scan_silent: 'release', virus_scan_unscannable: 'release' });
    releasing = await newPerson(app, 'releasing', { group });
  });
  beforeEach(() => {
    Object.assign(scanner, { answer, isDown: false, cutAfterBytes: null });
    app.clock.advance(60_000);
  });
  const run = (job: string) => app.app.jobs.runOnce(job);
  const scan = () => run('scan-files');
  const stateOf = async (id: string) => {
    const row = await app.app.ctx.db.read
      .selectFrom('attachments')
      .select('scan_state')
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.scan_state;
  };
  const fieldsOf = async (id: string, owner = alice) => {
    const { body } = await owner.expect(200, 'listAttachments');
    const { attachments } = body as { attachments: Record<string, unknown>[] };
    const file = attachments.find((one) => one.id === id)!;
    const { virus_scan_required, virus_scanned, content_blocked, content_blocked_message, available } = file;
    return { virus_scan_required, virus_scanned, content_blocked, content_blocked_message, available };
  };
  const upload = async (content: string | Uint8Array<ArrayBuffer>, owner = alice) =>
    (await owner.upload('file.bin', content)).id;
  const mailsTo = async (recipient: string) =>
    app.app.ctx.db.read
      .selectFrom('outbox')
      .select(['state', 'attempts'])
      .where('recipient', '=', recipient)
      .where('kind', '=', 'message')
      .execute();
  const newAddress = () => {
    people += 1;
    return `person${people}@example.com`;
  };

  test('the fields of a file tell what the scanner said', async () => {
    const id = await upload('clean');
    const waiting = { virus_scan_required: true, virus_scanned: false, content_blocked: false };
    assert.deepEqual(await fieldsOf(id), { ...waiting, content_blocked_message: null, available: false });
    await scan();
    assert.deepEqual(await fieldsOf(id), {
      ...waiting,
      virus_scanned: true,
      content_blocked_message: null,
      available: true,
    });
    scanner.answer = (content) => (content.includes('evil') ? eicarAnswer : answer(content));
    const bad = await upload('evil');
    await scan();
    assert.deepEqual(await fieldsOf(bad), {
      virus_scan_required: true,
      virus_scanned: true,
      content_blocked: true,
      content_blocked_message: 'This file is blocked: the virus scanner found Eicar-Test-Signature.',
      available: false,
    });
  });

  test('the uploader may have the own file back before the verdict, others may not', async () => {
    const id = await upload('mine');
    const link = await linkTo(alice, id);
    assert.equal((await clickDownload(app.url, link)).path, null);
    const message = await sendMessage(alice, {
      recipients: [newAddress()],
      subject: 'x',
      send_email: true,
      attachments: [id],
    });
    const { attachments } = await readMessage(alice, message.id);
    const reply = await alice.fetch(attachments[0]!.url.slice(alice.url.length), {});
    assert.equal(reply.status, 200, reply.text);
  });

  test('a mail waits until its file may be downloaded', async () => {
    const to = newAddress();
    await sendMessage(alice, {
      recipients: [to],
      subject: 'x',
      send_email: true,
      attachments: [inlineFile('a.txt', 'text')],
    });
    await run('send-outbox');
    assert.deepEqual(await mailsTo(to), [{ state: 'pending', attempts: 0 }]);
    await scan();
    await run('send-outbox');
    assert.equal((await mailsTo(to))[0]!.attempts, 1);
  });

  test('a mail about nothing but held files is not sent, and a held file is not shown to recipients', async () => {
    scanner.answer = (content) => (content.includes('evil') ? eicarAnswer : answer(content));
    const [to, both] = [newAddress(), newAddress()];
    const ben = await newPerson(app, `ben${people}`);
    const [bad, good] = [inlineFile('bad.txt', `evil ${people}`), inlineFile('good.txt', 'good')];
    await sendMessage(alice, { recipients: [to], subject: 'x', send_email: true, attachments: [bad] });
    const { id } = await sendMessage(alice, {
      recipients: [both, ben.email],
      subject: 'x',
      send_email: true,
      attachments: [bad, good],
    });
    await scan();
    await run('send-outbox');
    assert.equal((await mailsTo(to))[0]!.attempts, 0);
    assert.equal((await mailsTo(both))[0]!.attempts, 1);
    const shown = (await readMessage(ben, id)).attachments.map((file) => file.filename);
    assert.deepEqual(shown, ['good.txt']);
  });

  test('a scanner that is away releases nothing and loses nothing', async () => {
    scanner.isDown = true;
    const id = await upload('waits');
    assert.match((await scan())!, /does not answer/);
    assert.equal(await stateOf(id), 'waiting');
    scanner.isDown = false;
    await scan();
    assert.equal(await stateOf(id), 'free');
  });

  test('a group may let files through while the scanner is silent, and infected ones are held later', async () => {
    scanner.isDown = true;
    const id = await upload('sneaky', releasing);
    await scan();
    assert.equal(await stateOf(id), 'waiting');
    app.clock.advance(61_000);
    await scan();
    assert.equal(await stateOf(id), 'free');
    scanner.isDown = false;
    scanner.answer = (content) => (content.includes('sneaky') ? eicarAnswer : answer(content));
    await scan();
    assert.equal(await stateOf(id), 'held');
  });

  test('a scanner that does not find EICAR is not trusted', async () => {
    scanner.version = 'ClamAV 1.4.6/27001/Tue Nov 17 09:00:00 2026';
    scanner.answer = () => cleanAnswer;
    const id = await upload('untested');
    assert.match((await scan())!, /EICAR/);
    assert.equal(await stateOf(id), 'waiting');
  });

  test('a scanner that cuts the connection at its limit makes a large file unscannable', async () => {
    scanner.cutAfterBytes = 500_000;
    const id = await upload(new Uint8Array(3_000_000).fill(7));
    await scan();
    assert.equal(await stateOf(id), 'held');
    assert.match(String((await fieldsOf(id)).content_blocked_message), /too large/);
    const released = await upload(new Uint8Array(3_000_000).fill(8), releasing);
    await scan();
    assert.equal(await stateOf(released), 'free');
  });

  test('an answer that is not understood is no verdict', async () => {
    scanner.answer = (content) => (content.includes('odd') ? 'stream: something new' : answer(content));
    const id = await upload('odd');
    await scan();
    assert.equal(await stateOf(id), 'waiting');
  });

  test('a file to which a working scanner gives no answer is unscannable after three attempts', async () => {
    scanner.answer = (content) => (content.includes('tarpit') ? null : answer(content));
    const id = await upload('tarpit');
    for (let attempt = 0; attempt < 3; attempt += 1) {
      assert.equal(await stateOf(id), 'waiting');
      await scan();
      app.clock.advance(31_000);
    }
    assert.equal(await stateOf(id), 'held');
  });

  test('an encrypted archive is unscannable even if the scanner calls it clean', async () => {
    const id = await upload(new Uint8Array(encryptedZip));
    await scan();
    assert.equal(await stateOf(id), 'held');
    assert.match(String((await fieldsOf(id)).content_blocked_message), /encrypted/);
  });

  test('equal content is scanned once', async () => {
    await upload('twice the same');
    await scan();
    const { scanned } = scanner;
    const id = await upload('twice the same');
    await scan();
    assert.equal(await stateOf(id), 'free');
    assert.equal(scanner.scanned, scanned);
  });

  const password = 'quiet river under seven lamps';
  const findQuarantined = async (fileName: string) => {
    const { body } = await app.admin.expect(200, 'listQuarantine');
    const { quarantine } = body as { quarantine: Record<string, unknown>[] };
    return quarantine.find((file) => file.filename === fileName);
  };

  test('a System Administrator releases a held file with reason and password, and no scan holds it again', async () => {
    scanner.answer = (content) => (content.includes('false alarm') ? eicarAnswer : answer(content));
    const { id } = await alice.upload('alarm.txt', 'false alarm');
    await scan();
    const held = (await findQuarantined('alarm.txt'))!;
    assert.equal(held.signature, 'Eicar-Test-Signature');
    assert.equal(held.uploader, alice.email);
    const params = { id: String(held.id) };
    const release = { reason: 'Checked by hand', password };
    await alice.refused(403, 'admin.not_permitted', 'releaseQuarantined', { params, body: { release } });
    const wrong = { release: { ...release, password: 'wrong' } };
    await app.admin.refused(422, 'password.wrong', 'releaseQuarantined', { params, body: wrong });
    assert.equal(await stateOf(id), 'held');
    await app.admin.expect(200, 'releaseQuarantined', { params, body: { release } });
    assert.equal(await stateOf(id), 'free');
    scanner.version = 'ClamAV 1.4.6/27002/Wed Nov 18 09:00:00 2026';
    app.clock.advance(60_000);
    await scan();
    assert.equal(await stateOf(id), 'free');
  });

  test('a held file is erased from the quarantine', async () => {
    scanner.answer = (content) => (content.includes('erase me') ? eicarAnswer : answer(content));
    const { id } = await alice.upload('erase.txt', 'erase me');
    await scan();
    const held = (await findQuarantined('erase.txt'))!;
    await app.admin.expect(200, 'deleteQuarantined', { params: { id: String(held.id) } });
    assert.equal(await findQuarantined('erase.txt'), undefined);
    await app.admin.refused(404, 'attachment.not_found', 'deleteQuarantined', { params: { id: String(held.id) } });
    assert.equal((await alice.expect(200, 'listAttachments')).text.includes(id), false);
  });

  test('new signatures cause another scan, and an outage during it neither holds nor releases anything', async () => {
    scanner.answer = (content) => (content.includes('held before') ? eicarAnswer : answer(content));
    const [good, bad] = [await upload('new malware'), await upload('held before')];
    await scan();
    scanner.version = 'ClamAV 1.4.6/27003/Thu Nov 19 09:00:00 2026';
    scanner.isDown = true;
    app.clock.advance(60_000);
    await scan();
    assert.deepEqual([await stateOf(good), await stateOf(bad)], ['free', 'held']);
    scanner.isDown = false;
    scanner.answer = (content) => (content.includes('new malware') ? eicarAnswer : answer(content));
    await scan();
    assert.deepEqual([await stateOf(good), await stateOf(bad)], ['held', 'free']);
  });

  test('the state of the scanner and the files that it could not check are listed', async () => {
    const statusOf = async () => {
      const { body } = await app.admin.expect(200, 'getScanner');
      return (body as { scanner: Record<string, unknown> }).scanner;
    };
    scanner.isDown = true;
    await upload('in the queue');
    await scan();
    assert.match(String((await statusOf()).fault), /closed without an answer|cannot be reached|ECONNRESET/);
    const attention = async () =>
      JSON.stringify((await app.admin.expect(200, 'getOverview')).body).includes('scanner-silent');
    assert.equal(await attention(), true);
    scanner.isDown = false;
    await scan();
    assert.equal(await attention(), false);
    const status = await statusOf();
    assert.equal(status.fault, null);
    assert.equal(status.waiting, 0);
    const reasons = (status.not_scanned as { reason: string }[]).map(({ reason }) => reason);
    assert.ok(reasons.includes('encrypted'));
  });
});
