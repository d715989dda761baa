import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';

/** A certificate and its key (RSA, or P-256) in one PEM text. */
export function isCertificateWithKey(pem: string): boolean {
  try {
    const key = createPrivateKey(pem);
    const isKnown = key.asymmetricKeyType === 'rsa' || key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
    return isKnown && new X509Certificate(pem).checkPrivateKey(key);
  } catch {
    return false;
  }
}

export function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

export function createRsaKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** As in a DKIM record. */
export function publicKeyBase64(pem: string): string {
  return createPublicKey(createPrivateKey(pem)).export({ type: 'spki', format: 'der' }).toString('base64');
}
