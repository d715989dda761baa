import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:net';
import { beforeEach, describe, test } from 'node:test';
import { parseTrusted } from '../../lib/client-address.ts';
import { limitSockets } from './socket-limits.ts';

describe('sockets', () => {
  let server: Server;
  beforeEach(() => {
    server = new EventEmitter() as Server;
    limitSockets(parseTrusted('10.0.0.0/8'), server);
  });

  function connect(remoteAddress: string | undefined) {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, isCut: false, destroy: () => {} });
    socket.destroy = () => {
      socket.isCut = true;
    };
    server.emit('connection', socket);
    return socket;
  }
  const connectMany = (count: number, address: string | undefined) =>
    Array.from({ length: count }, () => connect(address)).filter(({ isCut }) => isCut).length;

  test('of one address are 200 at most, and room comes back with each that ends', () => {
    const first = connect('203.0.113.1');
    assert.equal(connectMany(199, '203.0.113.1'), 0);
    assert.equal(connectMany(2, '203.0.113.1'), 2);
    assert.equal(connect('203.0.113.2').isCut, false, 'others are not touched');
    first.emit('close');
    assert.equal(connectMany(2, '203.0.113.1'), 1);
  });

  test('that have all ended are no longer counted', () => {
    connect('203.0.113.1').emit('close');
    assert.equal(connectMany(200, '203.0.113.1'), 0);
    assert.equal(connectMany(1, '203.0.113.1'), 1);
  });

  test('of loopback and of trusted proxies are not counted', () => {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.9', '10.1.2.3', undefined])
      assert.equal(connectMany(300, address), 0, String(address));
  });

  test('are 20,000 in all', () => {
    assert.equal(server.maxConnections, 20_000);
  });
});
