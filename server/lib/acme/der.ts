// Writes DER, as certificates and requests for them need it.

export function tlv(tag: number, content: Buffer): Buffer {
  if (content.length < 128) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const bytes = length.subarray(length.findIndex((byte) => byte !== 0));
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content]);
}

export const sequence = (...items: Buffer[]): Buffer => tlv(0x30, Buffer.concat(items));
export const set = (...items: Buffer[]): Buffer => tlv(0x31, Buffer.concat(items));
export const octets = (content: Buffer): Buffer => tlv(0x04, content);
export const bits = (content: Buffer): Buffer => tlv(0x03, Buffer.concat([Buffer.from([0]), content]));
export const isTrue = tlv(0x01, Buffer.from([0xff]));

/** At most 127. */
export const smallInteger = (value: number): Buffer => tlv(0x02, Buffer.from([value]));

/** An object identifier by its encoded content. */
export const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));

export const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));

/** The extension of alternative names with these DNS names. */
export function alternativeNames(domains: readonly string[]): Buffer {
  const names = domains.map((domain) => tlv(0x82, Buffer.from(domain)));
  return sequence(oid('551d11'), octets(sequence(...names)));
}

export function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
