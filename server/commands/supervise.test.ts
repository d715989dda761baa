// The workers are fakes that record messages; test/faults uses real ones.
import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { readConfig } from '../config.ts';
import { silentLog } from '../lib/log.ts';
import { supervise, type WorkerMessage, type WorkerReport } from './supervise.ts';

/** Events within this process arrive within a few turns. */
async function soon(check: () => boolean): Promise<void> {
  for (const until = performance.now() + 20_000; !check() && performance.now() < until; ) await setImmediate();
  assert.ok(check());
}

class FakeWorker extends EventEmitter {
  readonly id: number;
  readonly received: string[] = [];
  readonly sockets: Socket[] = [];
  readonly killed: string[] = [];
  readonly process = { kill: (signal: string) => this.killed.push(signal) };
  constructor(id: number) {
    super();
    this.id = id;
  }
  send(message: WorkerMessage, socket: unknown): void {
    this.received.push('holder' in message ? `${message.kind} ${message.holder}` : message.kind);
    if (message.kind === 'connection') this.sockets.push(socket as Socket);
  }
  kill(signal: string): void {
    this.killed.push(signal);
  }
  say(report: WorkerReport): void {
    this.emit('message', report);
  }
  ready(): void {
    this.say({ kind: 'ready', holder: `holder ${this.id}` });
  }
}

function start(t: TestContext, count: number) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(cluster, 'setupPrimary', () => {});
  const workers: FakeWorker[] = [];
  const given: unknown[] = [];
  t.mock.method(cluster, 'fork', (secrets: unknown) => {
    given.push(secrets);
    workers.push(new FakeWorker(workers.length));
    return workers.at(-1);
  });
  const said: string[] = [];
  const stopped = Promise.withResolvers<void>();
  const environment = { WAYBILL_WORKERS: String(count), WAYBILL_LISTEN: '127.0.0.1:0', WAYBILL_METRICS_LISTEN: 'off' };
  const ended = supervise(
    readConfig({ ...environment, WAYBILL_SHUTDOWN_GRACE: '3s' }),
    silentLog,
    { secret: 'x' },
    {
      untilStopped: () => stopped.promise,
      ready: (url) => void said.push(`ready ${url}`),
      stopping() {
        said.push('stopping');
        return { done: () => void said.push('done') };
      },
    },
  );
  const forked = () => soon(() => workers.length >= count);
  async function serving() {
    await forked();
    workers[0]!.say({ kind: 'prepared' });
    for (const worker of workers) worker.ready();
    return new URL(said[0]!.slice('ready '.length));
  }
  async function stop() {
    stopped.resolve();
    await soon(() => workers.some((worker) => worker.received.includes('stop') || worker.killed.length > 0));
    for (const worker of workers) worker.emit('exit', 0, null);
    return ended;
  }
  return { workers, given, said, ended, stopped, forked, serving, stop };
}

async function visit(t: TestContext, url: URL): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const connections = (worker: FakeWorker) => worker.received.filter((kind) => kind === 'connection').length;

