// How mail is sent: from the environment, or from settings that administrators save sealed.
import { parseAddress } from '../lib/address.ts';
import { canonicalIp } from '../lib/ip.ts';
import { isCertificateWithKey, isRsaKey } from '../lib/pem.ts';
import { isLoopbackHost } from '../lib/smtp-url.ts';

export interface MailSetup {
  method: 'smtp' | 'graph';
  host: string;
  port: number;
  security: 'starttls' | 'tls';
  signIn: 'none' | 'password' | 'oauth';
  /** Of the mail server, or the mailbox that Microsoft Graph sends from. */
  user: string;
  password: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  /** Certificate and private key as PEM, instead of a client secret. */
  certificate: string;
  /** Empty for the client-credentials grant. */
  refreshToken: string;
  scope: string;
  graphUrl: string;
  from: string;
  /** Empty for the sender address. */
  envelopeFrom: string;
  /** Empty when Waybill does not sign. */
  dkimDomain: string;
  dkimSelector: string;
  /** Private key as PEM. */
  dkimKey: string;
}

export const emptyMailSetup: MailSetup = {
  method: 'smtp',
  host: '',
  port: 587,
  security: 'starttls',
  signIn: 'none',
  user: '',
  password: '',
  tokenUrl: '',
  clientId: '',
  clientSecret: '',
  certificate: '',
  refreshToken: '',
  scope: '',
  graphUrl: 'https://graph.microsoft.com',
  from: '',
  envelopeFrom: '',
  dkimDomain: '',
  dkimSelector: '',
  dkimKey: '',
};

/** Instead of the answer of a mail server, while there is none. */
export const waitingForSetup = 'waiting for mail set-up';

/** Never returned by the API. */
export const mailSecrets = ['password', 'clientSecret', 'certificate', 'refreshToken', 'dkimKey'] as const;
export type MailSecret = (typeof mailSecrets)[number];

export function usesTokens(setup: MailSetup): boolean {
  return setup.method === 'graph' || setup.signIn === 'oauth';
}

const globalLogin = 'login.microsoftonline.com';
/** By host of Microsoft Graph. */
const nationalLogins: Readonly<Record<string, string>> = {
  'graph.microsoft.us': 'login.microsoftonline.us',
  'dod-graph.microsoft.us': 'login.microsoftonline.us',
  'microsoftgraph.chinacloudapi.cn': 'login.partner.microsoftonline.cn',
};
/** Of SMTP, by host of the token address. */
const microsoftScopes: Readonly<Record<string, string>> = {
  [globalLogin]: 'https://outlook.office365.com/.default',
  'login.microsoftonline.us': 'https://outlook.office365.us/.default',
  'login.partner.microsoftonline.cn': 'https://partner.outlook.cn/.default',
};

export function microsoftTokenUrl(tenant: string, graphUrl: string): string {
  const login = nationalLogins[new URL(graphUrl).hostname] ?? globalLogin;
  return `https://${login}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
}

/** Used when the settings name none. */
export function defaultScope({ method, graphUrl, tokenUrl, refreshToken }: MailSetup): string {
  if (method === 'graph') return `${graphUrl.replace(/\/$/, '')}/.default`;
  if (refreshToken !== '') return '';
  return microsoftScopes[URL.parse(tokenUrl)?.hostname ?? ''] ?? '';
}

/** Of every mail. */
export interface MailSettings {
  from: string;
  envelopeFrom: string;
  /** Senders of these domains appear in From with their own address. */
  ownDomains: readonly string[];
  /** 0 means no limit. */
  perMinute: number;
}

export interface MailInForce {
  /** Null without a mail server: mails wait, and are stored as files. */
  setup: MailSetup | null;
  source: 'environment' | 'console' | 'none';
  fixed: EnvironmentFields;
  settings: MailSettings;
}

/** The variable that decides a field; `method` stands for everything but sender and DKIM. */
export type EnvironmentFields = Partial<Record<'method' | 'from' | 'envelopeFrom' | 'dkimDomain', string>>;

export type MailField = keyof MailSetup;
export type MailFieldFault = 'missing' | 'bad_host' | 'bad_address' | 'bad_sender' | 'bad_certificate' | 'bad_dkim_key';

/** All faults that can be found without a connection, in the order of the form. */
export function mailSetupFaults(setup: MailSetup): { field: MailField; fault: MailFieldFault }[] {
  const faults: { field: MailField; fault: MailFieldFault }[] = [];
  const need = (field: MailField) => {
    if (setup[field] === '') faults.push({ field, fault: 'missing' });
  };
  const check = (field: MailField, isGood: (text: string) => boolean, fault: MailFieldFault) => {
    if (setup[field] !== '' && !isGood(String(setup[field]))) faults.push({ field, fault });
  };
  if (setup.method === 'smtp') {
    need('host');
    check('host', isHost, 'bad_host');
    if (setup.signIn !== 'none') need('user');
    if (setup.signIn === 'password') need('password');
  } else {
    need('user');
    need('graphUrl');
    check('graphUrl', isProtectedUrl, 'bad_address');
  }
  if (usesTokens(setup)) {
    need('tokenUrl');
    check('tokenUrl', isProtectedUrl, 'bad_address');
    need('clientId');
    if (setup.certificate === '' && setup.refreshToken === '') need('clientSecret');
    check('certificate', isCertificateWithKey, 'bad_certificate');
  }
  for (const field of ['from', 'envelopeFrom'] as const)
    check(field, (text) => parseAddress(text, { allowSingleLabel: true })?.address === text, 'bad_sender');
  if (setup.dkimDomain + setup.dkimSelector + setup.dkimKey !== '') {
    for (const field of ['dkimDomain', 'dkimSelector', 'dkimKey'] as const) need(field);
    check('dkimDomain', isHost, 'bad_host');
    check('dkimSelector', isHost, 'bad_host');
    check('dkimKey', isRsaKey, 'bad_dkim_key');
  }
  return faults;
}

function isHost(text: string): boolean {
  return canonicalIp(text) !== null || /^[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9])?$/i.test(text);
}

/** Plain HTTP only to this machine. */
export function isProtectedUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, hash } = new URL(text);
  if (username !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}
