// A lock between processes of one machine that ends with its process, however that ends: the lock of an empty SQLite file,
// which the system takes away with the process.
import { DatabaseSync } from 'node:sqlite';

const busy = 5;

/** Null while another process has it. The file stays, empty: removing it could remove the lock of the next process. */
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
