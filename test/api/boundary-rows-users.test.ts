import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { listAccountNames } from '#server/db/contacts/contact-names.ts';
import { listRecentlyAsked, listRecentRecipients } from '#server/db/contacts/contacts.ts';
import {
  consumeDropKey,
  countUsedDropKeys,
  deleteOldDropKeys,
  replaceDropName,
} from '#server/db/filedrops/filedrops.ts';
import { moveDeletedMembers } from '#server/db/groups/groups.ts';
import { addVisit } from '#server/db/messages/message-tracking.ts';
import { listRecipientsOf } from '#server/db/messages/recipients.ts';
import type { Db, Tables, Tx } from '#server/db/schema/schema.ts';
import { endFutureWaits } from '#server/db/system/instants.ts';
import { acceptTotpStep, deleteTotpSecret, findTotpSecret, saveTotpSecret } from '#server/db/users/totp.ts';
import {
  countUsers,
  findLocalAddresses,
  findMemberAtDomain,
  listIdleUsers,
  markUserDeleted,
  noteSeen,
  type UserChanges,
  updateUser,
} from '#server/db/users/users.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { counterRow } from '#test/kit/counters.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

onOneEngine('Among other people', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let db: Db;
  let template: Tables['users'];
  before(async () => {
    ({ db } = app.app.ctx);
    template = await db.read.selectFrom('users').selectAll().executeTakeFirstOrThrow();
  });

  /** Replaces all people but the first administrator. */
  async function people(rows: Record<string, Partial<Tables['users']>>): Promise<void> {
    const whole = Object.entries(rows).map(([id, columns]) => {
      const email = columns.email ?? `${id}@example.com`;
      const own = {
        id,
        email,
        group_id: 'local-users',
        proven_addresses: JSON.stringify([email]),
        drop_name: `drop-${id}`,
      };
      return { ...template, ...own, ...columns };
    });
    await db.write(async (tx) => {
      await tx.deleteFrom('users').where('id', '<>', template.id).execute();
      await tx.insertInto('users').values(whole).execute();
    });
  }
  const rowOf = (id: string) => db.read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  /** Checks that `bob` stays unchanged while `ann` is changed. */
  async function onAnnAlone<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const untouched = await rowOf('bob');
    const result = await db.write(work);
    assert.deepEqual(await rowOf('bob'), untouched);
    return result;
  }

  test('an authenticator app and the time steps of its codes are those of one person', async () => {
    await people({ ann: {}, bob: { totp_last_step: 1 } });
    const secret = Buffer.alloc(20, 7);
    assert.equal(await onAnnAlone((tx) => saveTotpSecret(tx, 'ann', { secret, step: 5 })), true);
    assert.deepEqual(await findTotpSecret(db.read, 'ann'), secret);
    assert.equal(await findTotpSecret(db.read, 'bob'), null);
    const accepted: boolean[] = [];
    for (const step of [4, 5, 6, 6]) accepted.push(await onAnnAlone((tx) => acceptTotpStep(tx, 'ann', step)));
    assert.deepEqual(accepted, [false, false, true, false]);
    await onAnnAlone((tx) => deleteTotpSecret(tx, 'ann'));
    const { totp_state, totp_sealed, totp_last_step } = await rowOf('ann');
    assert.deepEqual([totp_state, totp_sealed, totp_last_step], ['off', null, 0]);
  });

  test('each field of a person is changed separately, and words are found by their new names', async () => {
    const changes: [UserChanges, Partial<Tables['users']>][] = [
      [{ email: 'new@example.com' }, { email: 'new@example.com' }],
      [{ name: 'New Name' }, { name: 'New Name' }],
      [{ groupId: 'external-users' }, { group_id: 'external-users' }],
      [{ state: 'disabled' }, { state: 'disabled' }],
      [{ passwordHash: 'new hash' }, { password_hash: 'new hash' }],
      [{ senderAliases: ['sales@x.example'] }, { sender_aliases: '["sales@x.example"]' }],
      [{ recipientAliases: ['info@x.example'] }, { recipient_aliases: '["info@x.example"]' }],
      [{ provenAddresses: ['p@x.example'] }, { proven_addresses: '["p@x.example"]' }],
      [{ defaultSenderAlias: 'sales@x.example' }, { default_sender_alias: 'sales@x.example' }],
      [{ isDropOpen: false }, { is_drop_closed: 1 }],
      [{ isDropOpen: true }, { is_drop_closed: 0 }],
      [{ language: 'de' }, { language: 'de' }],
    ];
    await people({ ann: {}, bob: {} });
    for (const [change, expected] of changes) {
      const { search_text: _, ...before } = await rowOf('ann');
      await onAnnAlone((tx) => updateUser(tx, 'ann', change, 78));
      const { search_text, ...after } = await rowOf('ann');
      assert.deepEqual(after, { ...before, ...expected, updated_at: 78 });
      for (const word of [change.email, change.name?.toLowerCase(), ...(change.senderAliases ?? [])])
        if (word !== undefined) assert.ok(search_text.includes(word), word);
    }
    const { search_text } = await rowOf('ann');
    assert.equal(search_text.split('\n').length, 4, 'a name and three addresses');
  });

  test('of a deleted person nothing is left that names them or gives access', async () => {
    const full = {
      name: 'Ann',
      sender_aliases: '["a@x.example"]',
      recipient_aliases: '["b@x.example"]',
      default_sender_alias: 'a@x.example',
      password_hash: 'x',
      client_key_sealed: Buffer.from('x'),
      search_text: 'ann',
    };
    await people({ ann: full, bob: full });
    await onAnnAlone((tx) => noteSeen(tx, 'ann', 77));
    assert.equal((await rowOf('ann')).last_seen_at, 77);
    const before = await countUsers(db.read);
    await onAnnAlone((tx) => markUserDeleted(tx, 'ann', 99));
    const row = await rowOf('ann');
    const left = [row.state, row.email, row.name, row.sender_aliases, row.recipient_aliases, row.default_sender_alias];
    assert.deepEqual(left, ['deleted', '', '', '[]', '[]', '']);
    const keys = [row.proven_addresses, row.search_text, row.password_hash, row.client_key_sealed, row.updated_at];
    assert.deepEqual(keys, ['[]', '', null, null, 99]);
    assert.equal(await countUsers(db.read), before - 1);
  });

  test('members of a group stay in it when deleted people are moved', async () => {
    const gone = { state: 'deleted', group_id: 'local-users' } as const;
    await people({ ann: gone, bob: {}, cy: { ...gone, group_id: 'administrators' } });
    await onAnnAlone((tx) => moveDeletedMembers(tx, 'local-users', 'external-users'));
    const groups = await Promise.all(['ann', 'cy'].map(rowOf));
    assert.deepEqual(
      groups.map(({ group_id }) => group_id),
      ['external-users', 'administrators'],
    );
  });

  test('people are idle since they were last seen, or since their creation if they never were', async () => {
    const far = 10 ** 15;
    await people({
      c: { last_seen_at: 99, created_at: 0 },
      b: { last_seen_at: null, created_at: 99 },
      seen: { last_seen_at: 100, created_at: 0 },
      fresh: { last_seen_at: null, created_at: 100 },
      gone: { last_seen_at: 1, created_at: 0, state: 'deleted' },
    });
    await db.write(
      async (tx) =>
        void (await tx.updateTable('users').set({ last_seen_at: far }).where('id', '=', template.id).execute()),
    );
    const idle = async (limit: number) => {
      const found = await listIdleUsers(db.read, { groupId: 'local-users', seenBefore: 100, limit });
      return found.map(({ id }) => id);
    };
    assert.deepEqual(await idle(9), ['b', 'c']);
    assert.deepEqual(await idle(1), ['b']);
  });

  test('local addresses are those of active colleagues, proven, one by one or by the dozen', async () => {
    await people({
      ann: {},
      off: { state: 'disabled' },
      outside: { group_id: 'external-users' },
      unproven: { proven_addresses: '[]' },
      eve: {},
    });
    const asked = ['ann', 'off', 'outside', 'unproven', 'unknown', 'eve'].map((name) => `${name}@example.com`);
    assert.deepEqual([...(await findLocalAddresses(db.read, asked))].toSorted(), [
      'ann@example.com',
      'eve@example.com',
    ]);
    for (const address of asked)
      assert.deepEqual(
        [...(await findLocalAddresses(db.read, [address]))],
        /^(ann|eve)@/.test(address) ? [address] : [],
      );
  });

  test('the person of a domain is an active member of these groups whose address is proven, always the same one', async () => {
    await people({
      a1: { email: 'x@harbour.example', state: 'disabled' },
      a2: { email: 'y@harbour.example', group_id: 'external-users' },
      a3: { email: 'z@other.harbour.example' },
      a4: { email: 'v@harbour.example', proven_addresses: '[]' },
      b2: { email: 'w@harbour.example' },
      b1: { email: 'u@harbour.example' },
    });
    assert.equal((await findMemberAtDomain(db.read, ['local-users'], 'harbour.example'))?.id, 'b1');
    assert.equal((await findMemberAtDomain(db.read, ['external-users'], 'harbour.example'))?.id, 'a2');
    assert.equal(await findMemberAtDomain(db.read, ['local-users'], 'harbour_example'), undefined);
  });

  test('visits are limited by message and kind of visitor; returning visitors are always counted', async () => {
    const { id } = await sendMessage(app.admin, { recipients: ['ben@harbour.example'] });
    const { id: other } = await sendMessage(app.admin, { recipients: ['ben@harbour.example'] });
    const visit = (messageId: string, visitor: string, address: string) => {
      const seen = { browser: '', device: '', network: '', country: '', isScanner: false, at: 1 };
      return db.write((tx) => addVisit(tx, { messageId, visitor, address, ...seen }, { mostRows: 1, apartMs: 0 }));
    };
    assert.deepEqual([await visit(id, 'a', 'a@x.example'), await visit(id, 'b', 'b@x.example')], [true, false]);
    assert.deepEqual([await visit(id, 'a', 'a@x.example'), await visit(id, 'someone', '')], [false, true]);
    assert.deepEqual([await visit(id, 'someone else', ''), await visit(other, 'b', 'b@x.example')], [false, true]);
    const rows = await db.read.selectFrom('message_visits').select(['message_id', 'visitor', 'count']).execute();
    const counts = rows.map((row) => `${row.message_id === id ? 'one' : 'other'} ${row.visitor} ${row.count}`);
    assert.deepEqual(counts.toSorted(), ['one a 2', 'one someone 1', 'other b 1']);
  });

  test('rows delayed by a fast clock are corrected; rows that are meant for the future stay', async () => {
    const now = 1000 * dayMs;
    await sendMessage(app.admin, { recipients: ['ben@harbour.example'], send_email: true });
    const blocked = (key: string, window_ends_at: number) => counterRow({ key, window_ends_at });
    await db.write(async (tx) => {
      await tx.deleteFrom('attempts').execute();
      await tx
        .insertInto('attempts')
        .values([blocked('far', now + 25 * hourMs + 1), blocked('near', now + 25 * hourMs)])
        .execute();
      const [mail] = await tx.selectFrom('outbox').selectAll().limit(1).execute();
      await tx.deleteFrom('outbox').execute();
      const row = (id: string, next_at: number, lease_ends_at: number) => ({
        ...mail!,
        id,
        next_at,
        lease_ends_at,
        group_key: null,
      });
      const rows = [row('far', now + 5 * hourMs + 1, now + hourMs + 1), row('near', now + 5 * hourMs, now + hourMs)];
      await tx.insertInto('outbox').values(rows).execute();
    });
    await db.write((tx) => endFutureWaits(tx, now));
    const doors = await db.read.selectFrom('attempts').select('key').execute();
    assert.deepEqual(doors, [{ key: 'near' }]);
    const mails = await db.read.selectFrom('outbox').select(['id', 'next_at', 'lease_ends_at']).orderBy('id').execute();
    assert.deepEqual(
      mails.map((row) => [row.id, row.next_at, row.lease_ends_at]),
      [
        ['far', now, 0],
        ['near', now + 5 * hourMs, now + hourMs],
      ],
    );
  });

  const dropKey = (id: string, more: Partial<Tables['drop_keys']>): Tables['drop_keys'] => ({
    id,
    lookup: Buffer.from(id),
    owner_id: template.id,
    drop_name: 'page',
    pending_sealed: null,
    state: 'open',
    created_at: 1,
    expires_at: 2,
    network: '',
    opened_at: null,
    active_at: 1,
    ...more,
  });

  test('a new name of a drop page ends the keys of that person under the old one, and no others', async () => {
    await people({ ann: { drop_name: 'page' }, bob: {} });
    const opened = { owner_id: 'ann', opened_at: 1 };
    const rows = [
      dropKey('unopened', { owner_id: 'ann' }),
      dropKey('opened', opened),
      dropKey('used', { ...opened, state: 'used' }),
      dropKey('elsewhere', { ...opened, drop_name: 'another' }),
      dropKey('elsewhere, unopened', { owner_id: 'ann', drop_name: 'another' }),
      dropKey('of bob', { ...opened, owner_id: 'bob' }),
      dropKey('of bob, unopened', { owner_id: 'bob' }),
    ];
    await db.write(async (tx) => void (await tx.insertInto('drop_keys').values(rows).execute()));
    await onAnnAlone((tx) => replaceDropName(tx, 'ann', 'new', 9));
    const { drop_name, updated_at } = await rowOf('ann');
    assert.deepEqual([drop_name, updated_at], ['new', 9]);
    const left = await db.read.selectFrom('drop_keys').select(['id', 'state', 'active_at']).orderBy('id').execute();
    assert.deepEqual(
      left.map(({ id, state, active_at }) => [id, state, active_at]),
      [
        ['elsewhere', 'open', 1],
        ['elsewhere, unopened', 'open', 1],
        ['of bob', 'open', 1],
        ['of bob, unopened', 'open', 1],
        ['opened', 'used', 0],
        ['used', 'used', 1],
      ],
    );
    await db.write(async (tx) => void (await tx.deleteFrom('drop_keys').execute()));
  });

  test('keys of drop pages are deleted a day after their end; deliveries are counted by page, state and time', async () => {
    const now = 10 * dayMs;
    const key = (id: string, more: Partial<Tables['drop_keys']> = {}) =>
      dropKey(id, { state: 'used', created_at: now, expires_at: now, active_at: now, ...more });
    const rows = [
      key('k1'),
      key('k2', { state: 'open' }),
      key('k3', { drop_name: 'another' }),
      key('k4', { created_at: now - 1 }),
      key('k5', { expires_at: now - dayMs, created_at: 0 }),
      key('k6', { expires_at: now - dayMs - 1, created_at: 0 }),
    ];
    await db.write(async (tx) => void (await tx.insertInto('drop_keys').values(rows).execute()));
    assert.equal(await countUsedDropKeys(db.read, 'page', now - 1), 1);
    assert.equal(await countUsedDropKeys(db.read, 'page', now - 2), 2);
    await db.write((tx) => deleteOldDropKeys(tx, now));
    const left = await db.read.selectFrom('drop_keys').select('id').orderBy('id').execute();
    assert.deepEqual(
      left.map(({ id }) => id),
      ['k1', 'k2', 'k3', 'k4', 'k5'],
    );
    const consume = (id: string, at: number) => db.write((tx) => consumeDropKey(tx, id, at));
    assert.equal(await consume('k2', now), false, 'the key ends at this instant');
    assert.equal(await consume('k1', now - 1), false, 'it is used');
    assert.deepEqual([await consume('k2', now - 1), await consume('k2', now - 1)], [true, false]);
  });

  test('names are those of active accounts that have one', async () => {
    await people({
      ann: { name: 'Ann' },
      bob: { name: '' },
      cat: { name: 'Cat', state: 'disabled' },
      dan: { name: 'Dan' },
    });
    const addresses = ['ann', 'bob', 'cat', 'unknown'].map((name) => `${name}@example.com`);
    assert.deepEqual(await listAccountNames(db.read, addresses), [{ address: 'ann@example.com', name: 'Ann' }]);
  });

  test('recipients of several messages are in the order in which they were stored', async () => {
    const lists = [
      ['z@harbour.example', 'a@harbour.example', 'm@harbour.example'],
      ['b@harbour.example', 'a@harbour.example'],
    ];
    const ids: string[] = [];
    for (const recipients of lists) ids.push((await sendMessage(app.admin, { recipients })).id);
    const turned = await db.read.selectFrom('message_recipients').selectAll().where('message_id', 'in', ids).execute();
    // Stored in reverse, so that the order is not that of the rows.
    await db.write(async (tx) => {
      await tx.deleteFrom('message_recipients').where('message_id', 'in', ids).execute();
      for (const row of turned.toReversed()) await tx.insertInto('message_recipients').values(row).execute();
    });
    const found = await listRecipientsOf(db.read, ids);
    assert.deepEqual(
      ids.map((id) => found.get(id)!.map(({ address }) => address)),
      lists,
    );
    assert.equal((await listRecipientsOf(db.read, [])).size, 0);
  });

  test("contacts are those of the user's own messages and requests, the newest first, up to a number", async () => {
    await people({ ann: {}, bob: {} });
    const { id } = await sendMessage(app.admin, { recipients: ['x@harbour.example'], bcc: [] });
    const message = await db.read.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const recipient = await db.read
      .selectFrom('message_recipients')
      .selectAll()
      .where('message_id', '=', id)
      .executeTakeFirstOrThrow();
    await app.admin.expect(200, 'createFileRequest', { body: { request: { recipient: 'x@harbour.example' } } });
    const request = await db.read.selectFrom('file_requests').selectAll().executeTakeFirstOrThrow();
    const sent = (id: string, owner_id: string, created_at: number, origin: 'sent' | 'filedrop' = 'sent') => ({
      ...message,
      id,
      owner_id,
      created_at,
      origin,
    });
    await db.write(async (tx) => {
      const messages = [
        sent('old', 'ann', 1),
        sent('new', 'ann', 3),
        sent('in', 'ann', 4, 'filedrop'),
        sent('his', 'bob', 5),
      ];
      await tx.insertInto('messages').values(messages).execute();
      const to = messages.map(({ id: message_id }) => ({
        ...recipient,
        message_id,
        address: `${message_id}@pier.example`,
      }));
      await tx.insertInto('message_recipients').values(to).execute();
      const asked = [
        { ...request, id: 'old', owner_id: 'ann', created_at: 1, recipient: 'old@quay.example' },
        { ...request, id: 'new', owner_id: 'ann', created_at: 3, recipient: 'new@quay.example' },
        { ...request, id: 'his', owner_id: 'bob', created_at: 5, recipient: 'his@quay.example' },
      ];
      await tx.insertInto('file_requests').values(asked).execute();
    });
    for (const [list, domain] of [
      [listRecentRecipients, 'pier.example'],
      [listRecentlyAsked, 'quay.example'],
    ] as const) {
      const [newest, old] = [
        { address: `new@${domain}`, at: 3 },
        { address: `old@${domain}`, at: 1 },
      ];
      assert.deepEqual(await list(db.read, 'ann', 10), [newest, old]);
      assert.deepEqual(await list(db.read, 'ann', 1), [newest]);
      assert.deepEqual(await list(db.read, 'unknown', 10), []);
    }
  });
});
