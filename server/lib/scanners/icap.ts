// The ICAP protocol (RFC 3507), over TCP or TLS: one connection for each file.
import { createHash } from 'node:crypto';
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { trustedWith } from '../outbound-tls.ts';
import { type Connection, ConnectionBroken, openConnection } from './connection.ts';
import { type AnswerReader, createAnswerReader, type IcapAnswer } from './icap-answer.ts';
import {
  clean,
  FileRefused,
  infected,
  resultOfName,
  type ScanInput,
  type Scanner,
  ScannerSilent,
  type ScanResult,
  unscannable,
} from './scanner.ts';

export interface IcapAddress {
  host: string;
  port: number;
  service: string;
  isTls: boolean;
}

export interface IcapOptions {
  timeoutMs: number;
  /** Further certificate authorities. */
  authorities: readonly string[];
}

interface Abilities {
  version: string;
  method: 'RESPMOD' | 'REQMOD';
  /** Null without preview. */
  previewBytes: number | null;
}

const chunkBytes = 64 * 1024;
const largestPreviewBytes = 64 * 1024;

export function openIcap(address: IcapAddress, options: IcapOptions): Scanner {
  const place = `${address.host}:${address.port}/${address.service}`;
  const isIp6 = isIP(address.host) === 6;
  const url = `icap://${isIp6 ? `[${address.host}]` : address.host}:${address.port}/${address.service}`;
  let abilities: Abilities | null = null;

  async function ask<T>(work: (exchange: Exchange) => Promise<T>): Promise<T> {
    const reader = createAnswerReader();
    const { timeoutMs } = options;
    const connection = openConnection(openSocket(address, options), { place, timeoutMs, onData: reader.take });
    try {
      return await work({ connection, reader, url, host: address.host });
    } catch (error) {
      throw error instanceof ConnectionBroken ? new ScannerSilent(`${place}: ${error.message}`) : error;
    } finally {
      connection.close();
    }
  }

  async function findAbilities(): Promise<Abilities> {
    abilities = await ask(async (exchange) => {
      await exchange.connection.write(headOf('OPTIONS', exchange, ['Encapsulated: null-body=0']));
      return abilitiesOf(place, await nextAnswer(exchange));
    });
    return abilities;
  }

  return {
    place,
    version: async () => (await findAbilities()).version,
    async scan(input) {
      const can = abilities ?? (await findAbilities());
      // A preview shorter than the file: a server that answers it without asking for the rest has not scanned the file.
      const previewBytes =
        can.previewBytes === null ? null : Math.min(can.previewBytes, Math.max(0, input.sizeBytes - 1));
      return ask((exchange) => send(exchange, input, { ...can, previewBytes }));
    },
  };
}

function openSocket({ host, port, isTls }: IcapAddress, { authorities }: IcapOptions) {
  if (!isTls) return connect({ host, port });
  const servername = isIP(host) === 0 ? host : undefined;
  return connectTls({ host, port, servername, ...(authorities.length > 0 && { ca: trustedWith(authorities) }) });
}

interface Exchange {
  connection: Connection;
  reader: AnswerReader;
  url: string;
  host: string;
}

function headOf(method: string, { url, host }: Exchange, lines: string[]): Buffer {
  return Buffer.from(
    `${[`${method} ${url} ICAP/1.0`, `Host: ${host}`, 'User-Agent: Waybill', 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`,
  );
}

async function nextAnswer({ connection, reader }: Exchange): Promise<IcapAnswer> {
  await connection.until(() => reader.answer() !== null);
  return reader.answer()!;
}

function abilitiesOf(place: string, { status, headers }: IcapAnswer): Abilities {
  if (status !== 200)
    throw new ScannerSilent(`${place} answered OPTIONS with ${status}; is the service right?`, 'service');
  const methods = (headers.get('methods') ?? '').toUpperCase();
  const method = methods.includes('RESPMOD') ? 'RESPMOD' : methods.includes('REQMOD') ? 'REQMOD' : null;
  if (method === null) throw new ScannerSilent(`${place} offers neither RESPMOD nor REQMOD`, 'service');
  const tag = headers.get('istag');
  if (tag === undefined || tag === '')
    throw new ScannerSilent(`${place} sends no ISTag, so a change of its signatures would not be noticed`, 'service');
  const preview = headers.get('preview');
  const previewBytes = preview === undefined ? null : Math.min(Number(preview), largestPreviewBytes);
  return {
    version: `${headers.get('service') ?? 'ICAP'} ${tag}`.slice(0, 300),
    method,
    previewBytes: Number.isInteger(previewBytes) && previewBytes! >= 0 ? previewBytes : null,
  };
}

