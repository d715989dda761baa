// The npm package oidc-provider as a real OpenID provider in the process of a test. It requires PKCE.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
// @ts-expect-error: the package has no types, and those of others bring the types of a whole web framework.
import Provider from 'oidc-provider';
import { Browser } from './browser.ts';

export interface OidcPerson {
  email: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
}

export interface OidcProvider {
  issuer: string;
  /** Follows the address of a sign-in as this person, by the forms of the provider; the result is the way back. */
  signIn(address: string, name: string): Promise<string>;
  /** New tokens are signed with a new key; the old one is gone. */
  changeKey(): void;
  close(): Promise<void>;
}

interface Client {
  id: string;
  secret: string;
  callbackUrl: string;
}

export async function startOidcProvider(client: Client, people: Record<string, OidcPerson>): Promise<OidcProvider> {
  let answer: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const start = () => {
    answer = new Provider(issuer, settingsOf(client, people)).callback() as RequestListener;
  };
  start();
  return {
    issuer,
    signIn: (address, name) => signIn(issuer, address, name),
    changeKey: start,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function settingsOf({ id, secret, callbackUrl }: Client, people: Record<string, OidcPerson>) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'ES256', use: 'sig' };
  return {
    clients: [
      {
        client_id: id,
        client_secret: secret,
        redirect_uris: [callbackUrl],
        token_endpoint_auth_method: 'client_secret_basic',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: [randomUUID()] },
    claims: { email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    findAccount: (_context: unknown, name: string) => ({
      accountId: name,
      claims: () => ({ sub: `id of ${name}`, ...people[name] }),
    }),
  };
}

async function signIn(issuer: string, address: string, name: string): Promise<string> {
  const browser = new Browser(issuer);
  const pathOf = (location: string) => location.replace(issuer, '');
  let { location } = await browser.get(pathOf(address));
  for (const prompt of ['login', 'consent']) {
    const fields = { prompt, login: name, password: 'any' };
    const sent = await browser.submitBare(pathOf(location!), fields);
    ({ location } = await browser.get(pathOf(sent.location!)));
    if (!location!.startsWith('/interaction/')) break;
  }
  return location!;
}
