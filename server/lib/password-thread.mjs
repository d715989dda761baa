// The other end of password-threads.ts: a thread that hashes what it is sent, one after the other, and gives way to the
// rest of the process. Knows no password: what it gets went through the pepper. Not TypeScript: a thread that has to strip
// types first takes 10 MB more.
import { argon2Sync } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';

try {
  // On Linux a priority belongs to a thread, and this link names ours: `<process>/task/<thread>`. Counted from that of the
  // process, which may have been started with a low one.
  const niceness = Math.min(constants.priority.PRIORITY_LOW, getPriority() + workerData.niceness);
  setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), niceness);
} catch {
  // Elsewhere hashing takes as much of the processor as everything else.
}

parentPort?.on('message', (/** @type {import('node:crypto').Argon2Parameters} */ settings) => {
  parentPort?.postMessage(argon2Sync('argon2id', settings));
});
