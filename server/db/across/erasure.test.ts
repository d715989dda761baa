import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { type Erasure, erasedDomain } from '../../domain/erasures.ts';
import type { MessagesTable, Query, Tables } from '../schema/schema.ts';
import {
  blankTextsOf,
  countWrittenBy,
  findLateTraces,
  removeMentions,
  replaceAddresses,
  replaceId,
} from './erasure.ts';

const ann = 'ann@example.org';
const erasure: Erasure = {
  id: 'nobody',
  userId: 'ann',
  name: 'Miller',
  addresses: [ann],
  substitutes: ['erased-1@erased.invalid'],
  sweptSeq: 0,
  createdAt: 0,
};
const [substitute] = erasure.substitutes;

type Texts = Pick<MessagesTable, 'id' | 'subject_sealed' | 'body_sealed'>;

describe('Texts of a person', () => {
  const rows = useRows();
  const written = (id: string, owner_id: string) => ({
    id,
    owner_id,
    subject_sealed: Buffer.from('subject'),
    body_sealed: Buffer.from('body'),
  });
  const textsOf = ({ keys }: Query, { id, subject_sealed, body_sealed }: Texts) => [
    keys.openText('text', subject_sealed, `${id}/subject`),
    keys.openText('text', body_sealed, `${id}/body`),
  ];

  test('become empty in their messages', async () => {
    const message = (id: string, owner_id: string) => ({
      ...written(id, owner_id),
      html_sealed: Buffer.from('html'),
      sender: ann,
      sender_name: 'Miller',
    });
    rows.put('messages', message('bobs', 'bob'), message('anns', 'ann'), message('second', 'ann'));
    const [bobs] = rows.all('messages');
    await blankTextsOf(rows.db, 'ann', 7);
    const [stays, ...blank] = rows.all('messages');
    assert.deepEqual(stays, bobs);
    for (const one of blank) {
      assert.deepEqual(textsOf(rows.db, one), ['', '']);
      assert.deepEqual([one.html_sealed, one.sender, one.sender_name, one.updated_at], [null, '', '', 7]);
    }
  });

  test('become empty in their requests, which end', async () => {
    const request = (id: string, owner_id: string) => ({ ...written(id, owner_id), state: 'open' }) as const;
    rows.put('file_requests', request('bobs', 'bob'), request('anns', 'ann'), request('second', 'ann'));
    assert.deepEqual(await countWrittenBy(rows.db, 'ann'), { requests: 2 });
    const [bobs] = rows.all('file_requests');
    await blankTextsOf(rows.db, 'ann', 7);
    const [stays, ...blank] = rows.all('file_requests');
    assert.deepEqual(stays, bobs);
    for (const one of blank) {
      assert.deepEqual(textsOf(rows.db, one), ['', '']);
      assert.deepEqual([one.state, one.updated_at], ['closed', 7]);
    }
  });

  test('are gone from the names of their files', async () => {
    const file = (id: string, owner_id: string) => ({ id, owner_id, name_sealed: Buffer.from('name') });
    rows.put('attachments', file('bobs', 'bob'), file('anns', 'ann'), file('second', 'ann'));
    await blankTextsOf(rows.db, 'ann', 7);
    const [bobs, ...blank] = rows.all('attachments');
    assert.equal(bobs?.name_sealed.toString(), 'name');
    for (const { id, name_sealed } of blank) assert.equal(rows.db.keys.openText('name', name_sealed, id), 'erased');
  });
});

