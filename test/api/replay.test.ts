import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { replayAnswer } from '#contract/admin/policy.ts';
import { deleteOldSends, deleteSendsOf } from '#server/db/messages/sends.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { withIds } from '#test/kit/references.ts';
import { useApp } from '#test/kit/use-app.ts';

type Replay = z.input<typeof replayAnswer>['replay'];
const day = 86_400_000;
const ben = 'ben@harbour.example';

onEachDatabase('replaying changed settings', (start) => {
  const app = useApp(start);
  let group: string;
  let alice: ApiClient;
  before(async () => {
    group = await app.group('Sales', { message_can_use_html: true, message_can_use_anyone: true });
    alice = await newPerson(app, 'alice', { group });
  });

  const replay = async (changes: Record<string, unknown>, days?: number, of = group): Promise<Replay> => {
    const body = { replay: { group: changes, ...(days === undefined ? {} : { days }) } };
    const reply = await app.admin.expect(200, 'replayGroup', { params: { id: of }, body });
    return withIds(app, (reply.body as { replay: Replay }).replay);
  };
  const refusedBy = (found: Replay, id: string) =>
    found.refused.find((send) => send.id === id)?.rules.map(({ code, source }) => `${code} ${source}`);
  const changedIn = (found: Replay, id: string) => found.changed.find((send) => send.id === id)?.values;

  describe('refuses', () => {
    testOnce('an unknown group, an unknown setting, a contradiction, and days that are no longer stored', async () => {
      const call = { body: { replay: { group: {} } } };
      await app.admin.refused(404, 'group.not_found', 'replayGroup', { params: { id: 'nowhere' }, ...call });
      const refused = (code: string, input: unknown) =>
        app.admin.refused(422, code, 'replayGroup', { params: { id: group }, body: { replay: input } });
      await refused('group.unknown_setting', { group: { no_such: 1 } });
      await refused('group.contradiction', { group: { message_max_expiration: 1 } });
      for (const days of [0, 91, -1]) await refused('replay.bad_days', { group: {}, days });
      await refused('request.invalid', { group: {}, days: 1.5 });
    });
  });

  testOnce('each send is named with the rule that would have refused it, in the sentence of the 422', async () => {
    const { id } = await sendMessage(alice, { recipients: [ben], expires_at: '2027-01-10' });
    const found = await replay({ message_max_expiration: 40 });
    assert.deepEqual(refusedBy(found, id), ['message.expiry_too_late message_max_expiration']);
    const [send] = found.refused.filter((one) => one.id === id);
    assert.deepEqual([send!.kind, send!.user], ['message', alice.email]);
    assert.match(send!.rules[0]!.sentence, /^The expiry date is too far ahead for your group\. Choose a date up to/);
    assert.equal(found.complete, true);
  });

  testOnce('recipients, levels, sizes, types, formats, links and requests are checked as they were sent', async () => {
    const rules: [changes: Record<string, unknown>, code: string, make: () => Promise<string>][] = [
      [
        { message_limit_recipients: true, message_recipient_domains: ['example.com'] },
        'message.recipient_not_allowed message_limit_recipients',
        async () => (await sendMessage(alice, { recipients: [ben] })).id,
      ],
      [
        { message_can_use_anyone: false },
        'message.audience_not_permitted message_can_use_anyone',
        async () => (await sendMessage(alice, { recipients: [ben], authorization: 0 })).id,
      ],
      [
        { blocked_extensions: 'pdf' },
        'attachment.extension_not_permitted blocked_extensions',
        async () => (await sendMessage(alice, { recipients: [ben], attachments: [inlineFile('a.PDF', 'x')] })).id,
      ],
      [
        { message_can_use_html: false },
        'message.html_not_permitted message_can_use_html',
        async () =>
          (await sendMessage(alice, { recipients: [ben], message: '<p>Hello</p>', message_format: 'html' })).id,
      ],
      [
        { message_max_size: 1 },
        'message.too_large message_max_size',
        async () => {
          const attachments = [inlineFile('b.bin', Buffer.alloc(1024 * 1024 + 1))];
          return (await sendMessage(alice, { recipients: [ben], attachments })).id;
        },
      ],
      [
        { filelink_can_set_password: false },
        'link.setting_locked filelink_can_set_password',
        () => makeLink({ password: 'open sesame' }),
      ],
      [{ can_use_filelinks: false }, 'link.not_permitted can_use_filelinks', () => makeLink({})],
      [
        { file_request_multiuse_can_change: false },
        'message.setting_locked file_request_multiuse_can_change',
        () => makeRequest({ multiuse: true }),
      ],
      [{ can_use_file_requests: false }, 'request.not_permitted can_use_file_requests', () => makeRequest({})],
    ];
    for (const [changes, rule, make] of rules) {
      const id = await make();
      assert.deepEqual(refusedBy(await replay(changes), id), [rule]);
    }
  });

  async function makeLink(more: Record<string, unknown>): Promise<string> {
    const upload = await alice.expect(200, 'uploadForLink', { query: { filename: 'plan.txt' }, bytes: 'hello' });
    const attachment = (upload.body as { attachment: { id: string } }).attachment.id;
    const { body } = await alice.expect(200, 'createFileLink', { body: { link: { attachment, ...more } } });
    return (body as { link: { id: string } }).link.id;
  }

  async function makeRequest(more: Record<string, unknown>): Promise<string> {
    const request = { recipient: ben, subject: 'Files', message: 'Send them.', ...more };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    return (body as { request: { id: string } }).request.id;
  }

  testOnce('values set by a default would have been different; requested values would not', async () => {
    const byDefault = await sendMessage(alice, { recipients: [ben] });
    const chosen = await sendMessage(alice, { recipients: [ben], authorization: 3, expires_at: '2026-11-20' });
    const found = await replay({ message_default_authorization: 2, message_default_expiration: 10 });
    assert.deepEqual(
      changedIn(found, byDefault.id)
        ?.map(({ field }) => field)
        .toSorted(),
      ['authorization', 'expires_at'],
    );
    assert.deepEqual(
      changedIn(found, byDefault.id)?.find(({ field }) => field === 'authorization'),
      {
        field: 'authorization',
        from: 3,
        to: 2,
      },
    );
    assert.equal(changedIn(found, chosen.id), undefined);
  });

  testOnce('sends keep the group and the rules of their time', async () => {
    const other = await app.group('Elsewhere', { message_max_expiration: 100 });
    const carol = await newPerson(app, 'carol', { group: other });
    const { id } = await sendMessage(carol, { recipients: [ben], expires_at: '2027-01-20' });
    await app.admin.expect(200, 'changeGroup', {
      params: { id: other },
      body: { group: { message_max_expiration: 50 } },
    });
    await app.admin.expect(200, 'changeUser', { params: { id: carol.email }, body: { user: { group } } });
    assert.equal(refusedBy(await replay({ message_max_expiration: 40 }), id), undefined);
    assert.deepEqual(await replay({}, 30, other), { sends: 1, refused: [], changed: [], complete: true });
    // The current value is no change, although it would refuse what was sent before.
    assert.deepEqual((await replay({ message_max_expiration: 50 }, 30, other)).refused, []);
    assert.ok(refusedBy(await replay({ message_max_expiration: 45 }, 30, other), id));
  });

  testOnce('the unchanged group makes no difference', async () => {
    const { body } = await app.admin.expect(200, 'getGroup', { params: { id: group } });
    const found = await replay((body as { group: Record<string, unknown> }).group);
    assert.deepEqual([found.refused, found.changed], [[], []]);
    assert.ok(found.sends > 0);
  });

  test('sends that are too old to be replayed are deleted, of every group, and no others', async () => {
    const { db } = app.app.ctx;
    const rows = ['first', 'middle', 'last'].flatMap((group_id) =>
      [99, 100].map((sent_at) => ({ id: `${group_id} ${sent_at}`, group_id, sent_at })),
    );
    const same = { kind: 'link' as const, user_id: 'unknown', policy_id: 'none', facts: '{}' };
    await db.write((tx) =>
      tx
        .insertInto('sends')
        .values(rows.map((row) => ({ ...row, ...same })))
        .execute(),
    );
    await db.write((tx) => deleteOldSends(tx, 100));
    const left = await db.read
      .selectFrom('sends')
      .select('id')
      .where('user_id', '=', 'unknown')
      .orderBy('id')
      .execute();
    assert.deepEqual(
      left.map(({ id }) => id),
      ['first 100', 'last 100', 'middle 100'],
    );
    await db.write((tx) => deleteSendsOf(tx, 'unknown'));
  });

  test('only the requested days count, and texts are not stored', async () => {
    const quiet = await app.group('Quiet');
    const dora = await newPerson(app, 'dora', { group: quiet });
    await sendMessage(dora, { recipients: [ben], subject: 'Zanzibar', message: 'Zanzibar', expires_at: '2026-12-30' });
    app.clock.advance(3 * day);
    assert.equal((await replay({}, 2, quiet)).sends, 0);
    assert.equal((await replay({}, 4, quiet)).sends, 1);
    const rows = await app.app.ctx.db.read.selectFrom('sends').selectAll().execute();
    assert.ok(!JSON.stringify(rows).includes('Zanzibar'));
    await app.admin.expect(200, 'deleteUser', { params: { id: dora.email } });
    assert.equal((await replay({}, 4, quiet)).sends, 0);
  });

  describe('of very many sends', () => {
    let crowd: string;
    let original: string;
    before(async () => {
      crowd = await app.group('Crowd', { message_can_use_anyone: true });
      const carla = await newPerson(app, 'carla', { group: crowd });
      original = (await sendMessage(carla, { recipients: [ben], authorization: 0 })).id;
    });

    /** Copies of the one send, each a second older than the last. */
    const copy = (from: number, to: number) =>
      app.app.ctx.db.write(async (tx) => {
        const numbers = sql`with recursive numbers (n) as (
          select ${sql.lit(from)} union all select n + 1 from numbers where n < ${sql.lit(to)})`;
        await sql`insert into sends (id, kind, user_id, group_id, policy_id, facts, sent_at) ${numbers}
          select 'copy-' || n, kind, user_id, group_id, policy_id, facts, sent_at - n * 1000 from sends, numbers
          where id = ${original}`.execute(tx);
        await sql`insert into transfer_references (transfer_id, reference) ${numbers}
          select 'copy-' || n, 'COPY-' || n from numbers`.execute(tx);
      });

    testOnce('a thousand are named, each once, and the answer says that there are more', async () => {
      await copy(1, 999);
      const whole = await replay({ message_can_use_anyone: false }, 90, crowd);
      assert.deepEqual([whole.sends, whole.complete], [1_000, true]);
      assert.equal(new Set(whole.refused.map(({ id }) => id)).size, 1_000);
      await copy(1_000, 1_000);
      const cut = await replay({ message_can_use_anyone: false }, 90, crowd);
      assert.deepEqual([cut.sends, cut.refused.length, cut.complete], [1_001, 1_000, false]);
    });
  });
});
