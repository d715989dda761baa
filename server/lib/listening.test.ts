import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  asListenProblem,
  ListenProblem,
  listeningUrl,
  listenOptions,
  removeStaleSocket,
  stopListening,
} from './listening.ts';

const port = { kind: 'port', host: '::1', port: 80 } as const;
const socket = { kind: 'socket', path: '/run/waybill.sock' } as const;

describe('where a process listens', () => {
  test('is shown as a person would type it', () => {
    assert.deepEqual(listenOptions(port), { host: '::1', port: 80 });
    assert.deepEqual(listenOptions(socket), { path: '/run/waybill.sock' });
    assert.equal(listeningUrl(port, { port: 81 }), 'http://[::1]:81');
    assert.equal(listeningUrl({ ...port, host: 'a.example' }, { port: 81 }), 'http://a.example:81');
    assert.equal(listeningUrl(socket, '/run/waybill.sock'), '/run/waybill.sock');
    assert.equal(listeningUrl(port, null), '');
  });

  test('is named with the reason if it is impossible; another error stays unchanged', () => {
    const taken = asListenProblem(Object.assign(new Error('taken'), { code: 'EADDRINUSE' }), port) as Error;
    assert.ok(taken instanceof ListenProblem);
    assert.equal(taken.message, 'WAYBILL_LISTEN is ::1:80, but another program listens there already.');
    const away = asListenProblem({ code: 'ENOENT' }, socket, 'WAYBILL_METRICS_LISTEN') as Error;
    assert.equal(away.message, 'WAYBILL_METRICS_LISTEN is /run/waybill.sock, but its folder does not exist.');
    const strange = new Error('strange');
    assert.equal(asListenProblem(strange, port), strange);
  });
});

describe('a stale socket file', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waybill-listening-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Another process that listens at the path; killed, it leaves its socket. */
  async function listenElsewhere(path: string) {
    const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('listens'))`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    return {
      async kill() {
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
    };
  }

  async function listenAt(path: string): Promise<void> {
    const server = createServer();
    await removeStaleSocket({ kind: 'socket', path });
    server.listen({ path });
    await once(server, 'listening');
    server.close();
  }

  test('is removed once the process that listened there was killed, and not before', async () => {
    const path = join(folder, 'one.sock');
    await listenAt(path);
    const other = await listenElsewhere(path);
    try {
      await assert.rejects(listenAt(path), { code: 'EADDRINUSE' });
    } finally {
      await other.kill();
    }
    assert.ok((await lstat(path)).isSocket(), 'it was left behind');
    await listenAt(path);
  });

  test('no other file is removed', async () => {
    const path = join(folder, 'a-file');
    await writeFile(path, 'somebody’s');
    await assert.rejects(listenAt(path), { code: 'EADDRINUSE' });
    assert.equal(await readFile(path, 'utf8'), 'somebody’s');
    await removeStaleSocket(port);
  });
});

test('stopping accepts queued connections and no others, and keeps open ones', async () => {
  const server = createServer((one) => one.pipe(one));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const kept = connect(at);
  await once(kept, 'connect');
  const queued = [connect(at), connect(at)];
  await stopListening(server);
  assert.deepEqual([server.listening, server.listenerCount('connection')], [false, 1]);
  for (const one of [kept, ...queued]) {
    one.write('still here');
    assert.equal(String((await once(one, 'data'))[0]), 'still here');
    one.destroy();
  }
});
