// Reports the first failed step by a code of `domain/checks.ts`. Never reports the password.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import SmtpConnection from 'nodemailer/lib/smtp-connection';
import XOAuth2 from 'nodemailer/lib/xoauth2';
import { type Check, type CheckCode, type SmtpStep, smtpSteps } from '#server/domain/checks.ts';
import type { OutgoingMail } from '#server/domain/ports.ts';
import { parseSmtpUrl, type Relay } from '#server/lib/smtp-url.ts';
import { connectionOptions, provisionOf, type SmtpSettings } from '../smtp.ts';
import { composeMime } from './compose.ts';
import { connectionFault, tokenFaultCheck } from './faults.ts';
import { oneLine } from './replies.ts';
import { TokenFault } from './tokens.ts';

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
  response?: string;
}

interface Done {
  code: CheckCode;
  values?: Record<string, string | number>;
  said?: string;
}

/** The steps in order; those after a failure are `skipped`. Never throws. */
export async function testDelivery(settings: SmtpSettings, mail: OutgoingMail): Promise<Check[]> {
  return talk(settings, { mail, mime: await composeMime(mail, settings.dkim ?? null) });
}

/** The same up to the sign-in, without a mail. */
export async function testSignIn(settings: SmtpSettings): Promise<Check[]> {
  return (await talk(settings, null)).filter(({ check }) => !mailSteps.has(check));
}

const mailSteps: ReadonlySet<string> = new Set<SmtpStep>(['sender', 'recipient', 'queued']);

async function talk(settings: SmtpSettings, given: { mail: OutgoingMail; mime: Buffer } | null): Promise<Check[]> {
  const relay = parseSmtpUrl(settings.url);
  const { host, port } = relay;
  const connection = new SmtpConnection(connectionOptions(relay, settings));
  const log: Check[] = [];
  const pass = (step: SmtpStep, done: Done) => log.push({ check: step, state: 'passed', ...done });
  const steps = stepsOf(settings);
  const fail = (error: SmtpError): Check[] => {
    const { step, code } = faultOf(error, steps[log.length] ?? 'queued', settings);
    const values = {
      host,
      port: String(port),
      user: relay.user,
      from: given?.mail.envelopeFrom ?? '',
      to: given?.mail.to ?? '',
      ...(error instanceof TokenFault ? tokenFaultCheck(error, settings.token!.url).values : {}),
    };
    log.push({ check: step, state: 'failed', code, values, said: oneLine(error.response || error.message) });
    return rest(log, steps);
  };
  try {
    pass('resolve', { code: 'smtp.resolved', values: { host, addresses: (await addressesOf(host)).join(', ') } });
    await ended(connection, (callback) => connection.connect(callback));
    pass('connect', { code: 'smtp.connected', values: { host, port: String(port) } });
    pass('encrypt', encryptionOf(connection));
    if (relay.user === '') log.push({ check: 'sign_in', state: 'skipped', code: 'smtp.no_sign_in' });
    else {
      const login = await loginOf(settings, relay);
      if (settings.token !== undefined) pass('token', { code: 'token.received' });
      await ended(connection, (callback) => connection.login(login as never, callback));
      pass('sign_in', { code: 'smtp.signed_in', values: { user: relay.user } });
    }
    if (given === null) return log;
    const { mail, mime } = given;
    const said = await ended<{ response?: string }>(connection, (callback) =>
      connection.send({ from: mail.envelopeFrom, to: [mail.to] }, mime, callback),
    );
    pass('sender', { code: 'smtp.sender_accepted', values: { from: mail.envelopeFrom } });
    pass('recipient', { code: 'smtp.recipient_accepted', values: { to: mail.to } });
    pass('queued', { code: 'smtp.queued', said: oneLine(said?.response ?? '') });
    return log;
  } catch (error) {
    return fail(error as SmtpError);
  } finally {
    connection.close();
  }
}

function stepsOf({ token }: SmtpSettings): readonly SmtpStep[] {
  return token === undefined ? smtpSteps.filter((step) => step !== 'token') : smtpSteps;
}

