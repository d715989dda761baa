import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { asListenProblem, ListenProblem, listeningUrl, listenOptions, stopListening } from './listening.ts';

const port = { kind: 'port', host: '::1', port: 80 } as const;
const socket = { kind: 'socket', path: '/run/waybill.sock' } as const;

describe('where a process listens', () => {
  test('is told as a person would type it', () => {
    assert.deepEqual(listenOptions(port), { host: '::1', port: 80 });
    assert.deepEqual(listenOptions(socket), { path: '/run/waybill.sock' });
    assert.equal(listeningUrl(port, { port: 81 }), 'http://[::1]:81');
    assert.equal(listeningUrl({ ...port, host: 'a.example' }, { port: 81 }), 'http://a.example:81');
    assert.equal(listeningUrl(socket, '/run/waybill.sock'), '/run/waybill.sock');
    assert.equal(listeningUrl(port, null), '');
  });

  test('is named with the reason when it cannot be; another error stays what it is', () => {
    const taken = asListenProblem(Object.assign(new Error('taken'), { code: 'EADDRINUSE' }), port) as Error;
    assert.ok(taken instanceof ListenProblem);
    assert.equal(taken.message, 'WAYBILL_LISTEN is ::1:80, but another program listens there already.');
    const away = asListenProblem({ code: 'ENOENT' }, socket, 'WAYBILL_METRICS_LISTEN') as Error;
    assert.equal(away.message, 'WAYBILL_METRICS_LISTEN is /run/waybill.sock, but its folder does not exist.');
    const strange = new Error('strange');
    assert.equal(asListenProblem(strange, port), strange);
  });
});

test('who stops listening takes those in the queue and nobody else, and keeps who is connected', async () => {
  const server = createServer((one) => one.pipe(one));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const kept = connect(at);
  await once(kept, 'connect');
  // In the queue of the port: they are connected there before the server has looked.
  const queued = [connect(at), connect(at)];
  await stopListening(server);
  assert.deepEqual([server.listening, server.listenerCount('connection')], [false, 1]);
  for (const one of [kept, ...queued]) {
    one.write('still here');
    assert.equal(String((await once(one, 'data'))[0]), 'still here');
    one.destroy();
  }
});
