import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { attachmentRow } from '#test/kit/inside.ts';
import { getLink, type LinkBody, linkTo, listLinks, newLink } from '#test/kit/links.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 24 * 3_600_000;
const today = Date.UTC(2026, 10, 16, 9);

const changes = {
  updateAuthentication: { require_authentication: true },
  updateDownloadConfirmation: { send_download_confirmation: false },
  updateExpiresAt: { expires_at: '2027-01-31' },
} as const;
type Change = keyof typeof changes;
const calls = Object.keys(changes) as Change[];

onEachDatabase('Changing a FileLink', (start) => {
  const app = useApp(start);
  const alice = usePerson(app, 'alice');
  let link: LinkBody;
  before(async () => {
    link = await newLink(alice, { expires_at: '2027-02-28', password: 'correct horse' });
  });

  /** A date some days ahead, as an instant. */
  const dayAhead = (days: number) =>
    new Date(Math.max(today, app.clock.now()) + days * dayMs).toISOString().slice(0, 10);

  async function change(call: Change, id: string, body: object): Promise<LinkBody> {
    return wireForm(fileLinkAnswer, (await alice.expect(200, call, { params: { id }, body })).body).link;
  }

  testOnce('is refused without a key', async () => {
    for (const call of calls)
      await app.anonymous.refused(401, 'credentials.invalid', call, { params: { id: link.id }, body: changes[call] });
    assert.deepEqual(await getLink(alice, link.id), link);
  });

  test('is a 404 with the same text for a link that is unknown, of another user or deleted', async () => {
    const bob = await app.person('bob');
    const deleted = await newLink(alice);
    await alice.expect(200, 'deleteFileLink', { params: { id: deleted.id } });
    const theirs = await newLink(bob);
    for (const call of calls) {
      const bodies = [];
      for (const id of [theirs.id, deleted.id, 'NoSuchLinkNoSuchLinkNo', 'short']) {
        const { body } = await alice.refused(404, 'link.not_found', call, { params: { id }, body: changes[call] });
        bodies.push({ ...(body as object), request_id: '' });
      }
      for (const body of bodies) assert.deepEqual(body, bodies[0]);
    }
    assert.deepEqual(await getLink(bob, theirs.id), theirs);
  });

  testOnce('is a 422 with an empty or invalid body', async () => {
    const wrong: Record<Change, object[]> = {
      updateAuthentication: [
        {},
        { require_authentication: 'maybe' },
        { require_authentication: null },
        [],
        { link: changes.updateAuthentication },
      ],
      updateDownloadConfirmation: [{}, { send_download_confirmation: 3 }, { download_receipt: true }],
      updateExpiresAt: [
        {},
        { expires_at: null },
        { expires_at: 20270131 },
        { expires_at: '' },
        { expires_at: '2026-02-30' },
      ],
    };
    for (const call of calls) {
      for (const body of wrong[call]) await alice.expect(422, call, { params: { id: link.id }, body });
      await alice.expect(422, call, { params: { id: link.id }, bytes: '{' });
    }
    assert.deepEqual(await getLink(alice, link.id), link);
  });

  test('is a 422 with a date that has passed or is too far ahead', async () => {
    for (const [code, expires_at] of [
      ['link.expiry_past', dayAhead(-1)],
      ['link.expiry_too_late', dayAhead(181)],
    ] as const)
      await alice.refused(422, code, 'updateExpiresAt', { params: { id: link.id }, body: { expires_at } });
  });

  testOnce('is a 422 for a setting that the user may not change, also when the value stays the same', async () => {
    const locked = await app.person('locked', {
      group: await app.group('Locked', {
        filelink_can_change_expiration: false,
        filelink_can_change_require_authentication: false,
        filelink_can_change_download_confirmation: false,
      }),
    });
    const theirs = await newLink(locked);
    const same: Record<Change, object> = {
      updateAuthentication: { require_authentication: theirs.require_authentication },
      updateDownloadConfirmation: { send_download_confirmation: theirs.send_download_confirmation },
      updateExpiresAt: { expires_at: theirs.expires_at },
    };
    for (const call of calls) {
      const code = call === 'updateExpiresAt' ? 'link.expiry_locked' : 'link.setting_locked';
      for (const body of [changes[call], same[call]])
        await locked.refused(422, code, call, { params: { id: theirs.id }, body });
    }
    assert.deepEqual(await getLink(locked, theirs.id), theirs);
  });

  test('is a 422 for users who may no longer use FileLinks', async () => {
    const group = await app.group('Was permitted', {});
    const carol = await app.person('carol', { group });
    const theirs = await newLink(carol);
    await app.admin.expect(200, 'changeGroup', {
      params: { id: group },
      body: { group: { can_use_filelinks: false } },
    });
    for (const call of calls)
      await carol.refused(422, 'link.not_permitted', call, { params: { id: theirs.id }, body: changes[call] });
  });

  test('applies the change, returns the whole link, and sets its time of update', async () => {
    let known = await newLink(alice);
    for (const call of calls) {
      app.clock.advance(1000);
      const changed = await change(call, known.id, changes[call]);
      assert.deepEqual(changed, { ...known, ...changes[call], updated_at: new Date(app.clock.now()).toISOString() });
      assert.deepEqual(await getLink(alice, known.id), changed);
      known = changed;
    }
    assert.equal(
      (await change('updateAuthentication', known.id, { require_authentication: 'false' })).require_authentication,
      false,
    );
    assert.equal(
      (await change('updateDownloadConfirmation', known.id, { send_download_confirmation: 'true' }))
        .send_download_confirmation,
      true,
    );
    assert.equal((await change('updateExpiresAt', known.id, { expires_at: dayAhead(0) })).expires_at, dayAhead(0));
  });

  test('accepts only a new date for an expired link, whether or not the job has released it already', async () => {
    const expired = await newLink(alice, { expires_at: dayAhead(0) });
    app.clock.advance(dayMs);
    for (const isReleased of [false, true]) {
      if (isReleased) await app.app.jobs.runOnce('expire');
      for (const call of ['updateAuthentication', 'updateDownloadConfirmation'] as const)
        await alice.refused(422, 'link.expired', call, { params: { id: expired.id }, body: changes[call] });
    }
    await change('updateExpiresAt', expired.id, { expires_at: dayAhead(2) });
    await change('updateAuthentication', expired.id, { require_authentication: true });
  });

  test('reactivates an expired link with a new date while its file exists', async () => {
    for (const isReleased of [false, true]) {
      const { id: attachment } = await alice.upload('back.txt', 'x');
      const gone = await linkTo(alice, attachment, { expires_at: dayAhead(0) });
      app.clock.advance(dayMs);
      if (isReleased) await app.app.jobs.runOnce('expire');
      assert.ok(!(await listLinks(alice)).some(({ id }) => id === gone.id));
      await change('updateExpiresAt', gone.id, { expires_at: dayAhead(10) });
      assert.ok((await listLinks(alice)).some(({ id }) => id === gone.id));
      app.clock.advance(5 * dayMs);
      await app.app.jobs.runOnce('expire');
      await app.app.jobs.runOnce('erase-files');
      const row = await attachmentRow(app, attachment);
      assert.equal(row.state, 'ready');
      assert.equal(row.reference_count, 1);
    }
  });

  test('reactivates a link once from two concurrent changes', async () => {
    const { id: attachment } = await alice.upload('once.txt', 'x');
    const gone = await linkTo(alice, attachment, { expires_at: dayAhead(0) });
    app.clock.advance(dayMs);
    await app.app.jobs.runOnce('expire');
    await Promise.all(
      [2, 3, 4, 5, 6, 7, 8, 9].map((days) => change('updateExpiresAt', gone.id, { expires_at: dayAhead(days) })),
    );
    assert.equal((await attachmentRow(app, attachment)).reference_count, 1);
    await alice.expect(200, 'deleteFileLink', { params: { id: gone.id } });
    assert.equal((await attachmentRow(app, attachment)).data_key_wrapped, null);
  });

  test('is a 422 for a link whose file was erased after the grace time', async () => {
    const { id: attachment } = await alice.upload('erased.txt', 'x');
    const gone = await linkTo(alice, attachment, { expires_at: dayAhead(0) });
    app.clock.advance(dayMs);
    await app.app.jobs.runOnce('expire');
    app.clock.advance(dayMs - 1);
    await app.app.jobs.runOnce('erase-files');
    assert.equal((await attachmentRow(app, attachment)).state, 'ready');
    app.clock.advance(1);
    await app.app.jobs.runOnce('erase-files');
    assert.equal((await attachmentRow(app, attachment)).data_key_wrapped, null);
    await alice.refused(422, 'link.file_gone', 'updateExpiresAt', {
      params: { id: gone.id },
      body: { expires_at: dayAhead(2) },
    });
  });
});
