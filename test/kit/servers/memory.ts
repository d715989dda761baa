// Where temporary files of tests wait for no disk. Creating the hundreds of files of a database costs a tenth there of
// what it costs on a disk that is busy.
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const place = '/dev/shm';
/** Files of three lanes and a cluster of PostgreSQL at once take less than half of it. */
const roomBytes = 4 * 1024 ** 3;

/** Gone when this process ends. Null if the machine has no such place, or not enough room in it. */
export function folderInMemory(): string | null {
  try {
    const { bavail, bsize } = statfsSync(place);
    if (Math.min(bavail * bsize, freemem()) < roomBytes) return null;
    const folder = mkdtempSync(join(place, 'waybill-test-'));
    process.once('exit', () => remove(folder));
    return folder;
  } catch {
    return null; // there is no such place, or it may not be used
  }
}

/** What still runs may write while it is removed; then something stays until the machine restarts. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {}
}
