import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import { answerFileRequest, findFileRequest, updateFileRequest } from './file-requests.ts';

describe('Among other requests', () => {
  const rows = useRows();
  const request: Among<'file_requests'> = {
    table: 'file_requests',
    right: { id: 'request', owner_id: 'alice', state: 'open', expires_at: 11 },
    wrong: { id: 'other', state: ['used', 'closed'] },
  };

  test('one is found by its id', async () => {
    const sealed = {
      subject_sealed: rows.db.keys.sealText('text', '', 'request/subject'),
      body_sealed: rows.db.keys.sealText('text', '', 'request/body'),
    };
    const find = async (db: Query) => (await findFileRequest(db, 'request'))?.ownerId;
    await rows.finds({ ...request, right: { ...request.right, ...sealed }, wrong: { id: 'other' } }, find, 'alice');
  });

  test('one is changed while it is as it was seen', async () => {
    const seen = { id: 'request', state: 'open' } as const;
    const changes = { state: 'closed', expiry: { on: '2026-01-02', at: 20 } } as const;
    const becomes = { state: 'closed', expires_on: '2026-01-02', expires_at: 20, updated_at: 9 } as const;
    await rows.changes(request, (tx) => updateFileRequest(tx, seen, changes, 9), becomes);
    await rows.changes(request, (tx) => updateFileRequest(tx, seen, {}, 9), { updated_at: 9 });
  });

  test('one is answered while it is open; once, unless it can be used again', async () => {
    const open: Among<'file_requests'> = { ...request, wrong: { ...request.wrong, expires_at: 10 } };
    const answered = { answered_at: 10, updated_at: 10 };
    await rows.changes(open, (tx) => answerFileRequest(tx, 'request', 10), { ...answered, state: 'used' });
    const reusable: Among<'file_requests'> = { ...open, right: { ...request.right, is_reusable: 1 } };
    await rows.changes(reusable, (tx) => answerFileRequest(tx, 'request', 10), answered);
  });
});
