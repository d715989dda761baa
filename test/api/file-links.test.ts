import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { someBytes } from '#test/kit/content.ts';
import { attachmentRow } from '#test/kit/inside.ts';
import { getLink, linkTo, listLinks, newLink } from '#test/kit/links.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 24 * 3_600_000;

onEachDatabase('FileLinks', (start) => {
  const app = useApp(start);
  const alice = usePerson(app, 'alice');
  const bob = usePerson(app, 'bob');
  let file: string;
  before(async () => {
    file = (await alice.upload('plan.txt', 'hello')).id;
  });

  const refused = (code: string, link: unknown, who = alice) =>
    who.refused(422, code, 'createFileLink', { body: { link } });

  async function personWith(name: string, settings: Record<string, unknown>): Promise<[ApiClient, string]> {
    const who = await app.person(name, { group: await app.group(name, settings) });
    return [who, (await who.upload('mine.txt', 'x', 'uploadForMessage')).id];
  }

  testOnce('are not created, listed, read or deleted without a key', async () => {
    const { id } = await linkTo(alice, file);
    await app.anonymous.refused(401, 'credentials.invalid', 'createFileLink', { body: { link: { attachment: file } } });
    await app.anonymous.refused(401, 'credentials.invalid', 'listFileLinks');
    await app.anonymous.refused(401, 'credentials.invalid', 'getFileLink', { params: { id } });
    await app.anonymous.refused(401, 'credentials.invalid', 'deleteFileLink', { params: { id } });
  });

  testOnce('refuse a body that is not the expected JSON object with 422', async () => {
    for (const bytes of [
      '',
      '{',
      '[]',
      '"link"',
      'null',
      '{"link":null}',
      '{"link":[]}',
      '{"link":{}}',
      '{"links":{}}',
    ])
      await alice.expect(422, 'createFileLink', { bytes, headers: { 'content-type': 'application/json' } });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])
      await alice.refused(422, 'request.bad_json', 'createFileLink', {
        bytes: JSON.stringify({ link: { attachment: file } }),
        headers: { 'content-type': type },
      });
  });

  testOnce('refuse a field of the wrong type and name it', async () => {
    for (const [field, value] of [
      ['attachment', 5],
      ['attachment', [file]],
      ['attachment', null],
      ['expires_at', 20261120],
      ['expires_at', true],
      ['password', 12345678],
      ['password', {}],
      ['password', 'p'.repeat(1025)],
      ['download_receipt', 'yes'],
      ['send_download_confirmation', 2],
      ['require_authentication', 'no'],
      ['require_authentication', []],
    ] as const) {
      const reply = await refused('request.invalid', { attachment: file, [field]: value });
      assert.equal((reply.body as { field: string }).field, field);
    }
  });

  test('refuse a file that is unknown, of another user or erased with the same text, and hold nothing', async () => {
    const theirs = (await bob.upload('theirs.txt', 'x')).id;
    const erased = (await alice.upload('erased.txt', 'x')).id;
    await alice.expect(200, 'deleteAttachment', { params: { id: erased } });
    const bodies = [];
    for (const attachment of [theirs, erased, 'NoSuchFileNoSuchFileNo', '', "' or 1=1 --"]) {
      const { body } = await refused('link.attachment_unknown', { attachment });
      bodies.push({ ...(body as object), request_id: '' });
    }
    for (const body of bodies) assert.deepEqual(body, bodies[0]);
    assert.equal((await attachmentRow(app, theirs)).reference_count, 0);
  });

  testOnce('refuse a file whose extension the group has blocked since', async () => {
    const group = await app.group('Changing', {});
    const carol = await app.person('carol', { group });
    const { id } = await carol.upload('notes.md', 'x');
    await app.admin.expect(200, 'changeGroup', {
      params: { id: group },
      body: { group: { blocked_extensions: 'md' } },
    });
    await refused('attachment.extension_not_permitted', { attachment: id }, carol);
  });

  testOnce('are refused with 422 to users who may not use them, whatever they request', async () => {
    const [dave, id] = await personWith('dave', { can_use_filelinks: false });
    await refused('link.not_permitted', { attachment: id }, dave);
    await dave.refused(422, 'link.not_permitted', 'listFileLinks');
    await dave.refused(422, 'link.not_permitted', 'deleteFileLink', { params: { id: 'NoSuchLinkNoSuchLinkNo' } });
  });

  test('refuse a date that is invalid, has passed, or is too far ahead, and name the field', async () => {
    const table: [string, string][] = [
      ['link.bad_date', '2026-02-30'],
      ['link.bad_date', '2026-13-01'],
      ['link.bad_date', '20261120'],
      ['link.bad_date', '2026-11-20T00:00:00Z'],
      ['link.bad_date', '20.11.2026'],
      ['link.bad_date', 'tomorrow'],
      ['link.expiry_past', '2026-11-15'],
      ['link.expiry_past', '1999-12-31'],
      ['link.expiry_too_late', '2027-05-16'],
      ['link.expiry_too_late', '9999-12-31'],
    ];
    for (const [code, expires_at] of table) {
      const { body } = await refused(code, { attachment: file, expires_at });
      assert.equal((body as { field: string }).field, 'expires_at', expires_at);
    }
  });

  testOnce('accept a locked value of the group when omitted or repeated, and refuse another one', async () => {
    const [erin, id] = await personWith('erin', {
      filelink_default_expiration: 5,
      filelink_can_change_expiration: false,
      filelink_default_require_authentication: true,
      filelink_can_change_require_authentication: false,
      filelink_default_download_confirmation: false,
      filelink_can_change_download_confirmation: false,
      filelink_can_set_password: false,
    });
    for (const [code, field, value] of [
      ['link.expiry_locked', 'expires_at', '2026-11-20'],
      ['link.setting_locked', 'require_authentication', false],
      ['link.setting_locked', 'download_receipt', true],
      ['link.setting_locked', 'password', 'correct horse'],
    ] as const) {
      const { body } = await refused(code, { attachment: id, [field]: value }, erin);
      assert.equal((body as { field: string }).field, field);
    }
    const defaults = {
      expires_at: '2026-11-21',
      require_authentication: true,
      send_download_confirmation: false,
    };
    for (const settings of [{}, { ...defaults, password: '' }]) {
      const link = await linkTo(erin, id, settings);
      assert.deepEqual({ ...link, ...defaults }, link);
    }
    assert.equal((await attachmentRow(app, id)).reference_count, 2);
  });

  testOnce('end at the latest on the last day that the group permits', async () => {
    const [frank, id] = await personWith('frank', { filelink_default_expiration: 1, filelink_max_expiration: 3 });
    const { body } = await refused('link.expiry_too_late', { attachment: id, expires_at: '2026-11-20' }, frank);
    assert.match((body as { errors: string[] }).errors[0]!, /Thursday 19 November 2026/);
    assert.equal((await linkTo(frank, id, { expires_at: '2026-11-19' })).expires_at, '2026-11-19');
    assert.equal((await linkTo(frank, id)).expires_at, '2026-11-17');
  });

  testOnce('refuse a limit that is no whole number', async () => {
    for (const limit of ['-1', '1.5', '1e1', 'all', ' 1', '0x1'])
      await alice.refused(422, 'link.bad_limit', 'listFileLinks', { query: { limit } });
  });

  test('are a 404 with the same text if unknown, of another user or deleted', async () => {
    const theirs = await newLink(bob);
    const deleted = await newLink(alice);
    await alice.expect(200, 'deleteFileLink', { params: { id: deleted.id } });
    for (const call of ['getFileLink', 'deleteFileLink'] as const) {
      const bodies = [];
      for (const id of [theirs.id, deleted.id, 'NoSuchLinkNoSuchLinkNo', 'short']) {
        const { body } = await alice.refused(404, 'link.not_found', call, { params: { id } });
        bodies.push({ ...(body as object), request_id: '' });
      }
      for (const body of bodies) assert.deepEqual(body, bodies[0]);
    }
    await getLink(bob, theirs.id);
  });

  testOnce('use the defaults of the group without settings', async () => {
    const big = await alice.upload('Großer Plan.bin', someBytes(150_000));
    const link = await linkTo(alice, big.id);
    const now = new Date(app.clock.now()).toISOString();
    assert.deepEqual(link, {
      id: link.id,
      filename: 'Großer Plan.bin',
      size: 150_000,
      size_human: '146 KB',
      expires_at: '2026-11-30',
      send_download_confirmation: true,
      require_authentication: false,
      url: `${app.url}/link/${link.id}`,
      created_at: now,
      updated_at: now,
    });
    assert.deepEqual(await getLink(alice, link.id), link);
    for (const settings of [
      { expires_at: null, password: null, download_receipt: null, require_authentication: null },
      { expires_at: '', password: '' },
    ]) {
      const same = await linkTo(alice, big.id, settings);
      assert.deepEqual(same, { ...link, id: same.id, url: same.url });
    }
  });

  test('apply every field, also with the names of old clients', async () => {
    for (const [value, isOn] of [
      [true, true],
      [false, false],
      ['true', true],
      ['false', false],
      [1, true],
      [0, false],
    ] as const) {
      const link = await linkTo(alice, file, {
        expires_at: '2026-12-24',
        password: 'correct horse',
        download_receipt: value,
        require_authentication: value,
      });
      assert.equal(link.expires_at, '2026-12-24');
      assert.equal(link.send_download_confirmation, isOn);
      assert.equal(link.require_authentication, isOn);
    }
    assert.equal((await linkTo(alice, file, { send_download_confirmation: false })).send_download_confirmation, false);
    await linkTo(alice, file, { unknown_field: 'is ignored' });
  });

  testOnce('accept today and the last permitted day', async () => {
    for (const expires_at of ['2026-11-16', '2027-05-15'])
      assert.equal((await linkTo(alice, file, { expires_at })).expires_at, expires_at);
  });

  test('return and store no password, not even as a hash that could be computed', async () => {
    const password = 'Xylophone-7-lamps';
    const reply = await alice.expect(200, 'createFileLink', { body: { link: { attachment: file, password } } });
    const { link } = wireForm(fileLinkAnswer, reply.body);
    const answers = [
      reply,
      await alice.expect(200, 'getFileLink', { params: { id: link.id } }),
      await alice.expect(200, 'listFileLinks'),
      await alice.expect(200, 'updateAuthentication', {
        params: { id: link.id },
        body: { require_authentication: true },
      }),
    ];
    for (const answer of answers) assert.doesNotMatch(answer.text, /Xylophone|password|argon|hash/i);
    const { read } = app.app.ctx.db;
    const row = await read.selectFrom('file_links').selectAll().where('id', '=', link.id).executeTakeFirstOrThrow();
    assert.match(row.password_hash!, /argon2id/);
    const events = await read.selectFrom('events').selectAll().where('object_id', '=', link.id).execute();
    assert.ok(events.length > 0);
    assert.doesNotMatch(JSON.stringify([row, events]), /Xylophone/);
  });

  testOnce('are listed newest first, as many as requested, for their owner only', async () => {
    const grace = await app.person('grace');
    assert.deepEqual(await listLinks(grace), []);
    const made: string[] = [];
    for (let count = 0; count < 3; count++) {
      made.unshift((await newLink(grace)).id);
      app.clock.advance(1000);
    }
    const ids = async (query: Record<string, string> = {}) => (await listLinks(grace, query)).map((link) => link.id);
    assert.deepEqual(await ids(), made);
    assert.deepEqual(await ids({ limit: '' }), made);
    assert.deepEqual(await ids({ limit: '0' }), []);
    assert.deepEqual(await ids({ limit: '1' }), made.slice(0, 1));
    assert.deepEqual(await ids({ limit: '2' }), made.slice(0, 2));
    assert.deepEqual(await ids({ limit: '999999999' }), made);
    assert.deepEqual(await ids({ limit: '9'.repeat(40) }), made);
    assert.deepEqual(await getLink(grace, made[0]!), (await listLinks(grace))[0]);
  });

  test('are listed completely and in order at any number, and with any page size', async () => {
    const heidi = await app.person('heidi');
    const { id } = await newLink(heidi);
    const { db } = app.app.ctx;
    const seed = await db.read.selectFrom('file_links').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const copies = Array.from({ length: 450 }, (_, index) => ({
      ...seed,
      id: `Copy${String(index).padStart(18, '0')}`,
      // Many share a timestamp, so that pages end among them.
      created_at: seed.created_at + 1 + Math.floor(index / 150),
    }));
    await db.write((tx) => tx.insertInto('file_links').values(copies).execute());
    const all = [...copies.toReversed().map((copy) => copy.id), id];
    assert.deepEqual(
      (await listLinks(heidi)).map((link) => link.id),
      all,
    );
    assert.deepEqual(
      (await listLinks(heidi, { limit: '203' })).map((link) => link.id),
      all.slice(0, 203),
    );
  });

  test('answer a deletion with 200 and an empty body once, then 404, and the last one deletes the file', async () => {
    const { id: attachment } = await alice.upload('shared.txt', 'x');
    const [first, second] = [await linkTo(alice, attachment), await linkTo(alice, attachment)];
    for (const [link, state] of [
      [first, 'ready'],
      [second, 'erased'],
    ] as const) {
      assert.equal((await alice.expect(200, 'deleteFileLink', { params: { id: link.id } })).text, '');
      await alice.refused(404, 'link.not_found', 'deleteFileLink', { params: { id: link.id } });
      assert.equal((await attachmentRow(app, attachment)).state, state);
    }
    assert.equal((await attachmentRow(app, attachment)).data_key_wrapped, null);
    assert.ok(!(await listLinks(alice)).some((link) => [first.id, second.id].includes(link.id)));
  });

  test('are deleted by one of two concurrent deletes; the others find nothing', async () => {
    const { id: attachment } = await alice.upload('twice.txt', 'x');
    const [link] = [await linkTo(alice, attachment), await linkTo(alice, attachment)];
    const replies = await Promise.all([1, 2, 3].map(() => alice.call('deleteFileLink', { params: { id: link.id } })));
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 404, 404]);
    assert.equal((await attachmentRow(app, attachment)).reference_count, 1);
  });

  testOnce('are in no list from the first instant after their day', async () => {
    const link = await newLink(alice, { expires_at: '2026-11-16' });
    const isListed = async () => (await listLinks(alice)).some(({ id }) => id === link.id);
    app.clock.set(Date.UTC(2026, 10, 16, 23, 59, 59, 999));
    assert.equal(await isListed(), true);
    app.clock.set(Date.UTC(2026, 10, 17));
    assert.equal(await isListed(), false);
  });

  test('delete their file immediately when deleted after expiry', async () => {
    const { id: attachment } = await alice.upload('late.txt', 'x');
    const link = await linkTo(alice, attachment, { expires_at: '2026-11-18' });
    app.clock.advance(3 * dayMs);
    await app.app.jobs.runOnce('expire');
    assert.equal((await attachmentRow(app, attachment)).state, 'ready');
    await alice.expect(200, 'deleteFileLink', { params: { id: link.id } });
    assert.equal((await attachmentRow(app, attachment)).data_key_wrapped, null);
  });
});
