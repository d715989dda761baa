// A token endpoint and Microsoft Graph on loopback, with chosen lifetimes, refusals and rotation of refresh tokens.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface TokenEndpoint {
  tokenUrl: string;
  graphUrl: string;
  /** Forms that asked for a token, oldest first. */
  asked: URLSearchParams[];
  /** Accepted by Graph, oldest first. */
  mails: { user: string; mime: string; token: string }[];
  /** Seconds that later tokens are valid. */
  lifetime: number;
  /** The OAuth error of later requests for a token; null for none. */
  refusal: { error: string; error_description: string; status?: number } | null;
  /** Each renewal replaces the refresh token, and the former one is refused. */
  rotates: boolean;
  /** The only refresh token that is accepted when it rotates. */
  refreshToken: string;
  /** The status and error of later mails; null for acceptance. */
  graphFault: { status: number; code: string; message: string; headers?: Record<string, string> } | null;
  /** Requests that Graph has received, and the most that ran at once. */
  graphCalls: { count: number; running: number; most: number };
  /** Graph answers when it resolves. */
  graphHold: Promise<unknown>;
  /** The refresh token that a renewal has replaced is accepted for a while. */
  acceptsFormer: boolean;
  isValid(token: string): boolean;
  /** No token given so far is accepted any more. */
  revoke(): void;
  close(): Promise<void>;
}

interface State {
  valid: Set<string>;
  /** The refresh token that the last renewal has replaced. */
  former: string;
}

export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const state: State = { valid: new Set(), former: '' };
  const server = createServer((request, response) => {
    const serve = request.url === '/token' ? giveToken : sendMail;
    serve(service, state, request, response).catch((error) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const service: TokenEndpoint = {
    tokenUrl: `http://127.0.0.1:${port}/token`,
    graphUrl: `http://127.0.0.1:${port}`,
    asked: [],
    mails: [],
    lifetime: 3600,
    refusal: null,
    rotates: false,
    refreshToken: 'refresh-0',
    graphFault: null,
    graphCalls: { count: 0, running: 0, most: 0 },
    graphHold: Promise.resolve(),
    acceptsFormer: false,
    isValid: (token) => state.valid.has(token),
    revoke: () => state.valid.clear(),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return service;
}

type Serve = (
  service: TokenEndpoint,
  state: State,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

const giveToken: Serve = async (service, state, request, response) => {
  const form = new URLSearchParams(await text(request));
  service.asked.push(form);
  const given = form.get('refresh_token');
  const isFormer = service.acceptsFormer && given === state.former;
  const isStale = service.rotates && given !== service.refreshToken && !isFormer;
  const refusal = isStale
    ? { error: 'invalid_grant', error_description: 'AADSTS70008: The refresh token has expired.' }
    : service.refusal;
  if (refusal !== null) return answer(response, service.refusal?.status ?? 400, refusal);
  const token = `access-${service.asked.length}`;
  state.valid.add(token);
  if (service.rotates) {
    state.former = service.refreshToken;
    service.refreshToken = `refresh-${service.asked.length}`;
  }
  answer(response, 200, {
    access_token: token,
    token_type: 'Bearer',
    expires_in: service.lifetime,
    ...(service.rotates ? { refresh_token: service.refreshToken } : {}),
  });
};

const sendMail: Serve = async (service, state, request, response) => {
  const body = await text(request);
  const calls = service.graphCalls;
  calls.count += 1;
  calls.running += 1;
  calls.most = Math.max(calls.most, calls.running);
  await service.graphHold;
  calls.running -= 1;
  const token = (request.headers.authorization ?? '').replace('Bearer ', '');
  if (!state.valid.has(token))
    return answer(response, 401, { error: { code: 'InvalidAuthenticationToken', message: '' } });
  const { graphFault } = service;
  if (graphFault !== null) {
    const { status, headers = {}, ...error } = graphFault;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    return answer(response, status, { error });
  }
  const user = /^\/v1\.0\/users\/([^/]+)\/sendMail$/.exec(request.url ?? '')?.[1] ?? '';
  service.mails.push({ user: decodeURIComponent(user), mime: Buffer.from(body, 'base64').toString(), token });
  response.writeHead(202).end();
};

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
