// Prevents two simultaneous runs of one command from sending twice. The lock names its process and
// is invalid once that process has ended.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { localFailure } from './failures.ts';

/** A killed process needs a moment to end. */
const dyingMs = 1_000;
const lookAgainMs = 50;

/** Creates the lock file; the caller removes it when done. */
export function takeLock(lock: string): void {
  const giveUpAt = performance.now() + dyingMs;
  for (;;) {
    try {
      writeFileSync(lock, `${process.pid} ${factsOf(process.pid)?.startedAt ?? ''}`, { flag: 'wx', mode: 0o600 });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const text = readFileSync(lock, { encoding: 'utf8', flag: 'a+' });
    const [holder = '', startedAt = ''] = text.split(' ');
    const isLate = performance.now() > giveUpAt;
    // Empty: it is being written, or a power cut interrupted that.
    const isTaken = text === '' ? !isLate : isHeld(Number(holder), startedAt);
    if (!isTaken) takeAway(lock, text);
    else if (isLate) throw localFailure(`the same command is running already (process ${holder})`, 'job.running');
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookAgainMs);
  }
}

/** Of two runs that find a stale lock, the second must not remove the new lock of the first. */
function takeAway(lock: string, text: string): void {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    const found = readFileSync(aside, 'utf8');
    if (found !== text) writeFileSync(lock, found, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    // Removed or created again by another run.
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  rmSync(aside, { force: true });
}

function isHeld(pid: number, startedAt: string): boolean {
  if (!Number.isInteger(pid) || pid < 1 || pid === process.pid || !isThere(pid)) return false;
  const facts = factsOf(pid);
  if (facts === null) return true;
  // A zombie, or another program with the same process id.
  return !'ZX'.includes(facts.state) && (startedAt === '' || startedAt === facts.startedAt);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** From /proc; null on other systems. */
function factsOf(pid: number): { state: string; startedAt: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name comes first, in brackets, and may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0]!, startedAt: fields[19]! };
  } catch {
    return null;
  }
}
