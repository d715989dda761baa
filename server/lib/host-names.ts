// Host names for the download log. A name counts only if it resolves back to the address, because the owner of an
// address controls its name.
import { Resolver } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { canonicalIp } from './ip.ts';

export interface HostNames {
  /** Empty if there is no confirmed name. Never rejects. */
  find(address: string): Promise<string>;
}

/** The system's name servers, or one of the operator's choice. */
export type HostNameSetting = 'off' | 'system' | { server: string };

const timeoutMs = 1000;
const cacheMs = 10 * 60_000;
const maxCached = 2000;
const maxParallel = 50;
const validName = /^(?=.{1,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i;

/** Null if switched off. */
export function openHostNames(setting: HostNameSetting): HostNames | null {
  if (setting === 'off') return null;
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  if (setting !== 'system') resolver.setServers([setting.server]);
  const known = new Map<string, { name: Promise<string>; until: number }>();
  let pendingCount = 0;

  async function ask(address: string): Promise<string> {
    pendingCount += 1;
    try {
      return await withinTimeout(confirmedName(resolver, address));
    } finally {
      pendingCount -= 1;
    }
  }

  return {
    async find(address) {
      const ip = canonicalIp(address);
      if (ip === null) return '';
      const now = performance.now();
      const cached = known.get(ip);
      if (cached !== undefined && cached.until > now) return cached.name;
      if (pendingCount >= maxParallel) return '';
      if (known.size >= maxCached) known.clear();
      const name = ask(ip);
      known.set(ip, { name, until: now + cacheMs });
      return name;
    },
  };
}

async function confirmedName(resolver: Resolver, ip: string): Promise<string> {
  const names = await resolver.reverse(ip).catch(() => []);
  const name = names.find((candidate) => validName.test(candidate));
  if (name === undefined) return '';
  const addresses = await (isIPv6(ip) ? resolver.resolve6(name) : resolver.resolve4(name)).catch(() => []);
  return addresses.some((address) => canonicalIp(address) === ip) ? name.toLowerCase() : '';
}

function withinTimeout(name: Promise<string>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve(''), timeoutMs);
  name.then(resolve, () => resolve(''));
  return promise.finally(() => clearTimeout(timer));
}
