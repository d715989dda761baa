// Processor time of processes, from /proc. Linux only.
import { readFileSync } from 'node:fs';
import { familyOf } from './memory-use.ts';

const ticksPerSecond = 100;

/** Of a process and its descendants; what has ended is not counted, and workers do not end. */
export function processorSeconds(pid: number): number {
  return familyOf(pid).reduce((sum, one) => sum + ticks(one, [11, 12]), 0) / ticksPerSecond;
}

/** Of the load generators: the one that stays, and programs that were started for a turn and have ended. */
export function generatorSeconds(loadPid: number): number {
  return processorSeconds(loadPid) + ticks(process.pid, [13, 14]) / ticksPerSecond;
}

/** Fields of `stat`, counted from the end of the name: that is in parentheses and may hold anything. */
function ticks(pid: number, fields: number[]): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.reduce((sum, field) => sum + Number(values[field]), 0);
}
