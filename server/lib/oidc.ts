// An OpenID Connect client: code flow with PKCE, state and nonce. The library is loaded at the first use.
import type { ClientAuth, Configuration, IDToken } from 'openid-client';
import { createServiceFetch } from './service-fetch.ts';

export interface OidcClient {
  issuer: string;
  clientId: string;
  clientSecret: string;
  clientAuth: 'automatic' | 'basic' | 'post';
  scopes: string;
  acrValues: string;
  /** PEM certificates of authorities that are trusted as well. */
  ca: string;
  redirectUri: string;
}

/** What the browser must bring back; sealed in its cookie. */
export interface OidcChecks {
  state: string;
  nonce: string;
  verifier: string;
}

/** A step that failed, with the provider's words for the operator. */
export class OidcFailure extends Error {
  readonly step: 'discovery' | 'refused' | 'token' | 'claims';
  constructor(step: OidcFailure['step'], words: string) {
    super(words);
    this.name = 'OidcFailure';
    this.step = step;
  }
}

const clockToleranceSeconds = 300;
const metadataMs = 10 * 60_000;

interface Known {
  metadata: object;
  fetchedAt: number;
}

/** By issuer and authorities. Keys are fetched for each sign-in, so that a rotation needs no restart. */
const known = new Map<string, Known>();

async function configurationOf(client: OidcClient): Promise<Configuration> {
  const library = await import('openid-client');
  const serviceFetch = createServiceFetch(client.ca);
  const issuer = new URL(client.issuer);
  const isPlain = issuer.protocol === 'http:';
  const options = { [library.clockTolerance]: clockToleranceSeconds };
  const cacheKey = JSON.stringify([client.issuer, client.ca]);
  let found = known.get(cacheKey);
  if (found === undefined || Date.now() - found.fetchedAt > metadataMs) {
    const discovered = await library.discovery(issuer, client.clientId, options, library.None(), {
      [library.customFetch]: serviceFetch as never,
      execute: isPlain ? [library.allowInsecureRequests] : [],
    });
    found = { metadata: discovered.serverMetadata(), fetchedAt: Date.now() };
    known.set(cacheKey, found);
  }
  const metadata = found.metadata as ConstructorParameters<typeof library.Configuration>[0];
  const config = new library.Configuration(metadata, client.clientId, options, authOf(library, client, metadata));
  config[library.customFetch] = serviceFetch as never;
  if (isPlain) library.allowInsecureRequests(config);
  // Checks the signature of the ID token against the keys of the provider in the code flow as well.
  library.enableNonRepudiationChecks(config);
  return config;
}

type Library = typeof import('openid-client');

function authOf(library: Library, client: OidcClient, metadata: object): ClientAuth {
  const { clientSecret, clientAuth } = client;
  if (clientSecret === '') return library.None();
  const announced = (metadata as { token_endpoint_auth_methods_supported?: string[] })
    .token_endpoint_auth_methods_supported;
  const isPost =
    clientAuth === 'post' ||
    (clientAuth === 'automatic' &&
      announced?.includes('client_secret_basic') === false &&
      announced.includes('client_secret_post'));
  return isPost ? library.ClientSecretPost(clientSecret) : library.ClientSecretBasic(clientSecret);
}

/** Address of the provider's sign-in page. */
export async function beginOidc(client: OidcClient): Promise<{ url: string; checks: OidcChecks }> {
  const library = await import('openid-client');
  const config = await configurationOf(client).catch((error: unknown) => {
    throw new OidcFailure('discovery', wordsOf(error));
  });
  const checks = {
    state: library.randomState(),
    nonce: library.randomNonce(),
    verifier: library.randomPKCECodeVerifier(),
  };
  const url = library.buildAuthorizationUrl(config, {
    redirect_uri: client.redirectUri,
    scope: client.scopes,
    state: checks.state,
    nonce: checks.nonce,
    code_challenge: await library.calculatePKCECodeChallenge(checks.verifier),
    code_challenge_method: 'S256',
    ...(client.acrValues === '' ? {} : { acr_values: client.acrValues }),
  });
  return { url: url.href, checks };
}

/** The claims of the ID token, completed by those of the userinfo endpoint. `query`: of the callback. */
export async function finishOidc(
  client: OidcClient,
  checks: OidcChecks,
  query: string,
  wanted: readonly string[],
): Promise<Record<string, unknown>> {
  const library = await import('openid-client');
  const config = await configurationOf(client).catch((error: unknown) => {
    throw new OidcFailure('discovery', wordsOf(error));
  });
  const url = new URL(client.redirectUri);
  url.search = query;
  const tokens = await library
    .authorizationCodeGrant(config, url, {
      pkceCodeVerifier: checks.verifier,
      expectedState: checks.state,
      expectedNonce: checks.nonce,
      idTokenExpected: true,
    })
    .catch((error: unknown) => {
      const isRefusal = error instanceof library.AuthorizationResponseError;
      throw new OidcFailure(isRefusal ? 'refused' : 'token', wordsOf(error));
    });
  const claims: IDToken = tokens.claims()!;
  const isMissing = wanted.some((name) => name !== '' && claims[name] === undefined);
  if (!isMissing || config.serverMetadata().userinfo_endpoint === undefined) return { ...claims };
  const more = await library.fetchUserInfo(config, tokens.access_token, claims.sub).catch((error: unknown) => {
    throw new OidcFailure('claims', wordsOf(error));
  });
  return { ...more, ...claims };
}

/** The words of the provider, or of the check that failed. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { error: code, error_description: description, cause } = error as Error & Record<string, unknown>;
  const inner = cause instanceof Error ? cause.message : '';
  return [error.message, code, description, inner]
    .filter((part): part is string => typeof part === 'string' && part !== '')
    .join(': ')
    .slice(0, 500);
}

export function forgetOidcMetadata(): void {
  known.clear();
}
