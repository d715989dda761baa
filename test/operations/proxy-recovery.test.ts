// The shipped proxy files in front of machines that fail: other clients still reach a machine that recovers. Machines are
// simulated.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '#test/kit/eventually.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { freePorts } from '#test/kit/servers/child.ts';
import { proxyKinds, startProxy } from '#test/kit/servers/proxies.ts';

describe('behind a proxy', { skip: findTestServers() === null && 'without servers' }, () => {
  for (const kind of proxyKinds)
    test(`${kind}: cut connections do not block other clients`, async (t) => {
      const machines = [await startMachine(t), await startMachine(t)];
      const ask = await startInFront(t, kind, machines.map(addressOf));
      for (let count = 0; count < 6; count++) assert.notEqual(await ask('POST', '/cut'), 200);
      for (let count = 0; count < 6; count++) assert.equal(await ask('GET', '/'), 200);
    });

  for (const kind of proxyKinds)
    test(`${kind}: a machine that was unreachable is used again`, async (t) => {
      const [port] = await freePorts(1);
      const ask = await startInFront(t, kind, [`127.0.0.1:${port}`]);
      assert.ok((await ask('GET', '/')) >= 502);
      await startMachine(t, port);
      // HAProxy and Caddy check their machines every two seconds; Apache waits a minute by default.
      await eventually('the machine is found', async () => (await ask('GET', '/')) === 200, 30_000);
    });
});

async function startMachine(t: TestContext, port = 0): Promise<Server> {
  const machine = createServer((request, response) => {
    if (request.url === '/cut') request.resume().once('data', () => request.socket.destroy());
    else response.end('here');
  });
  await new Promise<void>((resolve) => machine.listen(port, '127.0.0.1', resolve));
  t.after(() => {
    machine.closeAllConnections();
    machine.close();
  });
  return machine;
}

function addressOf(machine: Server): string {
  return `127.0.0.1:${(machine.address() as AddressInfo).port}`;
}

async function startInFront(t: TestContext, kind: (typeof proxyKinds)[number], machines: string[]) {
  const [port] = await freePorts(1);
  const proxy = await startProxy(kind, { port: port!, machines });
  const agent = new Agent({ keepAlive: false });
  t.after(async () => {
    agent.destroy();
    await proxy.stop();
  });
  /** The status; 0 when the proxy cuts the connection too. */
  return (method: string, path: string) =>
    new Promise<number>((resolve) => {
      const where = { host: '127.0.0.1', port: port!, servername: 'localhost', ca: proxy.certificate, agent };
      const request = httpsRequest({ ...where, method, path, headers: { host: 'localhost' } }, (response) => {
        response.resume().once('close', () => resolve(response.statusCode!));
      });
      request.once('error', () => resolve(0));
      request.end(method === 'POST' ? 'bytes' : undefined);
    });
}
