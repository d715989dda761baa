// The settings of mail in the environment.
import { type ConfigEntry, entry, secret, text } from './config-entry.ts';
import {
  type EnvironmentFields,
  emptyMailSetup,
  type MailField,
  type MailFieldFault,
  type MailSetup,
  mailSetupFaults,
  microsoftTokenUrl,
} from './domain/mail-settings.ts';
import { parseDomain } from './lib/address.ts';
import { readUrl } from './lib/config-values.ts';
import { parseSmtpUrl } from './lib/smtp-url.ts';

export const mailEntries = {
  smtpUrl: secret(
    'WAYBILL_SMTP_URL',
    '`smtp://user:pass@host:587` (`smtps://` for implicit TLS); without it mails are files in `<data>/mail`',
  ),
  smtpOauthTokenUrl: entry<URL | null>(
    'WAYBILL_SMTP_OAUTH_TOKEN_URL',
    'address that gives access tokens; the sign-in at the mail server is then XOAUTH2',
    { default: null, read: readUrl },
  ),
  smtpOauthClientId: text('WAYBILL_SMTP_OAUTH_CLIENT_ID', 'client id for access tokens'),
  smtpOauthClientSecret: secret('WAYBILL_SMTP_OAUTH_CLIENT_SECRET', 'client secret for access tokens'),
  smtpOauthCertificate: secret(
    'WAYBILL_SMTP_OAUTH_CERTIFICATE',
    'certificate and private key as PEM, instead of the client secret',
  ),
  smtpOauthRefreshToken: secret(
    'WAYBILL_SMTP_OAUTH_REFRESH_TOKEN',
    'refresh token of the mailbox; without it the client-credentials grant is used',
  ),
  smtpOauthScope: text(
    'WAYBILL_SMTP_OAUTH_SCOPE',
    'scope of access tokens',
    '`https://outlook.office365.com/.default` for Microsoft 365',
  ),
  smtpOauthUser: text('WAYBILL_SMTP_OAUTH_USER', 'mailbox that signs in', 'the user of `WAYBILL_SMTP_URL`'),
  graphTenant: text(
    'WAYBILL_MAIL_GRAPH_TENANT',
    'id or domain of the Microsoft 365 tenant; mails are then sent with Microsoft Graph instead of SMTP',
  ),
  graphClientId: text('WAYBILL_MAIL_GRAPH_CLIENT_ID', 'client id for Microsoft Graph'),
  graphClientSecret: secret('WAYBILL_MAIL_GRAPH_CLIENT_SECRET', 'client secret for Microsoft Graph'),
  graphCertificate: secret(
    'WAYBILL_MAIL_GRAPH_CERTIFICATE',
    'certificate and private key as PEM, instead of the client secret',
  ),
  graphUser: text('WAYBILL_MAIL_GRAPH_USER', 'mailbox that sends'),
  graphUrl: entry<URL>('WAYBILL_MAIL_GRAPH_URL', 'address of Microsoft Graph, for national clouds', {
    default: new URL('https://graph.microsoft.com'),
    read: readUrl,
    defaultText: '`https://graph.microsoft.com`',
  }),
  graphTokenUrl: entry<URL | null>('WAYBILL_MAIL_GRAPH_TOKEN_URL', 'address that gives access tokens', {
    default: null,
    read: readUrl,
    defaultText: 'that of the tenant in the cloud of `WAYBILL_MAIL_GRAPH_URL`',
  }),
  dkimDomain: text('WAYBILL_DKIM_DOMAIN', 'domain whose DKIM key signs mails'),
  dkimSelector: text('WAYBILL_DKIM_SELECTOR', 'selector of the DKIM key'),
  dkimKey: secret('WAYBILL_DKIM_KEY', 'private RSA key as PEM that signs mails'),
  mailFrom: text('WAYBILL_MAIL_FROM', 'From address of mails', '`files@<public host>`'),
  mailEnvelopeFrom: text('WAYBILL_MAIL_ENVELOPE_FROM', 'bounce address', 'the sender address'),
  mailOwnDomains: entry<string[]>('WAYBILL_MAIL_OWN_DOMAINS', 'domains whose people have their own address in From', {
    default: [],
    read: readDomains,
    defaultText: '–',
  }),
  mailPerMinute: entry('WAYBILL_MAIL_RATE', 'mails a minute, `0` for no limit', {
    default: 900,
    read: readRate,
    defaultText: '`900/min`',
  }),
} as const satisfies Record<string, ConfigEntry<unknown>>;

type MailValues = { [Key in keyof typeof mailEntries]: (typeof mailEntries)[Key]['default'] };

