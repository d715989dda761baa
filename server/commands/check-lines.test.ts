import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '../lib/log.ts';
import { createCheckLines, forwardCheckLines } from './check-lines.ts';

test('a fault that several workers find is logged once, and so is its end in the last of them', () => {
  const lines: string[] = [];
  const keep = (_facts: object, sentence: string) => void lines.push(sentence);
  const log = { ...silentLog, info: keep, error: keep };
  const supervisor = createCheckLines(log);
  const workers = [1, 2, 3].map((id) => forwardCheckLines(log, (line) => supervisor.take(id, line)));
  for (const worker of workers) worker.error({ check: 'database' }, 'unreachable');
  workers[0]!.info({ check: 'database' }, 'works again (1)');
  assert.deepEqual(lines.splice(0), ['unreachable']);
  assert.deepEqual(supervisor.failing(), ['database']);
  supervisor.ended(3);
  workers[1]!.info({ check: 'database' }, 'works again (2)');
  workers[0]!.error({ check: 'storage' }, 'read-only');
  workers[0]!.error({ job: 'tidy' }, 'another line');
  assert.deepEqual(lines, ['works again (2)', 'read-only', 'another line']);
  assert.deepEqual(supervisor.failing(), ['storage']);
});
