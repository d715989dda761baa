// Addresses of LDAP servers.
import { isLoopbackHost } from '../smtp-url.ts';

export interface LdapUrl {
  host: string;
  port: number;
  protection: 'tls' | 'start_tls' | 'none';
}

/** Null if it is no address of an LDAP server, or would send passwords in clear over a network. */
export function parseLdapUrl(text: string): LdapUrl | null {
  const match = /^(ldaps|ldap\+starttls|ldap):\/\/(\[[0-9a-f:.]+\]|[^:/?#@\s]+)(?::(\d{1,5}))?\/?$/i.exec(text.trim());
  if (match === null) return null;
  const scheme = match[1]!.toLowerCase();
  const host = match[2]!.replace(/^\[|\]$/g, '');
  const port = match[3] === undefined ? (scheme === 'ldaps' ? 636 : 389) : Number(match[3]);
  if (port < 1 || port > 65_535) return null;
  if (scheme === 'ldap' && !isLoopbackHost(host)) return null;
  return { host, port, protection: scheme === 'ldaps' ? 'tls' : scheme === 'ldap' ? 'none' : 'start_tls' };
}
