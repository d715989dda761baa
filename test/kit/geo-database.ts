// Builds location databases in the MaxMind format: an IPv6 tree with 24-bit records.

type Value = string | number | Value[] | { [key: string]: Value };

export interface Network {
  bits: string;
  record: Value;
}

const EMPTY_SECTION = Buffer.alloc(16);
const METADATA_MARKER = Buffer.from('abcdef4d61784d696e642e636f6d', 'hex');

/** The bits of an IPv4 network in the IPv6 tree: 96 zeros and the address. */
export function prefixOf(address: string, length: number): string {
  const bits = address
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('');
  return '0'.repeat(96) + bits.slice(0, length);
}

export function buildDatabase(networks: readonly Network[]): Buffer {
  const records = networks.map(({ record }) => encode(record));
  const offsets = records.map((_, index) => records.slice(0, index).reduce((sum, bytes) => sum + bytes.length, 0));
  // A branch is the number of a node, or -1 - index of a record, or null.
  const nodes: (number | null)[][] = [[null, null]];
  networks.forEach(({ bits }, index) => {
    let node = nodes[0]!;
    for (const bit of bits.slice(0, -1)) {
      if (node[Number(bit)] === null) node[Number(bit)] = nodes.push([null, null]) - 1;
      node = nodes[node[Number(bit)]!]!;
    }
    node[Number(bits.at(-1))] = -1 - index;
  });
  const tree = Buffer.alloc(nodes.length * 6);
  nodes.forEach((node, at) => {
    node.forEach((branch, side) => {
      const isRecord = branch !== null && branch < 0;
      const pointer = isRecord ? nodes.length + EMPTY_SECTION.length + offsets[-1 - branch]! : (branch ?? nodes.length);
      tree.writeUIntBE(pointer, at * 6 + side * 3, 3);
    });
  });
  const metadata = {
    node_count: nodes.length,
    record_size: 24,
    ip_version: 6,
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    database_type: 'Test',
    build_epoch: 1,
    languages: ['en'],
    description: { en: 'made by a test' },
  };
  return Buffer.concat([tree, EMPTY_SECTION, ...records, METADATA_MARKER, encode(metadata)]);
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(value);
    return Buffer.concat([control(3, 8), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([
    control(7, entries.length),
    ...entries.flatMap(([key, inner]) => [encode(key), encode(inner)]),
  ]);
}

/** Type and size; types above 7 and sizes from 29 take a second byte. */
function control(type: number, size: number): Buffer {
  const head = [(type <= 7 ? type << 5 : 0) | Math.min(size, 29)];
  if (type > 7) head.push(type - 7);
  if (size >= 29) head.push(size - 29);
  return Buffer.from(head);
}