export function transportFromEnvironment(config: MailValues): { setup: MailSetup; fixed: EnvironmentFields } | null {
  const url = config.smtpUrl?.reveal();
  if (config.graphTenant !== null || config.graphTokenUrl !== null)
    return { setup: graphFromEnvironment(config), fixed: { method: 'WAYBILL_MAIL_GRAPH_TENANT' } };
  if (url === undefined) return null;
  const { host, port, isImplicitTls, user, password } = parseSmtpUrl(url);
  const tokenUrl = config.smtpOauthTokenUrl?.href ?? '';
  return {
    fixed: { method: 'WAYBILL_SMTP_URL' },
    setup: {
      ...emptyMailSetup,
      host,
      port,
      security: isImplicitTls ? 'tls' : 'starttls',
      signIn: tokenUrl !== '' ? 'oauth' : user === '' ? 'none' : 'password',
      user: config.smtpOauthUser ?? user,
      password,
      tokenUrl,
      clientId: config.smtpOauthClientId ?? '',
      clientSecret: config.smtpOauthClientSecret?.reveal() ?? '',
      certificate: config.smtpOauthCertificate?.reveal() ?? '',
      refreshToken: config.smtpOauthRefreshToken?.reveal() ?? '',
      scope: config.smtpOauthScope ?? '',
    },
  };
}

function graphFromEnvironment(config: MailValues): MailSetup {
  return {
    ...emptyMailSetup,
    method: 'graph',
    user: config.graphUser ?? '',
    tokenUrl: config.graphTokenUrl?.href ?? microsoftTokenUrl(config.graphTenant ?? '', config.graphUrl.href),
    clientId: config.graphClientId ?? '',
    clientSecret: config.graphClientSecret?.reveal() ?? '',
    certificate: config.graphCertificate?.reveal() ?? '',
    graphUrl: config.graphUrl.href.replace(/\/$/, ''),
  };
}

const mailNames: Partial<Record<MailField, keyof typeof mailEntries>> = {
  host: 'smtpUrl',
  from: 'mailFrom',
  envelopeFrom: 'mailEnvelopeFrom',
  dkimDomain: 'dkimDomain',
  dkimSelector: 'dkimSelector',
  dkimKey: 'dkimKey',
};
const smtpNames: typeof mailNames = {
  user: 'smtpOauthUser',
  tokenUrl: 'smtpOauthTokenUrl',
  clientId: 'smtpOauthClientId',
  clientSecret: 'smtpOauthClientSecret',
  certificate: 'smtpOauthCertificate',
};
const graphNames: typeof mailNames = {
  user: 'graphUser',
  tokenUrl: 'graphTokenUrl',
  clientId: 'graphClientId',
  clientSecret: 'graphClientSecret',
  certificate: 'graphCertificate',
  graphUrl: 'graphUrl',
};
const mailSentences: Record<MailFieldFault, string> = {
  missing: 'is needed with the other mail settings',
  bad_host: 'must be a host name',
  bad_address: 'must begin with https:// (http:// only for this machine)',
  bad_sender: 'must be one e-mail address',
  bad_certificate: 'must hold a certificate and its private key as PEM',
  bad_dkim_key: 'must hold a private RSA key as PEM',
};

export function mailContradictions(config: MailValues): string[] {
  const { smtpUrl, smtpOauthTokenUrl, graphTenant, graphTokenUrl, dkimDomain, dkimSelector, dkimKey } = config;
  const isGraph = graphTenant !== null || graphTokenUrl !== null;
  const faults: string[] = [];
  if (isGraph && smtpUrl !== null)
    faults.push('WAYBILL_MAIL_GRAPH_TENANT and WAYBILL_SMTP_URL are both set; keep one.');
  if (smtpOauthTokenUrl !== null && smtpUrl === null)
    faults.push('WAYBILL_SMTP_URL is needed when WAYBILL_SMTP_OAUTH_TOKEN_URL is set.');
  const names = { ...mailNames, ...(isGraph ? graphNames : smtpNames) };
  const dkim = { dkimDomain: dkimDomain ?? '', dkimSelector: dkimSelector ?? '', dkimKey: dkimKey?.reveal() ?? '' };
  const sender = { from: '', envelopeFrom: '' };
  const whole = {
    ...(transportFromEnvironment(config)?.setup ?? { ...emptyMailSetup, host: 'localhost' }),
    ...dkim,
    ...sender,
  };
  for (const { field, fault } of mailSetupFaults(whole)) {
    const key = names[field];
    if (key !== undefined) faults.push(`${mailEntries[key].name} ${mailSentences[fault]}.`);
  }
  return faults;
}

function readRate(value: string): number {
  const match = /^(\d{1,7})(?:\/min)?$/.exec(value);
  if (match === null) throw new RangeError('must be a number of mails a minute such as 60/min');
  return Number(match[1]);
}

function readDomains(value: string): string[] {
  return value.split(',').map((part) => {
    const domain = parseDomain(part.trim().replace(/^@/, ''), { allowSingleLabel: true });
    if (domain === null) throw new RangeError('must be domains separated by commas, such as example.com');
    return domain;
  });
}
