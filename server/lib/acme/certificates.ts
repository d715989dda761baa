// The request for a certificate, and the certificate that answers a TLS-ALPN-01 challenge (RFC 8737).
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { CertificatePair } from '../certificate-pair.ts';
import {
  alternativeNames,
  bits,
  ecdsaWithSha256,
  isTrue,
  octets,
  oid,
  pem,
  sequence,
  set,
  smallInteger,
  tlv,
} from './der.ts';

const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'der' });
const pkcs8 = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();

function signed(body: Buffer, key: KeyObject): Buffer {
  return sequence(body, ecdsaWithSha256, bits(sign('sha256', body, key)));
}

export interface CertificateRequest {
  der: Buffer;
  /** PEM. */
  key: string;
}

/** With a new key. */
export function createRequest(domains: readonly string[]): CertificateRequest {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const extensions = sequence(oid('2a864886f70d01090e'), set(sequence(alternativeNames(domains))));
  const body = sequence(smallInteger(0), sequence(), spki(publicKey), tlv(0xa0, extensions));
  return { der: signed(body, privateKey), key: pkcs8(privateKey) };
}

const weekMs = 7 * 86_400_000;

function instant(at: number): Buffer {
  return tlv(0x18, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]|\..*/g, '')}Z`));
}

export function createChallengeCertificate(domain: string, keyAuthorization: string, now: number): CertificatePair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = sequence(set(sequence(oid('550403'), tlv(0x0c, Buffer.from('ACME challenge')))));
  const digest = createHash('sha256').update(keyAuthorization).digest();
  const identifier = sequence(oid('2b0601050507011f'), isTrue, octets(octets(digest)));
  const serial = tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]));
  const body = sequence(
    tlv(0xa0, smallInteger(2)),
    serial,
    ecdsaWithSha256,
    name,
    sequence(instant(now - weekMs), instant(now + weekMs)),
    name,
    spki(publicKey),
    tlv(0xa3, sequence(alternativeNames([domain]), identifier)),
  );
  return { cert: pem('CERTIFICATE', signed(body, privateKey)), key: pkcs8(privateKey) };
}
