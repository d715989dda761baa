// Connections to LDAP servers: always encrypted (except to this machine), bound once, never reconnected.
import { connect as connectPlain, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { Client } from 'ldapts';
import { certificateFault, trustedWith } from '../outbound-tls.ts';
import { parseLdapUrl } from './url.ts';

export interface LdapServer {
  /** `ldaps://`, `ldap+starttls://`, or `ldap://` to this machine. */
  url: string;
  /** Empty for an anonymous search. */
  bindDn: string;
  bindPassword: string;
  /** Further trusted certificates as PEM; empty for none. */
  ca: string;
  /** For a connection and for each operation. */
  timeoutMs: number;
}

export type LdapStep = 'address' | 'connect' | 'certificate' | 'start_tls' | 'bind' | 'search' | 'person';

/** Names the step that failed, in words for administrators. Never contains a password. */
export class LdapFault extends Error {
  readonly step: LdapStep;

  constructor(step: LdapStep, message: string) {
    super(message);
    this.name = 'LdapFault';
    this.step = step;
  }
}

/** Runs `work` on a bound connection and closes it. Every failure of the server is an LdapFault. */
export async function withLdap<Result>(server: LdapServer, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = await openClient(server);
  try {
    if (server.bindDn !== '') await bindAs(client, server.bindDn, server.bindPassword);
    return await work(client);
  } catch (error) {
    throw asFault(error, 'search');
  } finally {
    await client.unbind().catch(() => {});
  }
}

/** Whether the password is right. An empty one is never sent: servers would take it as an anonymous bind. */
export async function isRightPassword(server: LdapServer, dn: string, password: string): Promise<boolean> {
  if (password === '' || dn === '') return false;
  const client = await openClient(server);
  try {
    await client.bind(dn, password);
    return true;
  } catch (error) {
    if (isRefusedBind(error)) return false;
    throw asFault(error, 'bind');
  } finally {
    await client.unbind().catch(() => {});
  }
}

async function bindAs(client: Client, dn: string, password: string): Promise<void> {
  if (password === '') throw new LdapFault('bind', 'the password of the searching account is missing');
  try {
    await client.bind(dn, password);
  } catch (error) {
    if (isRefusedBind(error))
      throw new LdapFault('bind', `the server refused the searching account: ${wordsOf(error)}`);
    throw asFault(error, 'bind');
  }
}

const refusedCodes = new Set([
  19, // constraint violation: a password policy refuses the account
  32, // no such object
  48, // inappropriate authentication: the entry has no password
  49, // invalid credentials
  50, // insufficient access
  53, // unwilling to perform: a policy refuses the account
]);

function isRefusedBind(error: unknown): boolean {
  return refusedCodes.has(codeOf(error) ?? -1);
}

function codeOf(error: unknown): number | null {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : null;
}

async function openClient(server: LdapServer): Promise<Client> {
  const target = parseLdapUrl(server.url);
  if (target === null)
    throw new LdapFault('address', 'the address must be ldaps:// or ldap+starttls:// (ldap:// only for this machine)');
  const { Client: LdapClient } = await import('ldapts');
  const { host, port, protection } = target;
  const tls: ConnectionOptions = {
    host,
    ...(/[:]|^[\d.]+$/.test(host) ? {} : { servername: host }),
    ...(server.ca === '' ? {} : { ca: trustedWith([server.ca]) }),
  };
  const once = onlyOnce();
  const upgradeOnce = onlyOnce();
  const client = new LdapClient({
    url: `${protection === 'tls' ? 'ldaps' : 'ldap'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    timeout: server.timeoutMs,
    connectTimeout: server.timeoutMs,
    strictDN: false,
    ...(protection === 'tls' ? { tlsOptions: tls } : {}),
    createConnection: (...[to, at]: unknown[]) => once(() => connectPlain(Number(to), String(at))),
    createSecureConnection: (...args: unknown[]) =>
      upgradeOnce(() => (connectTls as (...given: unknown[]) => Socket)(...args)),
  } as ConstructorParameters<typeof LdapClient>[0]);
  if (protection === 'start_tls') {
    try {
      await client.startTLS(tls);
    } catch (error) {
      await client.unbind().catch(() => {});
      throw asFault(error, codeOf(error) === null ? 'connect' : 'start_tls');
    }
  }
  return client;
}

/** The library reconnects silently, without TLS or bind; an anonymous search would then find no one. */
function onlyOnce(): <Made>(make: () => Made) => Made {
  let isUsed = false;
  return (make) => {
    if (isUsed) throw new LdapFault('connect', 'the server closed the connection');
    isUsed = true;
    return make();
  };
}

export function asFault(error: unknown, step: LdapStep): LdapFault {
  if (error instanceof LdapFault) return error;
  const words = wordsOf(error);
  if (certificateFault(error as Error) !== null)
    return new LdapFault('certificate', `the certificate of the server is not valid: ${words}`);
  const isLost = typeof (error as { code?: unknown }).code === 'string' || /socket|connection|timed? ?out/i.test(words);
  if (codeOf(error) === null && isLost) return new LdapFault('connect', `the server does not answer: ${words}`);
  return new LdapFault(step, `the ${step} failed: ${words}`);
}

/** One line. The library's messages have a code and the server's own text, never what was sent. */
function wordsOf(error: unknown): string {
  const { message, name, code } = error as { message?: string; name?: string; code?: unknown };
  const text = (message ?? '').replace(/\s+/g, ' ').trim();
  return (text === '' ? `${name ?? 'error'} ${String(code ?? '')}`.trim() : text).slice(0, 300);
}
