// A lock between processes of one machine: a lock on an empty SQLite file, which the system releases when the process
// ends.
import { DatabaseSync } from 'node:sqlite';

const busy = 5;

/**
 * Null while another process holds it. The file is never removed, because that could remove the lock of the next
 * process.
 */
export function lockFile(path: string): Disposable | null {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return null;
    throw error;
  }
  return { [Symbol.dispose]: () => lock.close() };
}