async function send(exchange: Exchange, input: ScanInput, can: Abilities): Promise<ScanResult> {
  const stop = () => exchange.connection.close();
  input.signal?.addEventListener('abort', stop, { once: true });
  try {
    const sent = await sendFile(exchange, input, can);
    const result = resultOf(await nextAnswer(exchange), sent.sha256);
    return result.verdict === 'clean' && !sent.isWhole ? unscannable('skipped') : result;
  } catch (error) {
    input.signal?.throwIfAborted();
    throw error;
  } finally {
    input.signal?.removeEventListener('abort', stop);
  }
}

/** Stops as soon as the server answers. */
async function sendFile(
  exchange: Exchange,
  input: ScanInput,
  can: Abilities,
): Promise<{ isWhole: boolean; sha256: string }> {
  const { connection, reader } = exchange;
  const hash = createHash('sha256');
  let previewLeft = can.previewBytes;
  let sent = 0;
  await connection.write(startOf(exchange, input, can));
  const endPreview = async () => {
    previewLeft = null;
    await connection.write(Buffer.from('0\r\n\r\n'));
    if ((await nextAnswer(exchange)).status !== 100) return false;
    reader.next();
    return true;
  };
  if (previewLeft === 0 && input.sizeBytes > 0 && !(await endPreview())) return { isWhole: false, sha256: '' };
  for await (const bytes of input.read()) {
    for (let start = 0; start < bytes.length; ) {
      const chunk = bytes.subarray(start, start + Math.min(chunkBytes, previewLeft ?? chunkBytes));
      await connection.write(Buffer.from(`${chunk.length.toString(16)}\r\n`));
      await connection.write(chunk);
      await connection.write(Buffer.from('\r\n'));
      hash.update(chunk);
      start += chunk.length;
      sent += chunk.length;
      if (previewLeft !== null) previewLeft -= chunk.length;
      input.onBytes?.(sent);
      const isPreviewOver = previewLeft === 0 && sent < input.sizeBytes;
      if (isPreviewOver ? !(await endPreview()) : isAnswered(reader)) return { isWhole: false, sha256: '' };
    }
  }
  await connection.write(Buffer.from(previewLeft === null ? '0\r\n\r\n' : '0; ieof\r\n\r\n'));
  return { isWhole: true, sha256: hash.digest('hex') };
}

function isAnswered(reader: AnswerReader): boolean {
  return reader.answer() !== null;
}

/** The file under a neutral name, as an answer or a request of HTTP. */
function startOf(exchange: Exchange, { sizeBytes }: ScanInput, { method, previewBytes }: Abilities): Buffer {
  const about = ['Content-Type: application/octet-stream', `Content-Length: ${sizeBytes}`];
  const isAnswer = method === 'RESPMOD';
  const request = `${[
    `${isAnswer ? 'GET' : 'PUT'} http://waybill.invalid/file HTTP/1.1`,
    'Host: waybill.invalid',
    ...(isAnswer ? [] : about),
  ].join('\r\n')}\r\n\r\n`;
  const answer = isAnswer ? `${['HTTP/1.1 200 OK', ...about].join('\r\n')}\r\n\r\n` : '';
  const bodyAt = request.length + answer.length;
  const encapsulated = isAnswer ? `res-hdr=${request.length}, res-body=${bodyAt}` : `req-body=${bodyAt}`;
  const head = headOf(method, exchange, [
    'Allow: 204',
    ...(previewBytes === null ? [] : [`Preview: ${previewBytes}`]),
    `Encapsulated: req-hdr=0, ${encapsulated}`,
  ]);
  return Buffer.concat([head, Buffer.from(request + answer)]);
}

/** Whatever is not clearly clean is no clean verdict. */
function resultOf({ status, headers, http }: IcapAnswer, sentSha256: string): ScanResult {
  const threat = threatIn(headers);
  if (threat !== null && (status === 200 || status === 204)) return resultOfName(threat);
  if (status === 204) return clean;
  if (status === 413) return unscannable('too_large');
  if (status >= 500) throw new FileRefused(`the ICAP server answered ${status}`);
  if (status !== 200) throw new ScannerSilent(`the ICAP server answered ${status}`);
  // A server that ignores "Allow: 204" returns the file. Everything else replaces it, so it blocks it.
  const isUnchanged = http !== null && http.sha256 === sentSha256 && (http.isRequest || http.status === 200);
  return isUnchanged ? clean : infected('blocked by the ICAP server');
}

const threatHeaders = ['x-infection-found', 'x-virus-id', 'x-violations-found', 'x-virus-name', 'x-threat-name'];
const noThreat = /^(|0|none|no threats?|no virus|clean)$/i;

/** `Type=0; Resolution=2; Threat=Name;`, or the name alone. */
function threatIn(headers: ReadonlyMap<string, string>): string | null {
  for (const name of threatHeaders) {
    const value = headers.get(name);
    if (value === undefined || noThreat.test(value)) continue;
    return /Threat=([^;]+)/i.exec(value)?.[1]?.trim() ?? value;
  }
  return null;
}
