import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { BodyAborted } from '../../domain/ports.ts';
import { type BodyWrites, followBody } from './body-writes.ts';

/** More than the kernel buffers. */
const sizeBytes = 64 * 1024 * 1024;
const never = new AbortController().signal;

describe('the bytes of a body that the network has taken', () => {
  let server: Server;
  let port: number;
  let body: Promise<{ body: BodyWrites; response: ServerResponse }>;
  let handle: (response: ServerResponse) => void;
  before(async () => {
    server = createServer((_request, response) => handle(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  after(() => new Promise((resolve) => server.close(resolve)));

  /** The reader has the headers and reads no body yet. */
  async function open(): Promise<{ body: BodyWrites; response: ServerResponse; reply: IncomingMessage }> {
    body = new Promise((resolve) => {
      handle = (response) => {
        const followed = followBody(response);
        response.writeHead(200, { 'content-length': sizeBytes });
        followed.add(sizeBytes);
        response.write(Buffer.alloc(sizeBytes));
        resolve({ body: followed, response });
      };
    });
    const reply = await new Promise<IncomingMessage>((resolve, reject) =>
      request({ port, agent: false }, resolve).once('error', reject).end(),
    );
    reply.on('error', () => {});
    return { ...(await body), reply };
  }
  const readAll = (reply: IncomingMessage) =>
    new Promise<number>((resolve) => {
      let bytes = 0;
      reply.on('data', (chunk: Buffer) => (bytes += chunk.length)).once('close', () => resolve(bytes));
    });
  const settled = (look: () => number) =>
    new Promise<number>((resolve) => {
      let last = -1;
      const timer = setInterval(() => {
        if (last === look() && last > 0) [clearInterval(timer), resolve(last)];
        last = look();
      }, 50);
    });

  test('are exactly what a reader gets that stopped reading and was cut', async () => {
    const { body, response, reply } = await open();
    await settled(() => body.taken().certain);
    response.destroy();
    const { certain, possible } = body.taken();
    assert.ok(certain > 0 && certain < sizeBytes, 'a part of one large write');
    assert.equal(possible, certain);
    assert.equal(await readAll(reply), certain);
    body.forget();
    assert.deepEqual(body.taken(), { certain, possible });
  });

  test('are at least what a reader has that hung up', async () => {
    const { body, response, reply } = await open();
    let read = 0;
    await new Promise<void>((resolve) =>
      reply.on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read > 1e6) resolve();
      }),
    );
    reply.destroy();
    await new Promise((resolve) => response.once('close', resolve));
    const { certain, possible } = body.taken();
    assert.ok(possible >= read && possible < sizeBytes, `${possible} of which ${read} were read`);
    assert.ok(certain <= possible);
  });

  test('are all of them in the end', async () => {
    const { body, response, reply } = await open();
    response.end();
    const reading = readAll(reply);
    await body.whenTaken(never);
    assert.deepEqual(body.taken(), { certain: sizeBytes, possible: sizeBytes });
    assert.equal(await reading, sizeBytes);
  });

  test('of a response that waits for its turn on the connection are none', async () => {
    const followed: BodyWrites[] = [];
    const second = new Promise<void>((resolve) => {
      handle = (response) => {
        const one = followBody(response);
        followed.push(one);
        response.writeHead(200, { 'content-length': 10 });
        one.add(10);
        response.write(Buffer.alloc(10));
        if (followed.length === 2) resolve();
      };
    });
    const socket: Socket = connect(port, '127.0.0.1');
    socket.write('GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n');
    await second;
    assert.equal(followed[0]!.taken().certain, 10);
    assert.deepEqual(followed[1]!.taken(), { certain: 0, possible: 0 });
    socket.destroy();
  });

  test('are awaited until the signal aborts', async () => {
    const { body, response, reply } = await open();
    response.end();
    const stop = new AbortController();
    const waiting = body.whenTaken(stop.signal);
    stop.abort(new Error('no reader'));
    await assert.rejects(waiting, /no reader/);
    response.destroy();
    assert.ok(body.taken().certain < sizeBytes);
    reply.destroy();
  });

  test('are not awaited if the signal came before, or the connection is already closed', async () => {
    const { body, response, reply } = await open();
    response.end();
    const soon = (signal: AbortSignal) =>
      Promise.race([
        body.whenTaken(signal).then(
          () => 'over',
          (error: Error) => error.message,
        ),
        new Promise((resolve) => setImmediate(resolve, 'waits')),
      ]);
    assert.equal(await soon(never), 'waits');
    assert.equal(await soon(AbortSignal.abort(new Error('no reader'))), 'no reader');
    const closed = new Promise((resolve) => response.once('close', resolve));
    response.destroy();
    await closed;
    assert.ok(body.taken().certain < sizeBytes);
    assert.equal(await soon(never), 'over');
    reply.destroy();
  });

  test('that were buffered are not written to a lost connection; nothing is lost if nothing was buffered', async () => {
    const { body, response, reply } = await open();
    reply.destroy();
    response.destroy();
    body.release();
    body.hold(Buffer.from('held'));
    assert.throws(() => body.release(), BodyAborted);
    assert.throws(() => body.add(1), BodyAborted);
  });
});
