import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { until } from '#test/kit/eventually.ts';
import { openMemoryTransport } from '#test/kit/mail-transport.ts';
import { startRelay } from '#test/kit/smtp-relay.ts';
import { silentLog } from '../lib/log.ts';
import { openSmtpTransport } from '../mail/smtp.ts';
import { sampleMail } from '../mail/transport.suite.ts';
import { watchRelay } from './relay-watch.ts';
import { createOutageLog, createWatch } from './watch.ts';

function recordLog() {
  const lines: string[] = [];
  const keep = (_facts: object, sentence: string) => void lines.push(sentence);
  return { lines, log: { ...silentLog, error: keep, info: keep } };
}

test('an unreachable mail server is logged once with its own message, and so is its return', async () => {
  let said: string | null = 'mail.example:587: connect ECONNREFUSED';
  const memory = openMemoryTransport();
  memory.answer = () => ({ outcome: 'deferred', reason: 'unreachable' });
  const { transport, check } = watchRelay({ ...memory, check: async () => said });
  const { lines, log } = recordLog();
  const watch = createWatch(createOutageLog(log, []), [check]);
  await until(async () => {
    await watch.check();
    return lines.length > 0;
  });
  await watch.check();
  assert.deepEqual(lines, [
    'The mail server does not take mail: mail.example:587: connect ECONNREFUSED. Mails wait and are tried again.',
  ]);
  said = null;
  // A deferred mail makes the next check due.
  await until(async () => {
    await transport.send(sampleMail());
    await watch.check();
    return lines.length > 1;
  });
  assert.equal(lines[1], 'mail: works again');
});

test('a mail server is checked every five minutes, every half a minute while unreachable, and after it deferred a mail', async (t) => {
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  let [said, checks]: [string | null, number] = [null, 0];
  const memory = openMemoryTransport();
  const check = async () => {
    checks += 1;
    return said;
  };
  const watched = watchRelay({ ...memory, check });
  /** The number of checks after this much more time. */
  const after = async (ms: number) => {
    now += ms;
    await watched.check.check();
    await watched.check.check();
    await setImmediate();
    return checks;
  };
  assert.deepEqual([await after(0), await after(299_999), await after(1)], [1, 1, 2]);
  said = 'unreachable';
  assert.deepEqual([await after(300_000), await after(29_999), await after(1)], [3, 3, 4]);
  await watched.transport.send(sampleMail());
  assert.equal(await after(1), 4);
  memory.answer = () => ({ outcome: 'deferred', reason: 'unreachable' });
  await watched.transport.send(sampleMail());
  assert.equal(await after(1), 5);
  assert.equal(await watchRelay(memory).check.check(), null, 'a transport without a check');
});

test('a real mail server is checked without sending anything', async () => {
  const relay = await startRelay();
  const transport = openSmtpTransport({ url: `smtp://127.0.0.1:${relay.port}` });
  assert.equal(await transport.check!(), null);
  await relay.close();
  assert.match((await transport.check!())!, new RegExp(`^127\\.0\\.0\\.1:${relay.port}: .*ECONNREFUSED`));
  assert.equal(relay.received.length, 0);
  await transport.close();
});