test('the first worker prepares, the others serve after it, and the service is ready with the last of them', async (t) => {
  const { workers, given, said, forked, stop } = start(t, 3);
  await forked();
  assert.deepEqual(given, [{ secret: 'x' }, { secret: 'x' }, { secret: 'x' }]);
  const received = () => workers.map((worker) => worker.received.join());
  assert.deepEqual(received(), ['prepare', '', '']);
  workers[0]!.say({ kind: 'prepared' });
  assert.deepEqual(received(), ['prepare', 'serve', 'serve']);
  for (const worker of workers.slice(0, 2)) worker.ready();
  assert.deepEqual(said, []);
  workers[2]!.ready();
  assert.match(said.join(), /^ready http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(await stop(), 0);
  assert.deepEqual(said.slice(1), ['stopping', 'done']);
  assert.deepEqual(received(), ['prepare,stop', 'serve,stop', 'serve,stop']);
});

test('a connection goes to the worker with the fewest, and waits while none is ready', async (t) => {
  const { workers, forked, serving, stop, said } = start(t, 2);
  await forked();
  const url = await serving();
  const share = () => workers.map(connections);
  for (const expected of [
    [1, 0],
    [1, 1],
    [2, 1],
  ]) {
    await visit(t, url);
    await soon(() => share().join() === expected.join());
  }
  const [held] = workers[0]!.sockets;
  workers[0]!.say({ kind: 'taken' });
  assert.equal(held!.destroyed, true, 'it is the worker’s alone');
  for (const worker of workers) worker.say({ kind: 'taken' });
  workers[0]!.say({ kind: 'closed' });
  workers[0]!.say({ kind: 'closed' });
  await visit(t, url);
  await soon(() => share().join() === '3,1');
  workers[0]!.say({ kind: 'taken' });
  assert.equal(await stop(), 0);
  assert.equal(said.length, 3);
});

test('a worker that dies is replaced after half a second, and another takes over its connections', async (t) => {
  const { workers, serving, stop } = start(t, 2);
  const url = await serving();
  await visit(t, url);
  await soon(() => connections(workers[0]!) === 1);
  workers[0]!.emit('exit', 1, null);
  assert.ok(workers[1]!.received.includes('worker-died holder 0'));
  assert.equal(connections(workers[1]!), 1, 'the connection it had not taken');
  t.mock.timers.tick(499);
  assert.equal(workers.length, 2);
  t.mock.timers.tick(1);
  assert.equal(workers.length, 3);
  assert.deepEqual(workers[2]!.received, ['serve']);
  workers[1]!.say({ kind: 'taken' });
  workers[1]!.emit('exit', null, 'SIGKILL');
  await visit(t, url);
  await setImmediate();
  assert.equal(connections(workers[2]!), 0, 'it waits');
  workers[2]!.ready();
  await soon(() => connections(workers[2]!) === 1);
  workers[2]!.say({ kind: 'taken' });
  assert.equal(await stop(), 0);
  t.mock.timers.tick(500);
  assert.equal(workers.length, 3, 'no new worker is started');
});

test('an installation that cannot be prepared ends the start with the code of the worker', async (t) => {
  const { workers, ended, forked, said } = start(t, 2);
  await forked();
  workers[0]!.emit('exit', 3, null);
  await soon(() => workers[1]!.killed.length > 0);
  assert.deepEqual(workers[1]!.killed, ['SIGTERM']);
  workers[1]!.emit('exit', null, 'SIGTERM');
  assert.equal(await ended, 3);
  assert.deepEqual(said, []);
});

test('a worker that was killed while it prepared is followed by one that prepares', async (t) => {
  const { workers, forked, stop } = start(t, 2);
  await forked();
  workers[0]!.emit('exit', null, 'SIGKILL');
  t.mock.timers.tick(500);
  assert.deepEqual(
    workers.map((worker) => worker.received.join()),
    ['prepare', '', 'prepare'],
  );
  workers[2]!.say({ kind: 'prepared' });
  assert.deepEqual(workers[1]!.received, ['serve']);
  for (const worker of workers.slice(1)) worker.ready();
  assert.equal(await stop(), 0);
});

test('a worker that was killed while another prepares is followed by one that waits', async (t) => {
  const { workers, forked, stop } = start(t, 2);
  await forked();
  workers[1]!.emit('exit', null, 'SIGKILL');
  t.mock.timers.tick(500);
  assert.deepEqual(
    workers.map((worker) => worker.received.join()),
    ['prepare', '', ''],
  );
  workers[0]!.say({ kind: 'prepared' });
  assert.deepEqual([workers[1]!.received, workers[2]!.received], [[], ['serve']]);
  for (const worker of [workers[0]!, workers[2]!]) worker.ready();
  assert.equal(await stop(), 0);
});

test('a first start ends with a worker that ends before any is ready, and not with one that is killed', async (t) => {
  const { workers, ended, forked } = start(t, 2);
  await forked();
  workers[0]!.say({ kind: 'prepared' });
  workers[1]!.emit('exit', null, 'SIGKILL');
  t.mock.timers.tick(500);
  assert.equal(workers.length, 3);
  workers[2]!.emit('exit', 4, null);
  await soon(() => workers[0]!.killed.length > 0);
  workers[0]!.emit('exit', null, 'SIGTERM');
  assert.equal(await ended, 4);
});

test('workers that do not end are killed five seconds after the grace time', async (t) => {
  const { workers, ended, serving, stopped } = start(t, 1);
  await serving();
  stopped.resolve();
  await soon(() => workers[0]!.received.includes('stop'));
  t.mock.timers.tick(7999);
  assert.deepEqual(workers[0]!.killed, []);
  t.mock.timers.tick(1);
  assert.deepEqual(workers[0]!.killed, ['SIGKILL']);
  workers[0]!.emit('exit', null, 'SIGKILL');
  assert.equal(await ended, 0);
});