describe('The id of a person', () => {
  const rows = useRows();

  test('replaces that of the account, which has no personal values', async () => {
    const facts = { drop_name: 'drop', totp_sealed: Buffer.from('secret'), language: 'de', last_seen_at: 5 };
    const account = { ...facts, totp_state: 'on', created_at: 3, stored_bytes: 9 } as const;
    const bob = { ...account, id: 'bob', email: 'bob', drop_name: 'bobs' };
    rows.put('users', bob, { ...account, id: 'ann', email: 'ann', state: 'deleted' });
    const [bobs, anns] = rows.all('users');
    const empty = { drop_name: null, totp_sealed: null, language: null, last_seen_at: null };
    await replaceId(rows.db, erasure);
    const left = { ...anns, ...empty, id: 'nobody', totp_state: 'off', created_at: 0 };
    assert.deepEqual(rows.all('users'), [bobs, left]);
  });

  test('takes uploads with it that are over, and stays with those that are not', async () => {
    const upload = (id: string, owner_id: string, state: 'open' | 'sealing' | 'ready' | 'failed' | 'abandoned') => ({
      id,
      owner_id,
      name_lookup: Buffer.from(id),
      state,
    });
    rows.put('users');
    rows.put(
      'uploads',
      upload('ready', 'ann', 'ready'),
      upload('open', 'ann', 'open'),
      upload('failed', 'ann', 'failed'),
      upload('sealing', 'ann', 'sealing'),
      upload('abandoned', 'ann', 'abandoned'),
      upload('bobs', 'bob', 'ready'),
    );
    await replaceId(rows.db, erasure);
    assert.deepEqual(
      rows.all('uploads').map(({ id, owner_id }) => [id, owner_id]),
      [
        ['open', 'nobody'],
        ['sealing', 'nobody'],
        ['bobs', 'bob'],
      ],
    );
  });

  test('takes counters of attempts and networks of sign-ins with it', async () => {
    rows.put('users');
    rows.put(
      'attempts',
      { key: 'anns', about: 'ann' },
      { key: 'bobs', about: 'bob' },
      { key: 'of a network', about: '' },
    );
    const network = (user_id: string) => ({ user_id, network_hash: Buffer.from(user_id) });
    rows.put('sign_in_networks', network('ann'), network('bob'));
    await replaceId(rows.db, erasure);
    assert.deepEqual(
      rows.all('attempts').map(({ key }) => key),
      ['bobs', 'of a network'],
    );
    assert.deepEqual(
      rows.all('sign_in_networks').map(({ user_id }) => user_id),
      ['bob'],
    );
  });

  test('is noticed when it was written late, and so is an address', async () => {
    const traces = async (db: Query) => [...(await findLateTraces(db, [erasure]))];
    const session: Among<'sessions'> = { table: 'sessions', right: { user_id: 'ann' }, wrong: { user_id: 'bob' } };
    await rows.finds(session, traces, [erasure]);
    rows.put('sessions');
    const proof: Among<'proofs'> = { table: 'proofs', right: { address: ann }, wrong: { address: 'bob@example.org' } };
    await rows.finds(proof, traces, [erasure]);
  });
});

describe('Addresses of a person', () => {
  const rows = useRows();
  const bob = 'bob@example.org';
  const replace = () => replaceAddresses(rows.db, erasure, 7);

  test('are others in the log, and so is where they and their owner were', async () => {
    const seen = { remote_ip: '192.0.2.1', browser: 'Browser', latitude: 1 };
    const nowhere = { remote_ip: '', browser: '', latitude: null };
    const fetched: Among<'downloads'> = {
      table: 'downloads',
      right: { ...seen, owner_id: 'bob', kind: 'visitor', recipient: ann },
      wrong: { recipient: bob },
    };
    await rows.changes(fetched, replace, { ...nowhere, recipient: substitute });
    const own: Among<'downloads'> = {
      table: 'downloads',
      right: { ...seen, owner_id: 'nobody', kind: 'owner', recipient: '' },
      wrong: { owner_id: 'bob', kind: 'visitor' },
    };
    await rows.changes(own, replace, nowhere);
  });

  test('are no longer known by the requests for bytes', async () => {
    const erase = () => {
      rows.put(
        'downloads',
        { owner_id: 'bob', number: 7, recipient: ann },
        { owner_id: 'bob', number: 8, recipient: bob },
        { owner_id: 'nobody', number: 7, kind: 'owner' },
      );
      return replace();
    };
    const seen = { remote_ip: '192.0.2.1', user_agent: 'Browser', api_key_id: 'key', proof_id: 'proof', request: 1 };
    const gone = { remote_ip: '', user_agent: '', api_key_id: '', proof_id: '' };
    const fetched: Among<'download_requests'> = {
      table: 'download_requests',
      right: { ...seen, owner_id: 'bob', number: 7 },
      wrong: { owner_id: 'carol', number: 8 },
    };
    await rows.changes(fetched, erase, gone);
    await rows.changes({ ...fetched, right: { ...fetched.right, owner_id: 'nobody' } }, erase, gone);
  });

  test('are others in messages and requests, which they get no more of', async () => {
    const sent: Among<'messages'> = {
      table: 'messages',
      right: { sender: ann, sender_name: 'Miller' },
      wrong: { sender: bob },
    };
    await rows.changes(sent, replace, { sender: substitute, sender_name: '' });
    const recipient: Among<'message_recipients'> = {
      table: 'message_recipients',
      right: { address: ann, state: 'active', domain: 'example.org' },
      wrong: { address: bob },
    };
    const revoked = { address: substitute, state: 'revoked', revoked_at: 7, domain: erasedDomain } as const;
    await rows.changes(recipient, replace, revoked);
    const asked: Among<'file_requests'> = {
      table: 'file_requests',
      right: { recipient: ann, recipient_domain: 'example.org', state: 'open' },
      wrong: { recipient: bob },
    };
    const closed = { recipient: substitute, recipient_domain: erasedDomain, state: 'closed' } as const;
    await rows.changes(asked, replace, closed);
  });

  test('take what was of use to them alone', async () => {
    const proof: Among<'proofs'> = { table: 'proofs', right: { address: ann }, wrong: { address: bob } };
    await rows.changes(proof, replace, null);
  });
});

