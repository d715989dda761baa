// Downloads of a visitor without scripts. Distinguishes complete and interrupted replies.
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Visitor } from '#server/domain/downloads.ts';

export const unknownVisitor: Visitor = {
  address: '',
  host: '',
  agent: '',
  browser: '',
  os: '',
  platform: '',
  location: '',
  longitude: null,
  latitude: null,
  countryCode: '',
  countryName: '',
  city: '',
  regionCode: '',
  regionName: '',
};

export interface FileReply {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** False when the connection ended before the announced length. */
  isWhole: boolean;
}

export interface RunningDownload {
  status: number;
  headers: IncomingHttpHeaders;
  takenBytes(): number;
  /** Reads to the end, complete or not. */
  rest(): Promise<FileReply>;
  cut(): void;
}

/** Clicks Download on the page of a link. Path of the file, or null and the status of the page that is shown instead. */
export async function clickDownload(
  url: string,
  linkId: string,
  cookie?: string,
): Promise<{ path: string | null; status: number; browser: string }> {
  const reply = await ask(`${url}/link/${linkId}/download`, 'POST', {
    accept: 'text/html',
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
    ...(cookie === undefined ? {} : { cookie }),
  });
  await readAll(reply);
  const { location } = reply.headers;
  const browser = cookiesOf(reply).join('; ');
  if (location === undefined || location.includes('/dl/'))
    return { path: location ?? null, status: reply.statusCode!, browser };
  // A refusal redirects to the page, which states the reason.
  const page = await ask(`${url}${location}`, 'GET', {
    accept: 'text/html',
    ...(cookie === undefined ? {} : { cookie }),
  });
  await readAll(page);
  return { path: null, status: page.statusCode!, browser };
}

/** Enters the password of a link; its cookie, or null. */
export async function enterPassword(url: string, linkId: string, password: string): Promise<string | null> {
  const page = await ask(`${url}/link/${linkId}`, 'GET', { accept: 'text/html' });
  const csrf = /name="csrf" value="([^"]*)"/.exec((await readAll(page)).toString('utf8'))?.[1];
  if (csrf === undefined) return null; // the page has no form
  const reply = await ask(
    `${url}/link/${linkId}/password`,
    'POST',
    {
      accept: 'text/html',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
      cookie: cookiesOf(page).join('; '),
    },
    new URLSearchParams({ password, csrf }).toString(),
  );
  await readAll(reply);
  // A wrong password redirects to the form too, with a cookie that only says so.
  return cookiesOf(reply).find((cookie) => /-link-/.test(cookie.split('=', 1)[0]!)) ?? null;
}

function cookiesOf(reply: IncomingMessage): string[] {
  return (reply.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';', 1)[0]!);
}

export async function fetchFile(
  url: string,
  path: string,
  options: { method?: 'GET' | 'HEAD'; headers?: Record<string, string> } = {},
): Promise<FileReply> {
  const reply = await ask(`${url}${path}`, options.method ?? 'GET', { accept: 'text/html', ...options.headers });
  return finishReply(reply, await readAll(reply));
}

export async function download(url: string, linkId: string): Promise<FileReply> {
  const { path, status } = await clickDownload(url, linkId);
  if (path === null) return { status, headers: {}, bytes: Buffer.alloc(0), isWhole: true };
  return fetchFile(url, path);
}

export async function openDownload(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<RunningDownload> {
  const reply = await ask(`${url}${path}`, 'GET', { accept: 'text/html', ...headers });
  reply.on('error', () => {}); // reported by `complete`
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    const first = (chunk: Buffer) => {
      chunks.push(chunk);
      reply.pause();
      reply.off('data', first);
      resolve();
    };
    reply.on('data', first).once('close', resolve);
  });
  const rest = async () => finishReply(reply, Buffer.concat([...chunks, await readAll(reply)]));
  return {
    status: reply.statusCode!,
    headers: reply.headers,
    takenBytes: () => chunks.reduce((sum, chunk) => sum + chunk.length, 0),
    rest,
    cut: () => reply.destroy(),
  };
}

function finishReply(reply: IncomingMessage, bytes: Buffer): FileReply {
  return { status: reply.statusCode!, headers: reply.headers, bytes, isWhole: reply.complete };
}

function ask(url: string, method: string, headers: Record<string, string>, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: false }, resolve);
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

function readAll(reply: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    reply.on('data', (chunk: Buffer) => chunks.push(chunk));
    reply.on('error', () => {});
    if (reply.closed) resolve(Buffer.alloc(0));
    reply.once('close', () => resolve(Buffer.concat(chunks)));
    reply.resume();
  });
}
