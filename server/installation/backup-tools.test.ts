import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ctx } from '../actions/context.ts';
import type { Config } from '../config.ts';
import { createBackupTools } from './backup-tools.ts';

test('without a backup folder no backup is made or tested', async () => {
  const tools = createBackupTools({ backupDir: null } as Config, {} as never);
  assert.equal(tools.schedule, null);
  for (const work of [tools.backUp, tools.drill])
    await assert.rejects(work({} as Ctx), /WAYBILL_BACKUP_DIR is not set/);
});
