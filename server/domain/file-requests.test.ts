import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestAt, type StoredRequest } from './file-requests.ts';

test('an open request expires at its end; an answered or closed one does not', () => {
  const stateAt = (state: StoredRequest['state'], now: number) =>
    requestAt({ state, expiresAt: 100 } as StoredRequest, now).state;
  assert.deepEqual([stateAt('open', 99), stateAt('open', 100), stateAt('open', 101)], ['open', 'expired', 'expired']);
  assert.deepEqual([stateAt('used', 101), stateAt('closed', 101)], ['used', 'closed']);
});