describe('What names a person', () => {
  const rows = useRows();
  const bob = 'bob@example.org';
  const remove = async <Table extends keyof Tables>(
    table: Table,
    { one, beside }: { one: Partial<Tables[Table]>; beside: Partial<Tables[Table]> },
    becomes: Partial<Tables[Table]> | null,
  ) => {
    rows.put(table, beside, one);
    const [stays, was] = rows.all(table);
    await removeMentions(rows.db, erasure);
    assert.deepEqual(rows.all(table), becomes === null ? [stays] : [stays, { ...was, ...becomes }]);
  };

  test('goes where it is what a send asked for', async () => {
    for (const other of [bob, `jo${ann}`]) {
      const send = (id: string, address: string) => ({ id, facts: `["${address}"]` });
      await remove('sends', { one: send('one', ann), beside: send('beside', other) }, null);
    }
  });

  test('is another in tasks, and gone from the pages of functions', async () => {
    const beside = { id: 'beside', input: '{ "who": "bob" }', progress: `{ "at": "${bob}" }` };
    const atStart = { id: 'one', input: '{"who":"ann"}', progress: '{}' };
    await remove('tasks', { one: atStart, beside }, { input: '{"who":"nobody"}' });
    const later = { id: 'one', input: '{}', progress: `{"at":"${ann}"}` };
    await remove('tasks', { one: later, beside }, { progress: `{"at":"${substitute}"}` });
    const drop = (id: string, receivers: string) => ({ id, name: id, receivers });
    const drops = { one: drop('one', '["bob","ann"]'), beside: drop('beside', '[ "bob" ]') };
    await remove('system_drops', drops, { receivers: '["bob"]' });
  });

  test('is another in the reasons of holds, and a name alone only where they are about the person', async () => {
    const hold = (id: string, target_id: string, reason: string, lift_reason: string) => ({
      id,
      target_kind: 'user' as const,
      target_id,
      reason,
      lift_reason,
    });
    const beside = hold('beside', 'bob', 'Miller', 'Miller');
    const about = hold('one', 'nobody', 'Miller', 'Miller left');
    await remove('legal_holds', { one: about, beside }, { reason: '…', lift_reason: '… left' });
    const set = hold('one', 'carol', `Told by ${ann}`, '');
    await remove('legal_holds', { one: set, beside }, { reason: `Told by ${substitute}` });
    const lifted = hold('one', 'carol', '', `Told by ${ann}`);
    await remove('legal_holds', { one: lifted, beside }, { lift_reason: `Told by ${substitute}` });
  });

  test('is a statement about what one of their addresses was exposed to', async () => {
    const sealed = (address: string, id: string) =>
      rows.db.keys.sealText('text', JSON.stringify({ about: { address } }), `statement/${id}`);
    const statement: Among<'statements'> = {
      table: 'statements',
      right: { id: 'one', kind: 'exposure', about_user_id: '', document_sealed: sealed(ann, 'one') },
      wrong: { kind: 'leave', about_user_id: 'bob', document_sealed: sealed(bob, 'one') },
    };
    await rows.changes(statement, (tx) => removeMentions(tx, erasure), null);
    const beside = { ...statement.right, id: 'beside', document_sealed: sealed(bob, 'beside') };
    await remove('statements', { one: statement.right, beside }, null);
  });
});
