// A certificate created for the test, so that no key is in the repository.
import { generateKeyPairSync, sign } from 'node:crypto';

export interface TestCertificate {
  keyPem: string;
  certificatePem: string;
}

/** Self-signed, for `localhost` and 127.0.0.1; valid until 2100 unless given otherwise. */
export function makeCertificate(until = new Date(Date.UTC(2100, 0, 1)), address = '127.0.0.1'): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
  const name = sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from('localhost')))));
  const names = sequence(tlv(0x82, Buffer.from('localhost')), tlv(0x87, Buffer.from(address.split('.').map(Number))));
  const body = sequence(
    tlv(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    name,
    sequence(
      tlv(0x18, Buffer.from('20000101000000Z')),
      tlv(0x18, Buffer.from(`${until.toISOString().replace(/[-:T]|\..*/g, '')}Z`)),
    ),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(sequence(oid('551d11'), tlv(0x04, names)))),
  );
  const signature = tlv(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  return {
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificatePem: pem(sequence(body, ecdsaWithSha256, signature)),
  };
}

/** DER: a tag, the length, the content. */
function tlv(tag: number, content: Buffer): Buffer {
  const length =
    content.length < 128
      ? Buffer.from([content.length])
      : content.length < 256
        ? Buffer.from([0x81, content.length])
        : Buffer.from([0x82, content.length >> 8, content.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, content]);
}

function sequence(...items: Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(items));
}

function integer(value: number): Buffer {
  return tlv(0x02, Buffer.from([value]));
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, 'hex'));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
