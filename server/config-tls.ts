// The settings of built-in TLS.
import { type ConfigEntry, entry, text } from './config-entry.ts';
import { parseAddress, parseDomain } from './lib/address.ts';
import { type Listen, readListen, readUrl } from './lib/config-values.ts';

export const tlsEntries = {
  tlsCertFile: text(
    'WAYBILL_TLS_CERT_FILE',
    'PEM file of the certificate and its intermediate certificates: `WAYBILL_LISTEN` then serves HTTPS; a changed file is used within seconds',
  ),
  tlsKeyFile: text('WAYBILL_TLS_KEY_FILE', 'PEM file of the private key of `WAYBILL_TLS_CERT_FILE`'),
  tlsRedirectListen: entry<Listen | null>(
    'WAYBILL_TLS_REDIRECT_LISTEN',
    'address and port, such as `:80`, where plain HTTP is redirected to `WAYBILL_BASE_URL`',
    { default: null, read: readListen },
  ),
  acmeDomains: entry<string[]>(
    'WAYBILL_ACME_DOMAINS',
    'domains of a certificate that is ordered and renewed automatically (ACME), separated by commas; you accept the terms of the authority',
    { default: [], read: readDomains, defaultText: '–' },
  ),
  acmeEmail: text('WAYBILL_ACME_EMAIL', 'address that the certificate authority may write to'),
  acmeDirectory: entry('WAYBILL_ACME_DIRECTORY', 'directory of the certificate authority', {
    default: new URL('https://acme-v02.api.letsencrypt.org/directory'),
    read: readUrl,
    defaultText: 'that of Let’s Encrypt',
  }),
} as const satisfies Record<string, ConfigEntry<unknown>>;

function readDomains(value: string): string[] {
  return value.split(',').map((part) => {
    const domain = parseDomain(part.trim(), { allowSingleLabel: true });
    if (domain === null) throw new RangeError('must be domains separated by commas, such as files.example.com');
    return domain;
  });
}

interface TlsSettings {
  baseUrl: URL;
  tlsCertFile: string | null;
  tlsKeyFile: string | null;
  tlsRedirectListen: Listen | null;
  acmeDomains: readonly string[];
  acmeEmail: string | null;
}

export function isTlsServed({ tlsCertFile, acmeDomains }: Pick<TlsSettings, 'tlsCertFile' | 'acmeDomains'>): boolean {
  return tlsCertFile !== null || acmeDomains.length > 0;
}

export function tlsContradictions(config: TlsSettings): string[] {
  const { baseUrl, tlsCertFile, tlsKeyFile, tlsRedirectListen, acmeDomains, acmeEmail } = config;
  const name = tlsCertFile === null ? 'WAYBILL_ACME_DOMAINS' : 'WAYBILL_TLS_CERT_FILE';
  const faults: string[] = [];
  if ((tlsCertFile === null) !== (tlsKeyFile === null))
    faults.push('WAYBILL_TLS_CERT_FILE and WAYBILL_TLS_KEY_FILE must be set together.');
  if (tlsCertFile !== null && acmeDomains.length > 0)
    faults.push('WAYBILL_TLS_CERT_FILE and WAYBILL_ACME_DOMAINS are both set; keep one of them.');
  if (isTlsServed(config) && baseUrl.protocol !== 'https:')
    faults.push(`WAYBILL_BASE_URL must start with https:// when ${name} is set.`);
  if (acmeDomains.length > 0 && !acmeDomains.includes(baseUrl.hostname))
    faults.push('WAYBILL_ACME_DOMAINS must include the domain of WAYBILL_BASE_URL.');
  if (acmeEmail !== null && parseAddress(acmeEmail) === null)
    faults.push('WAYBILL_ACME_EMAIL must be one e-mail address.');
  if (!isTlsServed(config) && tlsRedirectListen !== null)
    faults.push('WAYBILL_TLS_REDIRECT_LISTEN needs WAYBILL_TLS_CERT_FILE or WAYBILL_ACME_DOMAINS.');
  return faults;
}
