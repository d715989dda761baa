// A browser without scripts: loads pages, keeps cookies, submits forms of our pages.
import assert from 'node:assert/strict';
import { isGuarded } from './browser.ts';
import { type RawReply, rawRequest } from './raw-requests.ts';

export type Headers = Record<string, string>;

export class Visitor {
  readonly url: string;
  readonly cookies = new Map<string, string>();

  constructor(url: string) {
    this.url = url;
  }

  get(path: string, headers: Headers = {}): Promise<RawReply> {
    return this.#send('GET', path, headers);
  }

  head(path: string): Promise<RawReply> {
    return this.#send('HEAD', path, {});
  }

  /**
   * Submits a form; `headers` override its origin headers. A redirect back to the form with a notice is followed; others
   * are not.
   */
  async submit(path: string, fields: Record<string, string> = {}, headers?: Headers): Promise<RawReply> {
    const reply = await this.#post(path, fields, headers);
    const comesBack = (reply.headers['set-cookie'] ?? []).some((line) => /^[^=]*-flash=[^;]/.test(line));
    return comesBack ? this.get(reply.headers.location!) : reply;
  }

  async send(path: string, fields: Record<string, string> = {}, headers?: Headers): Promise<RawReply> {
    const reply = await this.#post(path, fields, headers);
    const { 'sec-fetch-site': _site, origin: _origin, ...own } = headers ?? {};
    return reply.headers.location === undefined ? reply : this.get(reply.headers.location, own);
  }

  async #post(path: string, fields: Record<string, string>, headers?: Headers): Promise<RawReply> {
    const token = isGuarded(path)
      ? /name="csrf" value="([^"]*)"/.exec((await this.get('/forgot')).text)?.[1]
      : undefined;
    const all = token === undefined ? fields : { csrf: token, ...fields };
    return this.#send('POST', path, headers ?? { 'sec-fetch-site': 'same-origin', origin: this.url }, all);
  }

  /** Clicks Download on the page of a link; returns the path of the file. */
  async clickDownload(linkId: string): Promise<string> {
    const reply = await this.submit(`/link/${linkId}/download`);
    assert.equal(reply.status, 303, reply.text.slice(0, 300));
    return reply.headers.location!;
  }

  async #send(method: string, path: string, headers: Headers, fields?: Record<string, string>): Promise<RawReply> {
    const body = fields === undefined ? undefined : new URLSearchParams(fields).toString();
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await rawRequest(`${this.url}${path}`, {
      method,
      headers: {
        accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
        ...(cookie === '' ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [name, value] = line.split(';', 1)[0]!.split('=') as [string, string];
      this.cookies.set(name, value);
    }
    return reply;
  }
}
