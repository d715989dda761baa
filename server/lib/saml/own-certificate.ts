// The key pair of a SAML service provider, with a self-signed certificate: identity providers encrypt assertions for it.
import { generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

export interface OwnKey {
  /** PKCS #8 as PEM. */
  keyPem: string;
  /** Base64 without line breaks, as in metadata. */
  certificate: string;
}

const create = promisify(generateKeyPair);

/** Identity providers compare nothing but the key, so the certificate does not end before 2100. */
export async function createOwnKey(name: string): Promise<OwnKey> {
  const { publicKey, privateKey } = await create('rsa', { modulusLength: 2048 });
  return {
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: certificateOf(name.slice(0, 64), publicKey, privateKey).toString('base64'),
  };
}

function certificateOf(name: string, publicKey: KeyObject, privateKey: KeyObject): Buffer {
  const rsaWithSha256 = sequence(tlv(0x06, Buffer.from('2a864886f70d01010b', 'hex')), tlv(0x05, Buffer.alloc(0)));
  const commonName = sequence(tlv(0x06, Buffer.from('550403', 'hex')), tlv(0x0c, Buffer.from(name)));
  const named = sequence(tlv(0x31, commonName));
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([1])),
    rsaWithSha256,
    named,
    sequence(tlv(0x18, Buffer.from('20200101000000Z')), tlv(0x18, Buffer.from('21000101000000Z'))),
    named,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', body, privateKey);
  return sequence(body, rsaWithSha256, tlv(0x03, Buffer.concat([Buffer.from([0]), signature])));
}

/** DER: a tag, the length, the content. */
function tlv(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

function sequence(...items: Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(items));
}
