// A browser without script: asks for pages, keeps cookies, sends forms as our own pages would, follows no redirect.
import assert from 'node:assert/strict';
import { send } from './http.ts';

export interface PageReply {
  status: number;
  headers: Headers;
  readonly text: string;
  /** The text without its tags: file names are spread over several elements. */
  readonly words: string;
  bytes: Buffer;
  /** Where a redirect leads; null for everything else. */
  location: string | null;
}

type Fields = Record<string, string> | [string, string][];

/** Forms of people we do not know yet (security D4.4). */
export function isGuarded(path: string): boolean {
  return /^\/(?:sign-in(?:\/second)?|forgot|reset\/.*|invite\/.*|verify\/.*|link\/[^/]*\/password)$/.test(path);
}

export class Browser {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  /** The token of guarded forms, where it is known already. */
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

  /** A plain form. One that comes back with something to say is shown at once; other redirects are not followed. */
  async submit(path: string, fields: Fields = {}, headers: Record<string, string> = {}): Promise<PageReply> {
    const reply = await this.post(path, fields, headers);
    const comesBack = reply.headers.getSetCookie().some((line) => /^[^=]*-flash=[^;]/.test(line));
    return comesBack ? this.#follow(reply) : reply;
  }

  /** The form alone. Those before any session carry the token of their page, which is fetched first. */
  async post(path: string, fields: Fields = {}, headers: Record<string, string> = {}): Promise<PageReply> {
    const form = new URLSearchParams(fields);
    if (isGuarded(path) && !form.has('csrf')) form.set('csrf', this.#token ?? (await this.#fetchToken()));
    return this.#send('POST', path, { origin: this.url, ...headers }, form);
  }

  /** The same, exactly as it is given. */
  submitBare(path: string, fields: Fields): Promise<PageReply> {
    return this.#send('POST', path, { origin: this.url }, new URLSearchParams(fields));
  }

  /** A form with files in it, as a browser sends it without script. */
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

  /** Submits and goes where the form leads: the page a person would see. */
  async send(path: string, fields: Fields = {}, headers: Record<string, string> = {}): Promise<PageReply> {
    return this.#follow(await this.submit(path, fields, headers));
  }

  async sendFiles(...form: Parameters<Browser['submitFiles']>): Promise<PageReply> {
    return this.#follow(await this.submitFiles(...form));
  }

  async #follow(reply: PageReply): Promise<PageReply> {
    return reply.location === null ? reply : this.get(reply.location);
  }

  /** The value of a hidden field of a page. */
  static hidden(reply: PageReply, name: string): string {
    const tag = [...reply.text.matchAll(/<input[^>]*>/g)].find(([input]) => input.includes(`name="${name}"`))?.[0];
    const value = tag === undefined ? undefined : /value="([^"]*)"/.exec(tag)?.[1];
    assert.ok(value !== undefined, `no hidden field ${name} in: ${reply.text.slice(0, 500)}`);
    return value;
  }

  /** A page without the token of its forms and the way back of its language switch, which differ from time to time. */
  static withoutToken(text: string): string {
    return text.replace(/name="(csrf|to)" value="[^"]*"/g, 'name="$1"');
  }

  /** From here on it has the cookies and the form token of another browser, for many submissions from one page. */
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
    // It asks for nothing packed: tokens differ each time, so only lengths of uncompressed pages can be compared.
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
    // Made when they are asked for: what was fetched may be a file of many megabytes.
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
