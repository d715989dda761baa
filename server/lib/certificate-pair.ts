// A certificate with its private key, as the service presents it.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

export interface CertificatePair {
  /** PEM, the own certificate first. */
  cert: string;
  /** PEM. */
  key: string;
}

export interface PairFiles {
  certFile: string;
  keyFile: string;
}

/** Throws a RangeError with a sentence if the files cannot be read or do not belong together. */
export async function readPair({ certFile, keyFile }: PairFiles): Promise<CertificatePair> {
  const read = (name: string, path: string) =>
    readFile(path, 'utf8').catch(() => {
      throw new RangeError(`${name} names a file that can't be read (${path}).`);
    });
  const pair = {
    cert: await read('WAYBILL_TLS_CERT_FILE', certFile),
    key: await read('WAYBILL_TLS_KEY_FILE', keyFile),
  };
  try {
    new X509Certificate(pair.cert);
  } catch {
    throw new RangeError(`WAYBILL_TLS_CERT_FILE must name a certificate in PEM format (${certFile}).`);
  }
  try {
    createSecureContext(pair);
  } catch (error) {
    const reason = /mismatch/i.test(String(error)) ? 'belongs to another certificate' : 'cannot be used';
    throw new RangeError(`The private key of WAYBILL_TLS_KEY_FILE ${reason} (${keyFile}).`);
  }
  return pair;
}
