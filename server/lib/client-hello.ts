// Reads the first message of a TLS client: the name it asks for and the protocols it offers.
import type { Socket } from 'node:net';

export interface ClientHello {
  serverName: string | null;
  protocols: string[];
}

const maxBytes = 18 * 1024;
const waitMs = 15_000;

/** Leaves the bytes in the socket. Null if it is not a complete hello in one record, or does not come in time. */
export async function peekClientHello(socket: Socket): Promise<ClientHello | null> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let bytes = Buffer.alloc(0);
  const take = () => {
    for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read())
      bytes = Buffer.concat([bytes, chunk]);
    const isComplete = bytes.length >= 5 && bytes.length >= 5 + bytes.readUInt16BE(3);
    if (isComplete || bytes.length > maxBytes || (bytes.length > 0 && bytes[0] !== 0x16)) resolve();
  };
  const timer = setTimeout(resolve, waitMs);
  const end = () => resolve();
  socket.on('readable', take).once('close', end).once('end', end);
  take();
  await promise;
  clearTimeout(timer);
  socket.off('readable', take).off('close', end).off('end', end);
  if (bytes.length > 0 && !socket.destroyed) socket.unshift(bytes);
  try {
    return readClientHello(bytes);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Throws a RangeError if the bytes end too early. */
export function readClientHello(bytes: Buffer): ClientHello | null {
  if (bytes[0] !== 0x16 || bytes[5] !== 0x01) return null;
  // Record and handshake headers, version, random.
  let at = 5 + 4 + 2 + 32;
  at += 1 + bytes.readUInt8(at);
  at += 2 + bytes.readUInt16BE(at);
  at += 1 + bytes.readUInt8(at);
  const end = at + 2 + bytes.readUInt16BE(at);
  const hello: ClientHello = { serverName: null, protocols: [] };
  for (at += 2; at < end; at += 4 + bytes.readUInt16BE(at + 2)) {
    const content = bytes.subarray(at + 4, at + 4 + bytes.readUInt16BE(at + 2));
    const type = bytes.readUInt16BE(at);
    if (type === 0) hello.serverName = content.subarray(5, 5 + content.readUInt16BE(3)).toString('latin1');
    if (type === 16) hello.protocols = protocolsOf(content.subarray(2));
  }
  return hello;
}

function protocolsOf(list: Buffer): string[] {
  const protocols: string[] = [];
  for (let at = 0; at < list.length; at += 1 + list.readUInt8(at))
    protocols.push(list.subarray(at + 1, at + 1 + list.readUInt8(at)).toString('latin1'));
  return protocols;
}
