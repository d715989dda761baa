// Resident memory of a process and its children, from /proc. Linux only.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

export const isMemoryKnown = process.platform === 'linux';

/** Resident now, of the process and all its descendants. */
export function residentBytes(pid: number): number {
  return sum(pid, 'VmRSS');
}

/** The sum of the peaks since `forgetPeak`: a little more than the true common peak. */
export function peakBytes(pid: number): number {
  return sum(pid, 'VmHWM');
}

/** Now, of the process and all its descendants, with shared memory divided among them (PSS). */
export function proportionalBytes(pid: number): number {
  const pss = (one: number) => /^Pss:\s*(\d+)/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'))?.[1] ?? 0;
  return familyOf(pid).reduce((total, one) => total + Number(pss(one)) * 1024, 0);
}

export function forgetPeak(pid: number): void {
  for (const one of familyOf(pid)) writeFileSync(`/proc/${one}/clear_refs`, '5');
}

function sum(pid: number, field: string): number {
  return familyOf(pid).reduce((total, one) => total + Number(fieldOf(one, field) ?? 0) * 1024, 0);
}

/** The process and all its descendants. */
export function familyOf(root: number): number[] {
  const family = [root];
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parentOf = new Map(all.map((name) => [Number(name), Number(fieldOf(Number(name), 'PPid') ?? 0)]));
  for (const parent of family) {
    for (const [pid, itsParent] of parentOf) if (itsParent === parent) family.push(pid);
  }
  return family;
}

/** Null if the process has ended. */
function fieldOf(pid: number, field: string): string | null {
  try {
    return new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? null;
  } catch {
    return null;
  }
}
