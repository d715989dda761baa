// A DNS server on loopback: answers PTR, A, AAAA, MX and TXT from a table, else NXDOMAIN; can stay silent. Minimal RFC 1035.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface TestNameServer {
  /** `127.0.0.1:port` */
  address: string;
  asked(): number;
  close(): void;
}

const types = { 1: 'A', 12: 'PTR', 15: 'MX', 16: 'TXT', 28: 'AAAA' } as const;

/** Records by `TYPE name`, such as `PTR 9.2.0.192.in-addr.arpa`. A list holds several of one name. */
export type NameTable = Record<string, string | readonly string[]>;

/** Null stays silent. The table is read at each query, so a test may change it. */
export async function startNameServer(records: NameTable | null): Promise<TestNameServer> {
  const socket = createSocket('udp4');
  let asked = 0;
  socket.on('message', (query, from) => {
    asked += 1;
    if (records !== null) socket.send(answerTo(query, records), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, asked: () => asked, close: () => socket.close() };
}

function answerTo(query: Buffer, records: NameTable): Buffer {
  const { name, end } = readName(query, 12);
  const type = types[query.readUInt16BE(end) as keyof typeof types];
  const values = [records[`${type} ${name}`] ?? []].flat() as string[];
  const question = query.subarray(12, end + 4);
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(values.length === 0 ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(values.length, 6);
  header.writeUInt32BE(0, 8);
  const answers = values.map((value) => {
    const data = dataOf(type, value);
    const fixed = Buffer.alloc(12);
    fixed.writeUInt16BE(0xc00c, 0);
    fixed.writeUInt16BE(query.readUInt16BE(end), 2);
    fixed.writeUInt16BE(1, 4);
    fixed.writeUInt32BE(60, 6);
    fixed.writeUInt16BE(data.length, 10);
    return Buffer.concat([fixed, data]);
  });
  return Buffer.concat([header, question, ...answers]);
}

function dataOf(type: string | undefined, value: string): Buffer {
  if (type === 'PTR') return writeName(value);
  if (type === 'MX') return Buffer.concat([Buffer.from([0, 10]), writeName(value)]);
  if (type !== 'TXT') return addressBytes(value);
  // TXT records consist of strings of up to 255 bytes.
  const bytes = Buffer.from(value, 'utf8');
  const chunks = Array.from({ length: Math.ceil(bytes.length / 255) }, (_, index) =>
    bytes.subarray(index * 255, (index + 1) * 255),
  );
  return Buffer.concat(chunks.flatMap((chunk) => [Buffer.from([chunk.length]), chunk]));
}

function readName(bytes: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = bytes[at]!; length > 0; length = bytes[at]!) {
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function writeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(label, 'latin1'));
  return Buffer.concat([...labels.flatMap((label) => [Buffer.from([label.length]), label]), Buffer.from([0])]);
}

function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const groups = address.split(':').map((group) => Number.parseInt(group === '' ? '0' : group, 16));
  const bytes = Buffer.alloc(16);
  for (const [index, group] of groups.entries()) bytes.writeUInt16BE(group, index * 2);
  return bytes;
}
