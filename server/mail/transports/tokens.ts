// Access tokens for mail (OAuth 2.0: client credentials or refresh token), shared by all processes through a store.
import { createHash, createPrivateKey, randomUUID, sign, X509Certificate } from 'node:crypto';
import { defaultScope, type MailSetup } from '#server/domain/mail-settings.ts';
import { post } from '#server/lib/https-post.ts';
import { oneLine } from './replies.ts';

export interface StoredToken {
  accessToken: string;
  /** Empty for client credentials; a service may replace it at each renewal. */
  refreshToken: string;
  renewAt: number;
  expiresAt: number;
}

/** Among all processes. */
export interface TokenStore {
  find(id: string): Promise<StoredToken | null>;
  /** True for one process until it saves, releases, or the lease ends. */
  claim(id: string): Promise<boolean>;
  save(id: string, token: StoredToken): Promise<void>;
  release(id: string): Promise<void>;
  now(): number;
}

export interface TokenSource {
  /** `refused`: a token that the mail service did not accept. Throws TokenFault. */
  get(refused?: string): Promise<string>;
}

export class TokenFault extends Error {
  /** False if the token service could not be asked. */
  readonly isRefused: boolean;
  /** Of the connection. */
  readonly code: string;
  constructor(words: string, { isRefused, code = '' }: { isRefused: boolean; code?: string }) {
    super(oneLine(words));
    this.name = 'TokenFault';
    this.isRefused = isRefused;
    this.code = code;
  }
}

type Client = Pick<
  MailSetup,
  'method' | 'tokenUrl' | 'clientId' | 'clientSecret' | 'certificate' | 'refreshToken' | 'scope' | 'graphUrl' | 'user'
>;

/** Tokens of other settings have other ids. */
export function tokenIdOf(client: Client): string {
  const { method, tokenUrl, clientId, clientSecret, certificate, refreshToken, scope, graphUrl, user } = client;
  const parts = [method, tokenUrl, clientId, clientSecret, certificate, refreshToken, scope, graphUrl, user];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

const pollMs = 250;
const waitMs = 30_000;
/** A refusal is not asked for again by every queued mail. */
const faultAgeMs = 30_000;

export function openTokens(client: MailSetup, store: TokenStore): TokenSource {
  const id = tokenIdOf(client);
  const renew = openRenewal(client, id, store);
  let renewing: Promise<string> | null = null;
  let failed: { at: number; fault: unknown } | null = null;

  async function renewOnce(refused: string | undefined): Promise<string> {
    if (failed !== null && store.now() - failed.at < faultAgeMs) throw failed.fault;
    renewing ??= renew(refused).finally(() => {
      renewing = null;
    });
    try {
      const token = await renewing;
      failed = null;
      return token;
    } catch (fault) {
      failed = { at: store.now(), fault };
      throw fault;
    }
  }

  return {
    async get(refused) {
      const found = await store.find(id);
      if (found === null || !isUsable(found, { refused, now: store.now() })) return renewOnce(refused);
      if (found.renewAt > store.now()) return found.accessToken;
      // The old token is still accepted.
      return renewOnce(undefined).catch(() => found.accessToken);
    },
  };
}

function isUsable(token: StoredToken, { refused, now }: { refused: string | undefined; now: number }): boolean {
  return token.accessToken !== '' && token.accessToken !== refused && token.expiresAt > now;
}

/** One process at a time asks the service. */
function openRenewal(client: MailSetup, id: string, store: TokenStore) {
  /** Received, but not stored yet: the service may accept its refresh token alone from now on. */
  let unsaved: { token: StoredToken; replaces: string } | null = null;

  return async function renew(refused: string | undefined): Promise<string> {
    const end = performance.now() + waitMs;
    for (;;) {
      if (await store.claim(id)) return renewClaimed(refused);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      const found = await store.find(id);
      if (found !== null && isUsable(found, { refused, now: store.now() })) return found.accessToken;
      if (performance.now() > end)
        throw new TokenFault('another process is still asking for a token', { isRefused: false });
    }
  };

  async function renewClaimed(refused: string | undefined): Promise<string> {
    let saved = false;
    try {
      const before = await store.find(id);
      const now = store.now();
      // Another process may have stored a newer one.
      if (unsaved?.replaces !== (before?.accessToken ?? '')) unsaved = null;
      if (before !== null && isUsable(before, { refused, now }) && before.renewAt > now) return before.accessToken;
      unsaved ??= {
        token: await requestToken(client, { refreshToken: before?.refreshToken ?? '', now }),
        replaces: before?.accessToken ?? '',
      };
      const { token } = unsaved;
      await store.save(id, token);
      saved = true;
      unsaved = null;
      if (isUsable(token, { refused, now: store.now() })) return token.accessToken;
    } finally {
      if (!saved) await store.release(id);
    }
    throw new TokenFault('the token has expired before it was stored', { isRefused: false });
  }
}

const defaultLifetimeSeconds = 3600;
const earlyMs = 5 * 60_000;

/** Asks the token service now. */
export async function requestToken(
  client: Client,
  { refreshToken = '', now }: { refreshToken?: string; now: number },
): Promise<StoredToken> {
  const form = formOf(client, refreshToken);
  const reply = await post(new URL(client.tokenUrl), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  }).catch((error: Error & { code?: string }) => {
    throw new TokenFault(error.message || error.code || 'no connection', { isRefused: false, code: error.code ?? '' });
  });
  const answer = parsed(reply.body);
  const accessToken = answer.access_token;
  if (reply.status !== 200 || typeof accessToken !== 'string' || accessToken === '') {
    const words = [answer.error, answer.error_description].filter((word) => typeof word === 'string').join(': ');
    throw new TokenFault(words || `status ${reply.status}`, {
      isRefused: reply.status < 500 && ![408, 429].includes(reply.status),
    });
  }
  const seconds = Number(answer.expires_in ?? defaultLifetimeSeconds);
  const lifetimeMs = (Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 86_400) : 60) * 1000;
  return {
    accessToken,
    refreshToken: typeof answer.refresh_token === 'string' ? answer.refresh_token : refreshToken,
    expiresAt: now + lifetimeMs,
    renewAt: now + lifetimeMs - Math.min(earlyMs, lifetimeMs / 4),
  };
}

