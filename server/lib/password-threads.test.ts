import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { test } from 'node:test';
import { until } from '#test/kit/eventually.ts';
import { openPasswordThreads } from './password-threads.ts';

const settings = {
  message: Buffer.from('peppered'),
  nonce: Buffer.alloc(16, 7),
  tagLength: 32,
  memory: 64,
  passes: 1,
  parallelism: 1,
};

/** Field 19 of each thread's stat line, counted after the name. */
function priorities(): number[] {
  return readdirSync('/proc/self/task').map((id) => {
    const line = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
    return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[16]);
  });
}

test('hashes like Argon2 itself, several in parallel', async () => {
  const threads = openPasswordThreads();
  const right = argon2Sync('argon2id', settings);
  const tags = await Promise.all([settings, settings, settings].map((job) => threads.hash(job)));
  for (const tag of tags) assert.deepEqual(tag, right);
});

test('has a lower priority than the rest of the process, also if that one is low', {
  skip: process.platform !== 'linux',
}, async () => {
  const own = getPriority();
  await openPasswordThreads().hash(settings);
  assert.ok(priorities().includes(Math.min(own + 8, constants.priority.PRIORITY_LOW)));
});

test('a thread that dies fails its own hash only', async () => {
  const dying = new URL(
    'data:text/javascript,import { parentPort } from "node:worker_threads"; parentPort.on("message", () => process.exit(1))',
  );
  const threads = openPasswordThreads(dying);
  for (let count = 0; count < 2; count++) await assert.rejects(threads.hash(settings), /thread for passwords ended/);
});

test('ends after an idle time', { skip: process.platform !== 'linux' }, async () => {
  const threads = openPasswordThreads(undefined, 1);
  const before = readdirSync('/proc/self/task').length;
  await threads.hash(settings);
  await until(async () => readdirSync('/proc/self/task').length <= before);
});
