import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { TransferHead } from '../../domain/transfers.ts';
import { describeTransfers, findTransferIds } from './transfer-details.ts';

const head: TransferHead = {
  id: 'one',
  kind: 'message',
  state: 'open',
  ownerId: 'alice',
  sender: null,
  sizeBytes: 9,
  expiresOn: '2026-11-19',
  createdAt: 1,
};

describe('Beside a transfer', () => {
  const rows = useRows();
  const describeIt = async (kind: TransferHead['kind'] = 'message') => {
    const [found] = await describeTransfers(rows.db, [{ ...head, kind }]);
    return [found?.owner?.name, found?.fileCount, found?.recipientCount, found?.recipients];
  };
  const recipient: Among<'message_recipients'> = {
    table: 'message_recipients',
    right: { message_id: 'one', address: 'bob@example.org', role: 'to', state: 'active' },
    wrong: { message_id: 'other', state: 'revoked' },
  };
  before(() => {
    rows.put('groups', { id: 'group', name: 'Group' });
    const user = (id: string, name: string) => ({ id, name, email: id, group_id: 'group' });
    rows.put('users', user('bob', 'Bob'), user('alice', 'Alice'));
  });

  test('are its owner and the number of its files', async () => {
    const attached: Among<'message_attachments'> = {
      table: 'message_attachments',
      right: { message_id: 'one', attachment_id: 'file' },
      wrong: { message_id: 'other' },
    };
    await rows.finds(attached, () => describeIt(), ['Alice', 1, 0, []]);
  });

  test('are the people it still goes to, without the names of blind copies', async () => {
    rows.put('message_attachments');
    await rows.finds(recipient, () => describeIt(), ['Alice', 0, 1, ['bob@example.org']]);
    rows.put('message_recipients', { ...recipient.right, role: 'bcc' });
    assert.deepEqual(await describeIt(), ['Alice', 0, 1, []]);
  });

  test('are the first five of them in their order', async () => {
    rows.put('message_attachments');
    const at = (address: string, position: number) => ({ ...recipient.right, address, position });
    const gone = { ...at('x', 1), state: 'revoked' } as const;
    rows.put('message_recipients', at('b', 3), at('c', 5), at('d', 1), at('a', 0), at('f', 4), at('e', 2), gone);
    assert.deepEqual(await describeIt(), ['Alice', 0, 6, ['a', 'd', 'e', 'b', 'f']]);
  });

  test('is the recipient of a file request', async () => {
    const asked: Among<'file_requests'> = {
      table: 'file_requests',
      right: { id: 'one', recipient: 'bob@example.org' },
      wrong: { id: 'other' },
    };
    await rows.finds(asked, () => describeIt('request'), ['Alice', 0, 1, ['bob@example.org']]);
  });
});

describe('An id', () => {
  const rows = useRows();

  test('leads to transfers by their mails, files and links', async () => {
    const find = () => findTransferIds(rows.db, ['id']);
    const mail: Among<'outbox'> = {
      table: 'outbox',
      right: { id: 'id', message_id: 'message', link_id: 'link', request_id: 'request' },
      wrong: { id: 'other' },
    };
    await rows.finds(mail, find, ['id', 'message', 'link', 'request']);
    rows.put('outbox');
    const attached: Among<'message_attachments'> = {
      table: 'message_attachments',
      right: { message_id: 'message', attachment_id: 'id' },
      wrong: { attachment_id: 'other' },
    };
    await rows.finds(attached, find, ['id', 'message']);
    rows.put('message_attachments');
    const link: Among<'file_links'> = {
      table: 'file_links',
      right: { id: 'link', attachment_id: 'id' },
      wrong: { attachment_id: 'other' },
    };
    await rows.finds(link, find, ['id', 'link']);
  });
});
