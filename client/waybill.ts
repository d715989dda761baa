// The client library for Node and browsers.
import { type Client, createClient } from '../contract/client.ts';
import type { FileSource } from '../transfer/ports.ts';
import { type DownloadOptions, download } from './downloads.ts';
import { fetchWithKey } from './network.ts';
import { type UploadOptions, upload, type Wire } from './uploads.ts';

export interface ConnectOptions {
  server: string;
  apiKey: string;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch;
}

export interface Waybill {
  /** A refusal is thrown with `status`, `code`, `sentence` and `requestId`. */
  calls: Client;
  upload(file: Blob | FileSource, options?: UploadOptions): Promise<string>;
  download(url: string, options?: DownloadOptions): ReadableStream<Uint8Array>;
}

export function connect({ server, apiKey, fetch: given }: ConnectOptions): Waybill {
  const address = server.replace(/\/+$/, '');
  // Browsers reject `fetch` as a method of another object.
  const platformFetch: typeof fetch = given ?? ((input, init) => fetch(input, init));
  const send = fetchWithKey(platformFetch, address, apiKey);
  const calls = createClient({ baseUrl: address, fetch: send });
  const wire: Wire = { server: address, fetch: send };
  return {
    calls,
    upload: (file, options = {}) => upload(wire, file, options),
    download: (url, options = {}) => download(wire, url, options),
  };
}
