// Browsers in separate networks, for limits by network. The installation must trust the test as proxy. Also finds links
// in mails.
import type { OutgoingMail } from '#server/domain/ports.ts';
import type { StartOptions } from './app.ts';
import { Browser, type PageReply } from './browser.ts';
import { type Mailbox, openMailbox } from './mailbox.ts';

/** A mailbox of an installation that trusts the client address of requests and sends from its own domain. */
export function openDistantMailbox(environment: Record<string, string> = {}): Mailbox {
  const mailbox = openMailbox();
  return {
    ...mailbox,
    options: {
      ...mailbox.options,
      environment: {
        ...mailbox.options.environment,
        WAYBILL_MAIL_FROM: 'files@northlight.example',
        WAYBILL_MAIL_RATE: '0',
        WAYBILL_TRUST_PROXY: '127.0.0.1',
        ...environment,
      },
    } satisfies StartOptions,
  };
}

let networks = 0;

export function newNetwork(): string {
  networks += 1;
  return `10.${networks >> 8}.${networks & 255}.7`;
}

export class DistantBrowser extends Browser {
  readonly address: string;

  constructor(url: string, address = newNetwork()) {
    super(url);
    this.address = address;
  }

  override get(path: string, headers: Record<string, string> = {}): Promise<PageReply> {
    return super.get(path, { 'x-forwarded-for': this.address, ...headers });
  }

  override post(
    path: string,
    fields: Record<string, string> | [string, string][] = {},
    headers: Record<string, string> = {},
  ): Promise<PageReply> {
    return super.post(path, fields, { 'x-forwarded-for': this.address, ...headers });
  }
}

/** All distinct addresses in the text and HTML of a mail. */
export function linksIn(mail: Pick<OutgoingMail, 'text' | 'html'>): string[] {
  const inHtml = [...mail.html.matchAll(/(?:href|src)="(https?:[^"]+)"/g)].map(([, url]) => unescaped(url!));
  const inText = [...mail.text.matchAll(/https?:\/\/[^\s<>"]+/g)].map(([url]) => url);
  return [...new Set([...inHtml, ...inText])];
}

function unescaped(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&#x2F;', '/').replaceAll('&#47;', '/').replaceAll('&#x3D;', '=');
}

/** The only link of a mail whose path begins with `start`, without the base. */
export function pathIn(mail: Pick<OutgoingMail, 'text' | 'html'>, start: string): string {
  const found = linksIn(mail)
    .map((url) => new URL(url))
    .find((url) => url.pathname.startsWith(start));
  if (found === undefined) throw new Error(`no link to ${start} in: ${mail.text}`);
  return `${found.pathname}${found.search}`;
}

/** Runs all with limited concurrency, to limit open sockets. */
export async function inParallel<Result>(
  count: number,
  width: number,
  work: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next++;
      results[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
