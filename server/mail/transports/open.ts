// Opens, tests and describes the transport that mail settings ask for.
import type { Check } from '#server/domain/checks.ts';
import { type MailSetup, usesTokens } from '#server/domain/mail-settings.ts';
import type { MailTransport, OutgoingMail } from '#server/domain/ports.ts';
import { smtpUrlOf } from '#server/lib/smtp-url.ts';
import { placeOf, tryConnection } from '#server/lib/try-connection.ts';
import { openSmtpTransport, type SmtpSettings, smtpProtection } from '../smtp.ts';
import type { DkimKey } from './compose.ts';
import { testDelivery, testSignIn } from './delivery-test.ts';
import { connectionFault, tokenFaultCheck } from './faults.ts';
import { openGraphTransport, testGraph } from './graph.ts';
import { openTokens, TokenFault, type TokenStore } from './tokens.ts';

export function openMailTransport(setup: MailSetup, store: TokenStore): MailTransport {
  return setup.method === 'graph'
    ? openGraphTransport(graphSettings(setup, store))
    : openSmtpTransport(smtpSettings(setup, store));
}

/** Sends a mail and reports each step. */
export function testMailTransport(setup: MailSetup, store: TokenStore, mail: OutgoingMail): Promise<Check[]> {
  return setup.method === 'graph'
    ? testGraph(graphSettings(setup, store), mail)
    : testDelivery(smtpSettings(setup, store), mail);
}

const doctorTimeouts = { connectMs: 8000, greetingMs: 8000, silenceMs: 8000 };

/** The same up to the sign-in, without a mail. */
export async function testTransportSignIn(setup: MailSetup, store: TokenStore): Promise<Check[]> {
  if (setup.method === 'smtp') return testSignIn({ ...smtpSettings(setup, store), timeouts: doctorTimeouts });
  try {
    await openTokens(setup, store).get();
  } catch (error) {
    if (!(error instanceof TokenFault)) throw error;
    return [{ check: 'token', state: 'failed', ...tokenFaultCheck(error, setup.tokenUrl), said: error.message }];
  }
  const received: Check = { check: 'token', state: 'passed', code: 'token.received' };
  const graph = placeOf(new URL(setup.graphUrl));
  try {
    await tryConnection(graph);
    return [received];
  } catch (error) {
    const { step, code } = connectionFault(error as Error, 0);
    const values = { host: graph.host, port: String(graph.port) };
    return [received, { check: step, state: 'failed', code, values, said: (error as Error).message }];
  }
}

export interface ServerDescription {
  server: string;
  host: string;
  security: 'TLS' | 'STARTTLS' | 'none';
  user: string | null;
}

export function describeServer(setup: MailSetup): ServerDescription {
  const user = setup.user === '' ? null : setup.user;
  if (setup.method === 'graph') {
    const { host, hostname, protocol } = new URL(setup.graphUrl);
    return { server: host, host: hostname, security: protocol === 'https:' ? 'TLS' : 'none', user };
  }
  const protection = smtpProtection({ url: urlOf(setup) });
  return {
    server: `${setup.host}:${setup.port}`,
    host: setup.host,
    security: protection === 'loopback' ? 'none' : protection,
    user,
  };
}

function smtpSettings(setup: MailSetup, store: TokenStore): SmtpSettings {
  return {
    url: urlOf(setup),
    dkim: dkimOf(setup),
    ...(usesTokens(setup) ? { token: { source: openTokens(setup, store), url: setup.tokenUrl } } : {}),
  };
}

function graphSettings(setup: MailSetup, store: TokenStore) {
  return { setup, tokens: openTokens(setup, store), dkim: dkimOf(setup), now: store.now };
}

function urlOf({ host, port, security, signIn, user, password }: MailSetup): string {
  return smtpUrlOf({
    host,
    port,
    isImplicitTls: security === 'tls',
    user: signIn === 'none' ? '' : user,
    password: signIn === 'password' ? password : '',
  });
}

function dkimOf({ dkimDomain, dkimSelector, dkimKey }: MailSetup): DkimKey | null {
  return dkimDomain === '' ? null : { domainName: dkimDomain, keySelector: dkimSelector, privateKey: dkimKey };
}
