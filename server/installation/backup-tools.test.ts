import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ctx } from '../actions/context.ts';
import type { Config } from '../config.ts';
import { createBackupTools } from './backup-tools.ts';

test('without a folder for backups none is made or tried, by itself or by hand', async () => {
  const tools = createBackupTools({ backupDir: null } as Config, {} as never);
  assert.equal(tools.schedule, null);
  for (const work of [tools.backUp, tools.drill])
    await assert.rejects(work({} as Ctx), /WAYBILL_BACKUP_DIR is not set/);
});