function formOf(client: Client, rotated: string): URLSearchParams {
  const scope = client.scope || defaultScope(client as MailSetup);
  const refreshToken = rotated || client.refreshToken;
  return new URLSearchParams({
    client_id: client.clientId,
    ...(refreshToken === ''
      ? { grant_type: 'client_credentials' }
      : { grant_type: 'refresh_token', refresh_token: refreshToken }),
    ...(scope === '' ? {} : { scope }),
    ...credentialsOf(client),
  });
}

function credentialsOf(client: Client): Record<string, string> {
  if (client.certificate !== '')
    return {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertionOf(client),
    };
  return client.clientSecret === '' ? {} : { client_secret: client.clientSecret };
}

const assertionSeconds = 600;

/** RFC 7523, with the certificate's thumbprint as Microsoft Entra expects it. */
function assertionOf({ certificate, clientId, tokenUrl }: Client): string {
  const thumbprint = Buffer.from(new X509Certificate(certificate).fingerprint256.replaceAll(':', ''), 'hex');
  const seconds = Math.floor(Date.now() / 1000);
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const key = createPrivateKey(certificate);
  const alg = key.asymmetricKeyType === 'ec' ? 'ES256' : 'RS256';
  const head = encode({ alg, typ: 'JWT', 'x5t#S256': thumbprint.toString('base64url') });
  const claims = encode({
    aud: tokenUrl,
    iss: clientId,
    sub: clientId,
    jti: randomUUID(),
    nbf: seconds - 60,
    exp: seconds + assertionSeconds,
  });
  const signature = sign('sha256', Buffer.from(`${head}.${claims}`), { key, dsaEncoding: 'ieee-p1363' });
  return `${head}.${claims}.${signature.toString('base64url')}`;
}

function parsed(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
