import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Interrupted } from '../downloads/ticket-requests.ts';
import type { MessageAccess } from './access.ts';
import { archiveFiles } from './tickets.ts';

test('an archive has the files left, or those of the interrupted archive that still exist', () => {
  const file = (attachmentId: string, state = 'ready') => ({ attachmentId, state, scanState: 'free', share: 'active' });
  const namesFor = (used: string[], archive: string[] | null) => {
    const message = { files: [file('a'), file('b'), file('c'), file('gone', 'erased')] };
    const access = { message, isOwner: false, used: new Map(used.map((id) => [id, 1])), downloadLimit: 1 };
    const interrupted = { archive, files: new Set() } as unknown as Interrupted;
    return archiveFiles(access as unknown as MessageAccess, interrupted).map(({ attachmentId }) => attachmentId);
  };
  assert.deepEqual(namesFor([], null), ['a', 'b', 'c']);
  assert.deepEqual(namesFor(['a'], ['a', 'b']), ['b', 'c']);
  assert.deepEqual(namesFor(['a', 'b'], null), ['c']);
  assert.deepEqual(namesFor(['a', 'b'], ['a', 'b', 'gone']), ['a', 'b']);
  assert.deepEqual(namesFor(['a', 'b', 'c'], ['b', 'c']), ['b', 'c']);
  assert.deepEqual(namesFor(['a', 'b', 'c'], null), []);
});
