// Triggers garbage collection of network buffers. V8 counts only their small handles, so it
// collects too late: without this a download of 10 GiB takes 165 MB.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const everyBytes = 8 * 1024 * 1024;

type Collect = (options: { type: 'minor' }) => void;

let collector: Collect | null = null;

/** Returns a function to call with the number of bytes that are no longer used. */
export function collecting(): (bytes: number) => void {
  collector ??= findCollector();
  const collect = collector;
  let uncollected = 0;
  return (bytes) => {
    uncollected += bytes;
    if (uncollected < everyBytes) return;
    uncollected = 0;
    collect({ type: 'minor' });
  };
}

function findCollector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
