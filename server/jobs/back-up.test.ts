import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ctx } from '../actions/context.ts';
import { type BackupTools, createBackUp } from './back-up.ts';

test('no backup is due without a backup folder', async () => {
  const tools = { schedule: null, backUp: () => assert.fail('a backup was made') } as unknown as BackupTools;
  assert.equal(await createBackUp(tools).run({} as Ctx, { isConfirmed: false }), 'not due');
});
