// An upload whose body the test sends in steps. It begins once the server has invited the body, after session and
// reservation.
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { ApiClient } from './client.ts';

export interface UploadReply {
  status: number;
  text: string;
  uploadId: string | null;
}

export interface HeldUpload {
  /** Null when the server refused before it wanted the body. */
  refusal: UploadReply | null;
  /** Resolves when the bytes are sent, or the server has answered. */
  send(bytes: Buffer): Promise<void>;
  /** The reply, even before the end of the body; rejects when the connection breaks. */
  answered: Promise<UploadReply>;
  /** Sends the rest and returns the reply; rejects when the connection breaks. */
  finish(rest?: Buffer): Promise<UploadReply>;
  cut(): void;
}

export interface HeldOptions {
  /** Announced length; null sends chunked transfer encoding. */
  lengthBytes: number | null;
  type?: string;
}

/** Begins `POST path`; resolves when the server invites the body or refuses it. */
export async function holdUpload(client: ApiClient, path: string, options: HeldOptions): Promise<HeldUpload> {
  const outgoing = request(`${client.url}${path}`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Basic ${Buffer.from(`${client.key}:x`).toString('base64')}`,
      accept: 'application/json',
      'content-type': options.type ?? 'application/octet-stream',
      expect: '100-continue',
      ...(options.lengthBytes === null
        ? { 'transfer-encoding': 'chunked' }
        : { 'content-length': String(options.lengthBytes) }),
    },
  });
  const answered = replyOf(outgoing);
  answered.catch(() => {}); // awaited by the caller
  const invited = new Promise<null>((resolve) => outgoing.once('continue', () => resolve(null)));
  outgoing.flushHeaders();
  const refusal = await Promise.race([invited, answered]);
  return {
    refusal,
    answered,
    send: (bytes) =>
      new Promise((resolve, reject) => {
        answered.then(() => resolve(), reject);
        outgoing.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    async finish(rest) {
      outgoing.end(rest);
      return answered;
    },
    cut: () => outgoing.destroy(),
  };
}

function replyOf(outgoing: ClientRequest): Promise<UploadReply> {
  return new Promise((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode!, text, uploadId: headerOf(response, 'upload-id') }),
      );
    });
  });
}

function headerOf(response: IncomingMessage, name: string): string | null {
  const value = response.headers[name];
  return typeof value === 'string' ? value : null;
}