/** A token is requested here, so that its faults have their own step. */
async function loginOf({ token }: SmtpSettings, { user, password }: Relay): Promise<object> {
  if (token === undefined) return { user, pass: password, credentials: { user, pass: password } };
  const accessToken = await token.source.get();
  const oauth2 = new XOAuth2({ user, accessToken, provisionCallback: provisionOf(token.source, accessToken) });
  return { type: 'OAUTH2', user, oauth2, method: 'XOAUTH2' };
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  const found = await lookup(host, { all: true });
  return [...new Set(found.map(({ address }) => address))].slice(0, 8);
}

/** Errors of one step come through the callback or as an event. */
function ended<Result>(
  connection: SmtpConnection,
  step: (callback: (error?: Error | null, result?: Result) => void) => void,
): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => reject(error);
    const onEnd = () => reject(Object.assign(new Error('the connection was closed'), { code: 'ECONNECTION' }));
    connection.once('error', onError).once('end', onEnd);
    step((error, result) => {
      connection.off('error', onError).off('end', onEnd);
      // Later errors add nothing, and without a listener would end the process.
      connection.on('error', () => {});
      if (error) reject(error);
      else resolve(result);
    });
  });
}

function encryptionOf(connection: SmtpConnection): Done {
  const socket = (connection as unknown as { _socket?: TLSSocket })._socket;
  const protocol = socket?.encrypted ? (socket.getProtocol() ?? 'TLS') : null;
  return protocol === null ? { code: 'smtp.local' } : { code: 'smtp.encrypted', values: { protocol } };
}

/** `next` is the presumed current step. */
function faultOf(error: SmtpError, next: SmtpStep, { token }: SmtpSettings): { step: SmtpStep; code: CheckCode } {
  if (error instanceof TokenFault) return { step: 'token', code: tokenFaultCheck(error, token!.url).code };
  const command = error.command ?? '';
  const status = error.responseCode ?? 0;
  if (next === 'resolve') return { step: 'resolve', code: 'smtp.host_unknown' };
  if (command.startsWith('MAIL FROM')) return { step: 'sender', code: senderFault(status) };
  if (command.startsWith('RCPT TO')) return { step: 'recipient', code: recipientFault(error, status) };
  if (command.startsWith('DATA'))
    return { step: 'queued', code: isLater(status) ? 'smtp.try_later' : 'smtp.text_refused' };
  if (error.code === 'EAUTH')
    return { step: 'sign_in', code: token === undefined ? 'smtp.wrong_password' : 'smtp.token_refused' };
  if (next === 'connect') return connectionFault(error, status);
  return { step: next, code: error.code === 'ETIMEDOUT' ? 'smtp.silent' : 'smtp.closed' };
}

function isLater(status: number): boolean {
  return status >= 400 && status < 500;
}

function senderFault(status: number): CheckCode {
  if (status === 530) return 'smtp.sign_in_needed';
  return isLater(status) ? 'smtp.try_later' : 'smtp.sender_refused';
}

function recipientFault(error: SmtpError, status: number): CheckCode {
  if (isLater(status)) return 'smtp.try_later';
  const isRelay = status === 554 || /relay|5\.7\.1/i.test(error.response ?? '');
  return isRelay ? 'smtp.relay_denied' : 'smtp.recipient_refused';
}

/** The library combines connection and encryption, and also sender, recipient and text, so some steps have no line. */
function rest(log: Check[], steps: readonly SmtpStep[]): Check[] {
  const failed = log.at(-1)!;
  const at = steps.indexOf(failed.check as SmtpStep);
  const before = steps
    .slice(0, at)
    .map((step) => log.find(({ check }) => check === step) ?? passedBefore(step, failed));
  const after = steps.slice(at + 1).map((step): Check => ({ check: step, state: 'skipped', code: 'smtp.not_reached' }));
  return [...before, failed, ...after];
}

function passedBefore(step: SmtpStep, failed: Check): Check {
  const codes: Partial<Record<SmtpStep, CheckCode>> = {
    sender: 'smtp.sender_accepted',
    recipient: 'smtp.recipient_accepted',
  };
  return { check: step, state: 'passed', code: codes[step] ?? 'smtp.connected', values: failed.values ?? {} };
}
