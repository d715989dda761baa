// Browsers hash only whole files in memory. CRC-32 detects corrupt chunks, not tampering.

/** Slicing-by-8. */
const first = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});
const after = (before: Uint32Array) => before.map((value) => (value >>> 8) ^ first[value & 0xff]!);
const second = after(first);
const third = after(second);
const fourth = after(third);
const fifth = after(fourth);
const sixth = after(fifth);
const seventh = after(sixth);
const tables = [first, second, third, fourth, fifth, sixth, seventh, after(seventh)] as const;

/** Continues from the checksum `before`, which starts at 0. */
export function crc32(before: number, bytes: Uint8Array): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length - (bytes.length % 8);
  let crc = ~before;
  let at = 0;
  for (; at < whole; at += 8) {
    const low = view.getUint32(at, true) ^ crc;
    const high = view.getUint32(at + 4, true);
    crc =
      t7[low & 0xff]! ^
      t6[(low >>> 8) & 0xff]! ^
      t5[(low >>> 16) & 0xff]! ^
      t4[low >>> 24]! ^
      t3[high & 0xff]! ^
      t2[(high >>> 8) & 0xff]! ^
      t1[(high >>> 16) & 0xff]! ^
      t0[high >>> 24]!;
  }
  for (; at < bytes.length; at += 1) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}

export function crc32Text(crc: number): string {
  return (crc >>> 0).toString(16).padStart(8, '0');
}
