// Mail over SMTP: a small pool of connections, one transaction per mail, TLS unless the relay is on this machine.
// Reports each attempt with the relay's own text. Never logs, never retries once bytes were sent: the
// outbox decides. Never tells the password.
import { createTransport } from 'nodemailer';
import type { MailResult, MailTransport, OutgoingMail } from '#server/domain/ports.ts';
import { parseSmtpUrl, type Relay } from '#server/lib/smtp-url.ts';
import { findFault, mailOptions } from './transports/compose.ts';
import { oneLine } from './transports/words.ts';

export interface SmtpSettings {
  /** `smtp://user:password@host:587` (STARTTLS) or `smtps://host:465`; user, password and port may be absent. */
  url: string;
  maxConnections?: number;
  /** Certificates to trust besides the system's, as PEM; for relays with a certificate of their own. */
  caPem?: string;
  /** TLS and a valid certificate also when the relay is on this machine. */
  isTlsAlwaysRequired?: boolean;
  timeouts?: Partial<SmtpTimeouts>;
}

export interface SmtpTimeouts {
  connectMs: number;
  greetingMs: number;
  /** Silence in the middle of a conversation. */
  silenceMs: number;
}

const defaultTimeouts: SmtpTimeouts = { connectMs: 30_000, greetingMs: 30_000, silenceMs: 120_000 };

/** Throws a TypeError for an address that is none; its text never holds the password. */
export function openSmtpTransport(settings: SmtpSettings): MailTransport {
  const relay = parseSmtpUrl(settings.url);
  const pool = createTransport(poolOptions(relay, settings));
  const sending = new Set<Promise<MailResult>>();
  // Errors reach the caller through the promise of each mail; without a listener they would end the process.
  pool.on('error', () => {});

  const deliver = async (mail: OutgoingMail): Promise<MailResult> => {
    const fault = findFault(mail);
    if (fault !== null) return { outcome: 'refused', reason: `not handed over: ${fault}` };
    try {
      const info = await pool.sendMail(mailOptions(mail));
      return { outcome: 'accepted', serverText: oneLine(info.response) };
    } catch (error) {
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
    async look() {
      try {
        await pool.verify();
        return null;
      } catch (error) {
        return reasonOf(error as SmtpError, relay);
      }
    },
    /** Mails on the wire are finished; those still waiting for a connection come back as deferred. */
    async close() {
      pool.close();
      await Promise.all(sending);
    },
  };
}

/** How mail to this relay is protected, for the test mail and the console. */
export function smtpProtection(settings: SmtpSettings): 'TLS' | 'STARTTLS' | 'loopback' {
  const relay = parseSmtpUrl(settings.url);
  if (relay.isTlsFromTheStart) return 'TLS';
  return mustEncrypt(relay, settings) ? 'STARTTLS' : 'loopback';
}

function mustEncrypt(relay: Relay, settings: SmtpSettings): boolean {
  return settings.isTlsAlwaysRequired === true || !isLoopback(relay.host);
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

function poolOptions(relay: Relay, settings: SmtpSettings) {
  return {
    ...connectionOptions(relay, settings),
    pool: true as const,
    ...(relay.user === '' ? {} : { auth: { user: relay.user, pass: relay.password } }),
    maxConnections: settings.maxConnections ?? 2,
    maxMessages: 100,
    // Once, for a connection that the relay ended while it was idle. Never after the first byte of a mail.
    maxRequeues: 1,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** How one connection is opened: the same for mail and for the test that goes step by step. */
export function connectionOptions(relay: Relay, settings: SmtpSettings) {
  const timeouts = { ...defaultTimeouts, ...settings.timeouts };
  const isProtected = mustEncrypt(relay, settings);
  return {
    host: relay.host,
    port: relay.port,
    secure: relay.isTlsFromTheStart,
    requireTLS: isProtected && !relay.isTlsFromTheStart,
    tls: {
      minVersion: 'TLSv1.2' as const,
      // On this machine the connection cannot be intercepted, and relays there seldom have a certificate for its name.
      rejectUnauthorized: isProtected,
      ...(settings.caPem === undefined ? {} : { ca: settings.caPem }),
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

/** 5xx that speak of our account or connection, not of this mail: an operator can fix that, so the mail waits. */
const ourOwnFault = new Set([530, 534, 535, 538]);

function resultOf(error: SmtpError, relay: Relay): MailResult {
  const isAboutTheMail = /^(MAIL FROM|RCPT TO|DATA)/.test(error.command ?? '');
  const code = error.responseCode ?? 0;
  const isFinal = isAboutTheMail && code >= 500 && !ourOwnFault.has(code);
  // Refused here because it is larger than what the relay announced; trying again cannot help.
  const isTooLarge = error.code === 'EMESSAGE' && error.command === 'MAIL FROM';
  return { outcome: isFinal || isTooLarge ? 'refused' : 'deferred', reason: reasonOf(error, relay) };
}

/** The relay's own words where it said something about the mail; else which relay, and what went wrong with it. */
function reasonOf(error: SmtpError, relay: Relay): string {
  const said = error.response || error.message;
  const where = `${relay.host}:${relay.port}`;
  if (error.code === 'ETLS') return oneLine(`${where}: no protected connection: ${said}`);
  if (error.response) return oneLine(said);
  if (error.code === 'ETIMEDOUT') return `${where}: no answer in time`;
  // The library's words for it are about its pool.
  if (error.code === 'ECONNECTION' && /closed/i.test(said)) return `${where}: the connection was closed`;
  return oneLine(`${where}: ${said}`);
}
