// Two runs of one command at the same time would send everything twice. The lock names the process that holds it, and must
// never outlive that process: whoever was killed types the same command again.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { localFailure } from './failures.ts';

/** A process that was killed needs a moment to be gone, more on a busy machine. */
const dyingMs = 1_000;
const lookAgainMs = 50;

/** The file is there when this returns, and is removed by whoever is done. */
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
    // Empty: it is being written this moment, or the power failed while it was.
    const isTaken = text === '' ? !isLate : isHeld(Number(holder), startedAt);
    if (!isTaken) takeAway(lock, text);
    else if (isLate) throw localFailure(`the same command is running already (process ${holder})`, 'job.running');
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookAgainMs);
  }
}

/** Of two that find the same lock left behind, the second must not take away the one that the first has made since. */
function takeAway(lock: string, text: string): void {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    const found = readFileSync(aside, 'utf8');
    if (found !== text) writeFileSync(lock, found, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    // Gone, or made anew, meanwhile.
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  rmSync(aside, { force: true });
}

function isHeld(pid: number, startedAt: string): boolean {
  if (!Number.isInteger(pid) || pid < 1 || pid === process.pid || !isThere(pid)) return false;
  const facts = factsOf(pid);
  if (facts === null) return true;
  // Ended, though its parent has not asked how; or another program that was given the same number.
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

/** As Linux tells them; null elsewhere. */
function factsOf(pid: number): { state: string; startedAt: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name comes before them, in brackets, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0]!, startedAt: fields[19]! };
  } catch {
    return null;
  }
}
