// One e-mail address, read by a linear parser of our own (security D10, D14): `local@domain` and nothing else. No display
// names, quotes, comments, groups, routes or control characters, so nothing can be smuggled into a mail header.
// Trims nothing and folds only ASCII case: what is not exactly an address is refused.
import { domainToASCII } from 'node:url';

export interface Address {
  /** The canonical form: the one that is stored, compared and mailed to. */
  address: string;
  local: string;
  /** Lower case; international names as A-labels (`xn--…`). */
  domain: string;
}

export interface AddressOptions {
  /** Accept domains without a dot, like `localhost`, for installations inside one network. */
  allowSingleLabel?: boolean;
}

const MAX_LOCAL_CHARS = 64;
const MAX_DOMAIN_CHARS = 255;
const MAX_ADDRESS_CHARS = 320;
const MAX_LABEL_CHARS = 63;

/** Atoms joined by dots. `%` and `!` are left out: old relays read them as routes to another host. */
const LOCAL_PART = /^[a-z0-9#$&'*+/=?^_`{|}~-]+(?:\.[a-z0-9#$&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** ASCII that may be in a domain, and letters, marks and digits of other scripts. */
const DOMAIN_CHARS = /^(?:[A-Za-z0-9.-]|[^\x00-\x7f\p{C}\p{Z}])+$/u;

/** The address in its canonical form, or null. */
export function parseAddress(text: string, options: AddressOptions = {}): Address | null {
  if (text.length > MAX_ADDRESS_CHARS) return null;
  const at = text.indexOf('@');
  if (at < 1 || at > MAX_LOCAL_CHARS) return null;
  // Only ASCII is lowered: the Kelvin sign must not become k (D10).
  const local = text.slice(0, at).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (!LOCAL_PART.test(local)) return null;
  const domain = parseDomain(text.slice(at + 1), options);
  if (domain === null) return null;
  const address = `${local}@${domain}`;
  return address.length > MAX_ADDRESS_CHARS ? null : { address, local, domain };
}

/** A host name as it is compared: lower-case A-labels, at least two of them. Null for anything else. */
export function parseDomain(text: string, options: AddressOptions = {}): string | null {
  if (text.length > MAX_DOMAIN_CHARS || !DOMAIN_CHARS.test(text)) return null;
  // The characters were checked first because domainToASCII, made for URLs, also decodes %41 and cuts at a slash.
  const domain = domainToASCII(text);
  if (domain === '' || domain.length > MAX_DOMAIN_CHARS) return null;
  const labels = domain.split('.');
  if (labels.length < 2 && !options.allowSingleLabel) return null;
  if (!labels.every((label) => label.length <= MAX_LABEL_CHARS && LABEL.test(label))) return null;
  // Also refuses IP addresses, which domainToASCII makes of `127.1`.
  return /^\d+$/.test(labels.at(-1)!) ? null : domain;
}
