// A client of certificate authorities with ACME (RFC 8555): accounts, orders, and the challenges of HTTP-01 and
// TLS-ALPN-01. ES256 signatures.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { CertificatePair } from '../certificate-pair.ts';
import { createRequest } from './certificates.ts';

export type ChallengeType = 'http-01' | 'tls-alpn-01';

export interface Challenge {
  domain: string;
  token: string;
  keyAuthorization: string;
}

export interface AcmeOrder {
  directory: URL;
  email: string | null;
  /** PEM of the account. */
  accountKey: string;
  domains: readonly string[];
  type: ChallengeType;
  /** Resolves when every process answers these challenges. */
  publish(challenges: Challenge[]): Promise<void>;
}

/** The authority refused, or did not complete in time. */
export class AcmeProblem extends Error {}

interface Directory {
  newNonce: string;
  newAccount: string;
  newOrder: string;
}

interface Reply<Body> {
  body: Body;
  location: string;
}

interface Order {
  status: string;
  authorizations: string[];
  finalize: string;
  certificate?: string;
  error?: { detail?: string };
}

interface Authorization {
  status: string;
  identifier: { value: string };
  challenges: { type: string; url: string; token: string; error?: { detail?: string } }[];
}

const requestMs = 30_000;
const orderMs = 120_000;
const pollMs = 1000;
const maxNonceRetries = 5;

export function createAccountKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function publicJwk(key: KeyObject): { crv: string; kty: string; x: string; y: string } {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  return { crv: crv!, kty: kty!, x: x!, y: y! };
}

/** Posts signed requests of one account. */
async function openSession({ directory, email, accountKey }: AcmeOrder) {
  const key = createPrivateKey(accountKey);
  const jwk = publicJwk(key);
  const places = (await (await ask(directory.href)).json()) as Directory;
  let nonce: string | null = null;
  let account: string | null = null;

  async function send(url: string, payload: object | null): Promise<Response> {
    nonce ??= (await ask(places.newNonce, { method: 'HEAD' })).headers.get('replay-nonce') ?? '';
    const from = account === null ? { jwk } : { kid: account };
    const header = base64url({ alg: 'ES256', nonce, url, ...from });
    const body = payload === null ? '' : base64url(payload);
    const signature = sign('sha256', Buffer.from(`${header}.${body}`), { key, dsaEncoding: 'ieee-p1363' });
    const reply = await ask(url, {
      method: 'POST',
      headers: { 'content-type': 'application/jose+json' },
      body: JSON.stringify({ protected: header, payload: body, signature: signature.toString('base64url') }),
    });
    nonce = reply.headers.get('replay-nonce');
    return reply;
  }

  async function post(url: string, payload: object | null): Promise<Response> {
    for (let retries = 0; ; retries++) {
      const reply = await send(url, payload);
      if (reply.ok) return reply;
      const { type = '', detail = `status ${reply.status}` } = await problemOf(reply);
      if (!type.endsWith(':badNonce') || retries === maxNonceRetries) throw new AcmeProblem(detail);
    }
  }

  const call = async <Body>(url: string, payload: object | null): Promise<Reply<Body>> => {
    const reply = await post(url, payload);
    return { body: (await reply.json()) as Body, location: reply.headers.get('location') ?? '' };
  };
  const contact = email === null ? {} : { contact: [`mailto:${email}`] };
  account = (await call(places.newAccount, { termsOfServiceAgreed: true, ...contact })).location;
  const thumbprint = createHash('sha256').update(JSON.stringify(jwk)).digest('base64url');
  return { places, call, thumbprint, text: async (url: string) => (await post(url, null)).text() };
}

type Session = Awaited<ReturnType<typeof openSession>>;

async function ask(url: string, options: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...options, redirect: 'error', signal: AbortSignal.timeout(requestMs) });
}

async function problemOf(reply: Response): Promise<{ type?: string; detail?: string }> {
  const text = await reply.text();
  try {
    return JSON.parse(text) as { type?: string; detail?: string };
  } catch {
    return { detail: `status ${reply.status}` };
  }
}

/** Throws AcmeProblem with the authority's own reason. */
export async function orderCertificate(order: AcmeOrder): Promise<CertificatePair> {
  const session = await openSession(order);
  const identifiers = order.domains.map((value) => ({ type: 'dns', value }));
  const { body, location } = await session.call<Order>(session.places.newOrder, { identifiers });
  const authorizations = await Promise.all(
    body.authorizations.map(async (url) => ({ url, ...(await session.call<Authorization>(url, null)).body })),
  );
  const pending = authorizations.filter(({ status }) => status === 'pending');
  const challenges = pending.map((authorization) => challengeOf(authorization, order.type));
  await order.publish(
    challenges.map(({ domain, token }) => ({ domain, token, keyAuthorization: `${token}.${session.thumbprint}` })),
  );
  for (const { url } of challenges) await session.call(url, {});
  for (const { url } of pending) await untilValid(session, url);
  const request = createRequest(order.domains);
  await session.call(body.finalize, { csr: request.der.toString('base64url') });
  const { certificate } = await untilDone<Order>(session, location, ({ status }) => status === 'valid');
  if (certificate === undefined) throw new AcmeProblem('the authority issued no certificate');
  return { cert: await session.text(certificate), key: request.key };
}

function challengeOf({ challenges, identifier }: Authorization, type: ChallengeType) {
  const found = challenges.find((challenge) => challenge.type === type);
  if (found === undefined) throw new AcmeProblem(`the authority offers no ${type} for ${identifier.value}`);
  return { ...found, domain: identifier.value };
}

async function untilValid(session: Session, url: string): Promise<void> {
  await untilDone<Authorization>(session, url, ({ status, challenges, identifier }) => {
    if (status !== 'invalid') return status === 'valid';
    const reason = challenges.find(({ error }) => error !== undefined)?.error?.detail ?? 'not accepted';
    throw new AcmeProblem(`${identifier.value}: ${reason}`);
  });
}

async function untilDone<Body extends { status: string }>(
  session: Session,
  url: string,
  isDone: (body: Body) => boolean,
): Promise<Body> {
  const begunAt = performance.now();
  for (;;) {
    const { body } = await session.call<Body>(url, null);
    if (isDone(body)) return body;
    if (body.status === 'invalid') throw new AcmeProblem('the order was refused');
    if (performance.now() - begunAt > orderMs) throw new AcmeProblem('the authority did not answer in time');
    await pause(pollMs);
  }
}
