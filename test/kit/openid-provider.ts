// An OpenID Connect provider on loopback that answers at once, with chosen faults in the ID token.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Values = Record<string, unknown>;

export interface OpenIdProvider {
  issuer: string;
  /** Of the next sign-ins. */
  claims: Values;
  /** Replaces claims of the ID token, such as `nonce`, `iss`, `aud` and `exp`. */
  faults: Values;
  /** Signs with a key that is not published. */
  isForged: boolean;
  /** Methods that it announces; null for none. */
  authMethods: string[] | null;
  /** How clients have sent their secret, oldest first. */
  authUsed: ('basic' | 'post')[];
  /** Parameters of the last request of a browser. */
  asked: URLSearchParams;
  /** Later tokens have another key. */
  rotate(): void;
  close(): Promise<void>;
}

const clientId = 'waybill';
const clientSecret = 'a secret of the client';

interface Key {
  id: string;
  privateKey: KeyObject;
  jwk: object;
}

function createKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const id = randomBytes(6).toString('hex');
  return { id, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid: id, use: 'sig', alg: 'RS256' } };
}

type Serve = (url: URL, request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

interface State {
  provider: OpenIdProvider;
  key: Key;
  codes: Map<string, URLSearchParams>;
}

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const server = createServer((request, response) => {
    const url = new URL(request.url!, provider.issuer);
    const serve = routes[url.pathname];
    if (serve === undefined) return void response.writeHead(404).end();
    Promise.resolve(serve(url, request, response)).catch((error) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: OpenIdProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    claims: {},
    faults: {},
    isForged: false,
    authMethods: null,
    authUsed: [],
    asked: new URLSearchParams(),
    rotate: () => {
      state.key = createKey();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const state: State = { provider, key: createKey(), codes: new Map() };
  const routes: Record<string, Serve> = {
    '/.well-known/openid-configuration': (_, __, response) => json(response, metadataOf(provider)),
    '/keys': (_, __, response) => json(response, { keys: [state.key.jwk] }),
    '/authorize': ({ searchParams }, _, response) => authorize(state, searchParams, response),
    '/token': (_, request, response) => giveToken(state, request, response),
  };
  return provider;
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function metadataOf({ issuer, authMethods }: OpenIdProvider): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    ...(authMethods === null ? {} : { token_endpoint_auth_methods_supported: authMethods }),
  };
}

function authorize({ provider, codes }: State, asked: URLSearchParams, response: ServerResponse): void {
  provider.asked = asked;
  const code = randomBytes(8).toString('hex');
  codes.set(code, asked);
  const back = new URL(asked.get('redirect_uri')!);
  back.searchParams.set('code', code);
  back.searchParams.set('state', asked.get('state')!);
  response.writeHead(302, { location: back.href }).end();
}

async function giveToken(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { provider, codes } = state;
  const form = new URLSearchParams(await text(request));
  const basic = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString();
  const isPost = form.get('client_secret') === clientSecret;
  const isBasic = decodeURIComponent(basic.replaceAll('+', ' ')) === `${clientId}:${clientSecret}`;
  const asked = codes.get(form.get('code') ?? '');
  codes.delete(form.get('code') ?? '');
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  if (!isPost && !isBasic) return json(response, { error: 'invalid_client' }, 401);
  if (asked === undefined || asked.get('code_challenge') !== challenge)
    return json(response, { error: 'invalid_grant' }, 400);
  provider.authUsed.push(isPost ? 'post' : 'basic');
  json(response, { access_token: 'x', token_type: 'Bearer', expires_in: 60, id_token: idToken(state, asked) });
}

function idToken({ provider, key }: State, asked: URLSearchParams): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iss: provider.issuer,
    aud: clientId,
    iat: now,
    exp: now + 300,
    nonce: asked.get('nonce'),
    ...provider.claims,
    ...provider.faults,
  };
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'RS256', kid: key.id })}.${encode(payload)}`;
  const signer = provider.isForged ? createKey().privateKey : key.privateKey;
  return `${signed}.${sign('sha256', Buffer.from(signed), signer).toString('base64url')}`;
}

export const openIdClient = { client_id: clientId, client_secret: clientSecret };
