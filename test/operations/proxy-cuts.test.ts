// The file for nginx that we ship, in front of machines that cut connections, as Waybill does on purpose: nobody else is kept
// away from them. The machines are stand-ins, because they have to fail at will.
import assert from 'node:assert/strict';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { startPlainNginx } from '#test/kit/servers/proxies.ts';

describe('behind nginx', { skip: findTestServers() === null && 'without servers' }, () => {
  test('connections that were cut keep nobody away from the machines', async (t) => {
    const machines = [await startMachine(t), await startMachine(t)];
    const [port] = await freePorts(1);
    const nginx = await startPlainNginx({ port: port!, machines: machines.map(addressOf) });
    t.after(() => nginx.stop());
    for (let count = 0; count < 6; count++) assert.notEqual(await ask(port!, 'POST', '/cut'), 200);
    for (let count = 0; count < 6; count++) assert.equal(await ask(port!, 'GET', '/'), 200);
  });
});

async function startMachine(t: TestContext): Promise<Server> {
  const machine = createServer((request, response) => {
    if (request.url === '/cut') request.resume().once('data', () => request.socket.destroy());
    else response.end('here');
  });
  await new Promise<void>((resolve) => machine.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    machine.closeAllConnections();
    machine.close();
  });
  return machine;
}

function addressOf(machine: Server): string {
  return `127.0.0.1:${(machine.address() as AddressInfo).port}`;
}

/** The status; 0 when the proxy cuts the connection too. */
function ask(port: number, method: string, path: string): Promise<number> {
  return new Promise((resolve) => {
    const where = { host: '127.0.0.1', port, agent: false, method, path, headers: { host: 'localhost' } };
    const request = httpRequest(where, (response) => {
      response.resume().once('close', () => resolve(response.statusCode!));
    });
    request.once('error', () => resolve(0));
    request.end(method === 'POST' ? 'bytes' : undefined);
  });
}
