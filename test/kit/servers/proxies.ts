// The proxies that operators put in front, as Debian brings them.
import { existsSync } from 'node:fs';
import type { Requirement } from './packages.ts';

export const proxyPrograms = {
  haproxy: '/usr/sbin/haproxy',
  caddy: '/usr/bin/caddy',
  apache2: '/usr/sbin/apache2',
} as const;

export const proxyRequirements: Requirement[] = Object.entries(proxyPrograms).map(([name, path]) => ({
  name,
  debianPackages: [name],
  isMet: () => existsSync(path),
}));
