// The certificate authorities that outbound TLS connections trust, and the faults of certificates.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM text. */
export function certificatesIn(text: string): string[] {
  return text.match(certificate) ?? [];
}

/** False for text without certificates, and for damaged ones. */
export function areCertificates(text: string): boolean {
  try {
    const found = certificatesIn(text);
    for (const pem of found) new X509Certificate(pem);
    return found.length > 0;
  } catch {
    return false;
  }
}

/** The certificates of a PEM file. Throws a RangeError whose message completes "NAME …". */
export function readCertificates(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new RangeError(`names a file that can't be read (${path})`);
  }
  if (areCertificates(text)) return certificatesIn(text);
  throw new RangeError(`must name a file of certificates in PEM format (${path})`);
}

/** Every TLS connection that this process opens from now on trusts them too. Returns a function that undoes it. */
export function trustCertificates(certificates: readonly string[]): () => void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, ...certificates]);
  return () => setDefaultCACertificates(before);
}

/**
 * The `ca` option of a connection whose service has a file of its own (`WAYBILL_…_CA_FILE`). Connections without one
 * MUST leave `ca` out: the default covers `WAYBILL_CA_FILE`.
 */
export function trustedWith(certificates: readonly string[]): string[] {
  return [...getCACertificates('default'), ...certificates];
}

export type CertificateFault = 'unknown_authority' | 'expired' | 'other';

/** Null if the error is not about a certificate. */
export function certificateFault(error: Error & { code?: string }): CertificateFault | null {
  const text = `${error.code ?? ''} ${error.message}`;
  if (/CERT_HAS_EXPIRED|certificate has expired/i.test(text)) return 'expired';
  if (/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|self.signed|unable to (get|verify)/i.test(text)) return 'unknown_authority';
  return /CERT|ALTNAME|altnames|does not match/i.test(text) ? 'other' : null;
}
