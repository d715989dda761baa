// Wrong surroundings of an installation: other programs, proxies with one mistake each, a database that refuses a password.
import { createServer as createHttpServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Instruments } from '#server/installation/doctor/examine.ts';
import type { TestApp } from '#test/kit/app.ts';

export interface Place {
  app: TestApp;
  /** For files of the tests. */
  folder: string;
  dataDir: string;
  environment: Record<string, string>;
  /** The settings for the address of the service. */
  running: Record<string, string>;
}

export interface Planted {
  environment?: Record<string, string>;
  instruments?: Partial<Instruments>;
  undo?(): Promise<unknown>;
}

export interface Fault {
  name: string;
  state?: 'fault' | 'warn';
  plant(place: Place): Promise<Planted>;
  sentence: RegExp;
  cure: RegExp;
}

export const setting = (name: string, environment: Record<string, string>, sentence: RegExp, cure: RegExp): Fault => ({
  name,
  plant: async () => ({ environment }),
  sentence,
  cure,
});

async function listening(server: Server): Promise<URL> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const closing = (server: Server & { closeAllConnections?(): void }) => async () => {
  server.closeAllConnections?.();
  await new Promise((resolve) => server.close(resolve));
};

/** Another HTTP service. */
export async function startStranger(settings: (url: URL) => Record<string, string>): Promise<Planted> {
  const server = createHttpServer((_request, response) => response.end('<h1>It works!</h1>'));
  return { environment: settings(await listening(server)), undo: closing(server) };
}

type Mistake = 'hides visitors' | 'tells visitors' | 'refuses large bodies' | 'holds bodies back' | 'is not connected';
const largestBody = 1024 * 1024;

/** A proxy in front of the service. It also forwards its own name for the service, as `proxy_pass` alone does. */
export async function startProxy({ app, running }: Place, mistake: Mistake): Promise<Planted> {
  const pass = async (incoming: IncomingMessage, response: ServerResponse) => {
    const size = Number(incoming.headers['content-length'] ?? 0);
    if (mistake === 'is not connected') return void response.writeHead(502).end('Bad Gateway');
    if (mistake === 'refuses large bodies' && size > largestBody) return void response.writeHead(413).end();
    const { host: _, expect: __, 'x-forwarded-for': ___, ...headers } = incoming.headers;
    const forwarded = mistake === 'hides visitors' ? {} : { 'x-forwarded-for': '127.0.0.1' };
    const outgoing = request(new URL(incoming.url!, app.url), {
      method: incoming.method!,
      headers: { ...headers, ...forwarded },
      agent: false,
    });
    outgoing.on('response', (reply) => {
      response.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.on('error', () => outgoing.destroy());
    if (mistake === 'holds bodies back') outgoing.end(await buffer(incoming));
    else incoming.pipe(outgoing);
  };
  const server = createHttpServer(
    (incoming, response) => void pass(incoming, response).catch(() => response.destroy()),
  );
  server.on('checkContinue', (incoming: IncomingMessage, response: ServerResponse) => {
    const size = Number(incoming.headers['content-length'] ?? 0);
    if (mistake === 'refuses large bodies' && size > largestBody) response.writeHead(413).end();
    else response.writeContinue();
  });
  const url = await listening(server);
  return { environment: { ...running, WAYBILL_BASE_URL: url.origin }, undo: closing(server) };
}

/** Answers every client as PostgreSQL answers a wrong password. */
export async function startRefusingDatabase(): Promise<Planted> {
  const fields = 'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user "waybill"\0\0';
  const size = Buffer.alloc(4);
  size.writeInt32BE(fields.length + 4);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), size, Buffer.from(fields)])));
  });
  const { host } = await listening(server);
  return {
    environment: { WAYBILL_DATABASE_URL: `postgres://waybill:wrong@${host}/waybill` },
    undo: closing(server),
  };
}
