// Never logs the password, never retries once bytes were sent: the outbox decides.
import { createTransport } from 'nodemailer';
import type { MailResult, MailTransport, OutgoingMail } from '#server/domain/ports.ts';
import { trustedWith } from '#server/lib/outbound-tls.ts';
import { isLoopbackHost, parseSmtpUrl, type Relay } from '#server/lib/smtp-url.ts';
import { type DkimKey, findFault, mailOptions } from './transports/compose.ts';
import { oneLine } from './transports/replies.ts';
import { TokenFault, type TokenSource } from './transports/tokens.ts';

export interface SmtpSettings {
  /** STARTTLS for `smtp://`, TLS for `smtps://`; user, password and port are optional. */
  url: string;
  maxConnections?: number;
  /** Further trusted certificates as PEM. */
  caPem?: string;
  /** Requires TLS and a valid certificate also on loopback. */
  isTlsAlwaysRequired?: boolean;
  timeouts?: Partial<SmtpTimeouts>;
  /** Signs in with XOAUTH2 instead of the password. */
  token?: { source: TokenSource; url: string };
  dkim?: DkimKey | null;
}

export interface SmtpTimeouts {
  connectMs: number;
  greetingMs: number;
  /** Timeout of a silent connection. */
  silenceMs: number;
}

const defaultTimeouts: SmtpTimeouts = { connectMs: 30_000, greetingMs: 30_000, silenceMs: 120_000 };

/** Its error never contains the password. */
export function openSmtpTransport(settings: SmtpSettings): MailTransport {
  const relay = parseSmtpUrl(settings.url);
  const pool = createTransport(poolOptions(relay, settings));
  const sending = new Set<Promise<MailResult>>();
  // Without a listener errors would end the process.
  pool.on('error', () => {});
  const { token } = settings;
  if (token !== undefined) pool.set('oauth2_provision_cb', provisionOf(token.source));

  const deliver = async (mail: OutgoingMail): Promise<MailResult> => {
    const fault = findFault(mail);
    if (fault !== null) return { outcome: 'refused', reason: `not handed over: ${fault}` };
    try {
      // Before a connection is used, so that a fault of the token is reported as one.
      await token?.source.get();
      const info = await pool.sendMail(mailOptions(mail));
      return { outcome: 'accepted', serverText: oneLine(info.response) };
    } catch (error) {
      if (error instanceof TokenFault) return { outcome: 'deferred', reason: oneLine(`token: ${error.message}`) };
      return resultOf(error as SmtpError, relay);
    }
  };

  return {
    isReal: true,
    async send(mail) {
      const result = deliver(mail);
      sending.add(result);
      try {
        return await result;
      } finally {
        sending.delete(result);
      }
    },
    async check() {
      try {
        await token?.source.get();
        await pool.verify();
        return null;
      } catch (error) {
        if (error instanceof TokenFault) return oneLine(`token: ${error.message}`);
        return reasonOf(error as SmtpError, relay);
      }
    },
    /** Finishes mails in transmission; waiting ones are deferred. */
    async close() {
      pool.close();
      await Promise.all(sending);
    },
  };
}

/** For the test mail and the console. */
export function smtpProtection(settings: SmtpSettings): 'TLS' | 'STARTTLS' | 'loopback' {
  const relay = parseSmtpUrl(settings.url);
  if (relay.isImplicitTls) return 'TLS';
  return mustEncrypt(relay, settings) ? 'STARTTLS' : 'loopback';
}

function mustEncrypt(relay: Relay, settings: SmtpSettings): boolean {
  return settings.isTlsAlwaysRequired === true || !isLoopbackHost(relay.host);
}

function poolOptions(relay: Relay, settings: SmtpSettings) {
  return {
    ...connectionOptions(relay, settings),
    pool: true as const,
    ...authOf(relay, settings),
    ...(settings.dkim ? { dkim: settings.dkim } : {}),
    maxConnections: settings.maxConnections ?? 2,
    maxMessages: 100,
    // If the relay closed the connection while idle.
    maxRequeues: 1,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function authOf({ user, password }: Relay, { token }: SmtpSettings): { auth?: object } {
  if (user === '') return {};
  return { auth: token === undefined ? { user, pass: password } : { type: 'OAuth2' as const, user } };
}

/** The library asks again with `isRefused` when the server does not accept the last token. */
export function provisionOf(source: TokenSource, first?: string) {
  let last = first;
  return (_user: string, isRefused: boolean, done: (error: Error | null, token?: string, expires?: number) => void) => {
    source.get(isRefused ? last : undefined).then(
      (token) => {
        last = token;
        // Always expired: the source decides whether a token is still used.
        done(null, token, 1);
      },
      (error: Error) => done(error),
    );
  };
}

/** Shared by delivery and the step-by-step test. */
export function connectionOptions(relay: Relay, settings: SmtpSettings) {
  const timeouts = { ...defaultTimeouts, ...settings.timeouts };
  const isProtected = mustEncrypt(relay, settings);
  return {
    host: relay.host,
    port: relay.port,
    secure: relay.isImplicitTls,
    requireTLS: isProtected && !relay.isImplicitTls,
    tls: {
      minVersion: 'TLSv1.2' as const,
      // Loopback cannot be intercepted.
      rejectUnauthorized: isProtected,
      ...(settings.caPem === undefined ? {} : { ca: trustedWith([settings.caPem]) }),
    },
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.silenceMs,
    dnsTimeout: timeouts.connectMs,
    logger: false as const,
  };
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
  response?: string;
}

/** About our account or connection: the operator can fix that, so the mail waits. */
const accountOrConnectionCodes = new Set([530, 534, 535, 538]);

function resultOf(error: SmtpError, relay: Relay): MailResult {
  const isAboutTheMail = /^(MAIL FROM|RCPT TO|DATA)/.test(error.command ?? '');
  const code = error.responseCode ?? 0;
  const isFinal = isAboutTheMail && code >= 500 && !accountOrConnectionCodes.has(code);
  // Larger than the relay's announced limit; a retry cannot help.
  const isTooLarge = error.code === 'EMESSAGE' && error.command === 'MAIL FROM';
  return { outcome: isFinal || isTooLarge ? 'refused' : 'deferred', reason: reasonOf(error, relay) };
}

function reasonOf(error: SmtpError, relay: Relay): string {
  const reply = error.response || error.message;
  const where = `${relay.host}:${relay.port}`;
  if (error.code === 'ETLS') return oneLine(`${where}: no protected connection: ${reply}`);
  if (error.response) return oneLine(reply);
  if (error.code === 'ETIMEDOUT') return `${where}: no answer in time`;
  // The library's own message is about its pool.
  if (error.code === 'ECONNECTION' && /closed/i.test(reply)) return `${where}: the connection was closed`;
  return oneLine(`${where}: ${reply}`);
}
