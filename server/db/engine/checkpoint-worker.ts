// Runs checkpoints in a worker thread, because they sync files and copy pages and would block the event loop. Answers
// each message once, in order.
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointAnswer, CheckpointMode } from './checkpoint.ts';
import { openSqliteConnection } from './sqlite-open.ts';

/** How long a checkpoint may wait for other connections. PASSIVE never waits. */
const WAIT_MS = { PASSIVE: 0, RESTART: 200, TRUNCATE: 500, VACUUM: 500 };

const { path } = workerData as { path: string };
const database = await openSqliteConnection(path, 'writer');

function checkpoint(mode: CheckpointMode): CheckpointAnswer {
  try {
    database.exec(`PRAGMA busy_timeout=${WAIT_MS[mode]}`);
    if (mode === 'VACUUM') {
      rewrite();
      return { isComplete: true };
    }
    const answer = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
    return { isComplete: answer?.busy === 0 };
  } catch (error) {
    const { message, errcode } = error as { message: string; errcode?: number };
    return { error: { message, errcode } };
  }
}

/** Uses a temporary file next to the database, because neither memory nor a small /tmp may hold a copy of it. */
function rewrite(): void {
  const folder = dirname(path).replaceAll("'", "''");
  database.exec(`PRAGMA temp_store=FILE; PRAGMA temp_store_directory='${folder}'`);
  try {
    database.exec('VACUUM');
  } finally {
    database.exec('PRAGMA temp_store=MEMORY');
  }
}

parentPort!.on('message', (message: CheckpointMode | 'close') => {
  if (message === 'close') {
    database.close();
    parentPort!.close();
    return;
  }
  parentPort!.postMessage(checkpoint(message));
});
