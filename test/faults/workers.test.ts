// Several processes behind one port, as the real program: nobody notices that there are several.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/patience.ts';
import { createInstallation, type Installation, type Program } from '#test/kit/program.ts';

describe('two workers', () => {
  let place: Installation;
  let program: Program;
  before(async () => {
    place = await createInstallation(sqliteAndDisk, { WAYBILL_WORKERS: '2' });
    program = await place.start();
  });
  after(() => place.drop());

  function open(): Promise<Socket> {
    const { hostname, port } = new URL(place.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    return once(socket, 'connect').then(() => socket);
  }

  const ask = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n';

  test('a port that is taken ends the start with one sentence, with one worker as with two', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    for (const workers of ['1', '2']) {
      const settings = { WAYBILL_WORKERS: workers, WAYBILL_LISTEN: `127.0.0.1:${port}` };
      const refused = await place.start({ waits: false, environment: settings });
      assert.deepEqual(await refused.exited, { code: 1, signal: null });
      const sentence = `waybill-server: WAYBILL_LISTEN is 127.0.0.1:${port}, but another program listens there already.`;
      assert.ok(refused.output().includes(`${sentence}\n`), refused.output());
      assert.doesNotMatch(refused.output(), /\n\s+at /);
    }
    other.close();
  });

  test('share connections evenly, however fast they come', async () => {
    const workers = (await program.members()).filter(({ parent }) => parent === program.child.pid);
    assert.equal(workers.length, 2);
    const before = await Promise.all(workers.map(({ pid }) => socketCount(pid)));
    const sockets = await Promise.all(Array.from({ length: 12 }, open));
    await eventually('each has six more', async () => {
      const now = await Promise.all(workers.map(({ pid }) => socketCount(pid)));
      return now.every((count, index) => count - before[index]! === 6);
    });
    for (const socket of sockets) socket.destroy();
    await eventually('all are gone', async () => {
      const now = await Promise.all(workers.map(({ pid }) => socketCount(pid)));
      return now.every((count, index) => count === before[index]);
    });
    const again = await Promise.all(Array.from({ length: 4 }, open));
    await eventually('each has two more', async () => {
      const now = await Promise.all(workers.map(({ pid }) => socketCount(pid)));
      return now.every((count, index) => count - before[index]! === 2);
    });
    for (const socket of again) socket.destroy();
    await eventually('all are gone again', async () => {
      const now = await Promise.all(workers.map(({ pid }) => socketCount(pid)));
      return now.every((count, index) => count === before[index]);
    });
  });

  test('share them evenly also when one of them already keeps an idle one', async () => {
    const workers = (await program.members()).filter(({ parent }) => parent === program.child.pid);
    const added = async (before: number[]) =>
      (await Promise.all(workers.map(({ pid }) => socketCount(pid)))).map((count, index) => count - before[index]!);
    const none = await Promise.all(workers.map(({ pid }) => socketCount(pid)));
    for (const leaving of [0, 1]) {
      const pair = [await open(), await open()] as const;
      await eventually('each has one', async () => (await added(none)).join() === '1,1');
      pair[leaving]!.destroy();
      await eventually('one is left', async () => (await added(none)).toSorted().join() === '0,1');
      const before = await Promise.all(workers.map(({ pid }) => socketCount(pid)));
      const sockets: Socket[] = [];
      for (let count = 0; count < 4; count++) sockets.push(await open());
      await eventually('each has two more', async () => (await added(before)).join() === '2,2', 5000);
      for (const socket of [...pair, ...sockets]) socket.destroy();
      await eventually('all are gone', async () => (await added(none)).join() === '0,0');
    }
  });

  test('answer a client that has closed its side, and keep the connection of one that asks again', async () => {
    const closing = await open();
    closing.end(`${ask}\r\n`);
    assert.match(await textOf(closing), /^HTTP\/1\.1 200 /);
    const kept = await open();
    kept.write(`${ask}\r\n`);
    const [answer] = (await once(kept, 'data')) as [Buffer];
    assert.match(answer.toString('latin1'), /^HTTP\/1\.1 200 /);
    kept.write(`${ask}Connection: close\r\n\r\n`);
    assert.match(await textOf(kept), /^HTTP\/1\.1 200 /);
  });

  test('a connection that comes while every worker is being replaced waits for the next one', async () => {
    const workers = (await program.members()).filter(({ parent }) => parent === program.child.pid);
    for (const { pid } of workers) process.kill(pid, 'SIGKILL');
    const socket = await open();
    socket.write(`${ask}Connection: close\r\n\r\n`);
    assert.match(await textOf(socket), /^HTTP\/1\.1 200 /);
  });
});

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  await once(socket, 'close').catch(() => {});
  return text;
}

async function socketCount(pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all(
    (await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith('socket:')).length;
}
