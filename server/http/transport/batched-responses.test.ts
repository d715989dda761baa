import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { endBatched } from './batched-responses.ts';

const texts = ['one', 'two, in ünï', 'three'];

async function serve(t: TestContext, before: (responses: ServerResponse[]) => void | Promise<void> = () => {}) {
  const responses: ServerResponse[] = [];
  const server = createServer(async (request, response) => {
    responses[Number(request.url!.slice(1))] = response;
    if (responses.filter(Boolean).length < texts.length) return;
    await before(responses);
    for (const [index, text] of texts.entries()) {
      responses[index]!.writeHead(200, { 'content-length': Buffer.byteLength(text) });
      endBatched({ response: responses[index]!, text, encoding: 'utf8' });
    }
  });
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = (paths: number[]) => {
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write(paths.map((path) => `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    return socket;
  };
  return { ask };
}

async function readUntil(socket: Socket, last: string): Promise<string> {
  let text = '';
  socket.setEncoding('utf8');
  for await (const piece of socket) {
    text += piece;
    if (text.endsWith(last)) return text;
  }
  throw new Error(`the connection ended after ${JSON.stringify(text)}`);
}

describe('batched answers', () => {
  it('each reach their own caller', async (t) => {
    const { ask } = await serve(t);
    const sockets = texts.map((_, index) => ask([index]));
    const answers = await Promise.all(sockets.map((socket, index) => readUntil(socket, texts[index]!)));
    for (const [index, answer] of answers.entries()) assert.match(answer, new RegExp(`\\r\\n\\r\\n${texts[index]}$`));
  });

  it('keep their order on one connection', async (t) => {
    const { ask } = await serve(t);
    const answer = await readUntil(ask([0, 1, 2]), texts[2]!);
    assert.deepEqual(
      answer.split(/\r\n\r\n/).map((part) => part.split('HTTP/1.1')[0]),
      ['', ...texts],
    );
  });

  it('are sent even if one of their connections is lost', async (t) => {
    const { ask } = await serve(t, async (responses) => {
      const lost = once(responses[1]!, 'close');
      sockets[1]!.destroy();
      await lost;
    });
    const sockets = texts.map((_, index) => ask([index]));
    sockets[1]!.on('error', () => {});
    assert.match(await readUntil(sockets[0]!, texts[0]!), /one$/);
    assert.match(await readUntil(sockets[2]!, texts[2]!), /three$/);
  });
});
