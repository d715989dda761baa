// A strict linear parser for `local@domain` without display names, quotes or comments, so that no address can inject
// into a mail header. Trims nothing.
import { domainToASCII } from 'node:url';

export interface Address {
  address: string;
  local: string;
  /** Lower case; international names as A-labels (`xn--…`). */
  domain: string;
}

export interface AddressOptions {
  /** Accept domains without a dot, like `localhost`. */
  allowSingleLabel?: boolean;
}

const MAX_LOCAL_CHARS = 64;
const MAX_DOMAIN_CHARS = 255;
const MAX_ADDRESS_CHARS = 320;
const MAX_LABEL_CHARS = 63;

/** Without `%` and `!`, which old relays read as routes to another host. */
const LOCAL_PART = /^[a-z0-9#$&'*+/=?^_`{|}~-]+(?:\.[a-z0-9#$&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const DOMAIN_CHARS = /^(?:[A-Za-z0-9.-]|[^\x00-\x7f\p{C}\p{Z}])+$/u;

export function parseAddress(text: string, options: AddressOptions = {}): Address | null {
  if (text.length > MAX_ADDRESS_CHARS) return null;
  const at = text.indexOf('@');
  if (at < 1 || at > MAX_LOCAL_CHARS) return null;
  // Only ASCII: the Kelvin sign must not become k.
  const local = text.slice(0, at).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (!LOCAL_PART.test(local)) return null;
  const domain = parseDomain(text.slice(at + 1), options);
  if (domain === null) return null;
  const address = `${local}@${domain}`;
  return address.length > MAX_ADDRESS_CHARS ? null : { address, local, domain };
}

/** At least two lower-case A-labels; else null. */
export function parseDomain(text: string, options: AddressOptions = {}): string | null {
  if (text.length > MAX_DOMAIN_CHARS || !DOMAIN_CHARS.test(text)) return null;
  // domainToASCII would also decode %41 and cut at a slash.
  const domain = domainToASCII(text);
  if (domain === '' || domain.length > MAX_DOMAIN_CHARS) return null;
  const labels = domain.split('.');
  if (labels.length < 2 && !options.allowSingleLabel) return null;
  if (!labels.every((label) => label.length <= MAX_LABEL_CHARS && LABEL.test(label))) return null;
  // Also refuses the IP addresses that domainToASCII makes of `127.1`.
  return /^\d+$/.test(labels.at(-1)!) ? null : domain;
}
