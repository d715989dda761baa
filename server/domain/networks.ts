import { parseTrusted, type Trusted } from '../lib/client-address.ts';
import { invalid, Problem } from './problem.ts';

export const maxNetworks = 100;

/** Also the first invalid entry. */
export function readNetworks(given: readonly string[]): { networks: string[]; wrong: string | null } {
  const networks = [...new Set(given.map((network) => network.trim()).filter((network) => network !== ''))];
  return { networks, wrong: networks.find((network) => !isNetwork(network)) ?? null };
}

function isNetwork(text: string): boolean {
  try {
    parseTrusted(text);
    return text !== 'none' && !text.includes(',');
  } catch {
    return false;
  }
}

export function badNetwork(entry: string, field: string): Problem {
  return invalid(
    'security.bad_network',
    `“${entry}” is not a network. Write addresses such as 192.0.2.7 or networks such as 10.1.0.0/16.`,
    field,
  ).withValues({ entry });
}

const parsed = new Map<string, Trusted>();
const maxParsed = 200;

/** An empty list permits everything. */
export function isWithin(networks: readonly string[], address: string): boolean {
  if (networks.length === 0) return true;
  const text = networks.join(',');
  let inside = parsed.get(text);
  if (inside === undefined) {
    if (parsed.size >= maxParsed) parsed.clear();
    inside = parseTrusted(text);
    parsed.set(text, inside);
  }
  return inside.contains(address);
}

/** It would lock the caller out. */
export function assertInside(networks: readonly string[], address: string, field: string): void {
  if (isWithin(networks, address)) return;
  throw invalid('security.lock_out', `You would lock yourself out. Your own address is ${address}.`, field).withValues({
    address,
  });
}

interface Member {
  policy: { readonly allowed_networks: readonly string[] };
}

export function mayComeFrom({ policy }: Member, address: string): boolean {
  return isWithin(policy.allowed_networks, address);
}

export function assertGroupNetwork(member: Member, address: string): void {
  if (!mayComeFrom(member, address))
    throw new Problem('forbidden', 'security.group_network', 'Your account can’t be used from your network.');
}
