// A browser without scripts: loads pages, keeps cookies, submits forms of our pages, follows no redirect.
import assert from 'node:assert/strict';
import { send } from './http.ts';

export interface PageReply {
  status: number;
  headers: Headers;
  readonly text: string;
  /** The text without tags: file names are split over several elements. */
  readonly words: string;
  bytes: Buffer;
  location: string | null;
}

type Fields = Record<string, string> | [string, string][];

/** Forms that need a form token before a session exists. */
export function isGuarded(path: string): boolean {
  return /^\/(?:sign-in(?:\/second|\/link)?(?:\/passkey)?|forgot|reset\/.*|invite\/.*|verify\/.*|link\/[^/]*\/password)$/.test(
    path,
  );
}

export class Browser {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  #token: string | null = null;

  constructor(url: string) {
    this.url = url;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<PageReply> {
    return this.#send('GET', path, headers);
  }

  head(path: string): Promise<PageReply> {
    return this.#send('HEAD', path, {});
  }

  /** Submits a form. A redirect back to the form with a notice is followed; others are not. */
  async submit(path: string, fields: Fields = {}, headers: Record<string, string> = {}): Promise<PageReply> {
    const reply = await this.post(path, fields, headers);
    const comesBack = reply.headers.getSetCookie().some((line) => /^[^=]*-flash=[^;]/.test(line));
    return comesBack ? this.#follow(reply) : reply;
  }

  /** Submits the form only; guarded forms first load the page with their token. */
  async post(path: string, fields: Fields = {}, headers: Record<string, string> = {}): Promise<PageReply> {
    const form = new URLSearchParams(fields);
    if (isGuarded(path) && !form.has('csrf')) form.set('csrf', this.#token ?? (await this.#fetchToken()));
    return this.#send('POST', path, { origin: this.url, ...headers }, form);
  }

  submitBare(path: string, fields: Fields): Promise<PageReply> {
    return this.#send('POST', path, { origin: this.url }, new URLSearchParams(fields));
  }

  submitFiles(
    path: string,
    fields: Fields,
    files: { name: string; bytes: Uint8Array<ArrayBuffer> | string }[],
  ): Promise<PageReply> {
    const form = new FormData();
    for (const [name, value] of Array.isArray(fields) ? fields : Object.entries(fields)) form.append(name, value);
    for (const file of files) form.append('files', new Blob([file.bytes]), file.name);
    return this.#send('POST', path, { origin: this.url }, form);
  }

  /** Submits and follows the redirect. */
  async send(path: string, fields: Fields = {}, headers: Record<string, string> = {}): Promise<PageReply> {
    return this.#follow(await this.submit(path, fields, headers));
  }

  async sendFiles(...form: Parameters<Browser['submitFiles']>): Promise<PageReply> {
    return this.#follow(await this.submitFiles(...form));
  }

  async #follow(reply: PageReply): Promise<PageReply> {
    return reply.location === null ? reply : this.get(reply.location);
  }

  static hidden(reply: PageReply, name: string): string {
    const tag = [...reply.text.matchAll(/<input[^>]*>/g)].find(([input]) => input.includes(`name="${name}"`))?.[0];
    const value = tag === undefined ? undefined : /value="([^"]*)"/.exec(tag)?.[1];
    assert.ok(value !== undefined, `no hidden field ${name} in: ${reply.text.slice(0, 500)}`);
    return value;
  }

  /** A page without form tokens, challenges and the return address of the language switch, which vary. */
  static withoutToken(text: string): string {
    return text.replace(/name="(csrf|to)" value="[^"]*"/g, 'name="$1"').replace(/ data-passkey="[^"]*"/g, '');
  }

  /** Copies cookies and the form token of another browser, for many submissions from one page. */
  async imitate(other: Browser): Promise<this> {
    this.#token = other.#token ??= await other.#fetchToken();
    for (const [name, value] of other.cookies) this.cookies.set(name, value);
    return this;
  }

  async #fetchToken(): Promise<string> {
    return Browser.hidden(await this.get('/forgot'), 'csrf');
  }

  async #send(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: URLSearchParams | FormData,
  ): Promise<PageReply> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    // Uncompressed, because tokens vary: only then can lengths of pages be compared.
    const response = await send(`${this.url}${path}`, {
      method,
      headers: {
        accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
        ...(cookie === '' ? {} : { cookie }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(';', 1)[0]!.split('=') as [string, string];
      if (/max-age=0\b/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const { bytes } = response;
    // Getters, because the body may be many megabytes.
    return {
      status: response.status,
      headers: response.headers,
      get text() {
        return bytes.toString();
      },
      get words() {
        return bytes.toString().replace(/<[^>]*>/g, '');
      },
      bytes,
      location: response.headers.get('location'),
    };
  }
}
