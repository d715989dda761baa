// Administrators change these at run time; `config.ts` has those of the operator.

import type { ScannerAddress } from '../lib/scanners/address.ts';
import type { Secret } from '../lib/secret.ts';
import type { WitnessPolicy } from '../lib/tlog/policy.ts';
import { type Branding, defaultBranding } from './branding.ts';
import type { Maintenance } from './maintenance.ts';
import type { SignInService } from './sign-in-service-fields.ts';

/** The organisation's name always precedes it. */
export const productName = 'Waybill';

export interface Settings {
  organisationName: string;
  branding: Branding;
  /** How `GET /account/api_key` answers. */
  apiKeyReadback: 'sealed' | 'rotate' | 'off';
  /** Whether an expired link names its sender and date. */
  showExpiredDetails: boolean;
  /** By kind of mail and part. */
  mailTemplates: Record<string, { subject?: string; intro?: string; closing?: string }>;
  /** At the time of the change, so that a later version can show what it has changed since. */
  mailTemplatesShipped: Record<string, { subject: string; intro: string; closing: string }>;
  /** A `MailSetup`, encrypted, in Base64; null if mail is not set up in the console. */
  mailSealed: string | null;
  /** Empty for all. */
  consoleNetworks: string[];
  /** `off` refuses passwords of Waybill. */
  passwordSignIn: 'on' | 'off';
  /** Id of the sign-in service that SCIM belongs to; null: the only one. */
  scimService: string | null;
  /** By id, until when an account may use its password anyway. */
  rescuedUsers: Readonly<Record<string, number>>;
  /** Null when maintenance is off. */
  maintenance: Maintenance | null;
  /** Domain of all passkeys (the relying-party id), fixed at set-up; null before. */
  passkeyDomain: string | null;
  /** Null if it is not set up in the console. */
  scanner: ScannerSetup | null;
}

export interface ScannerSetup {
  address: ScannerAddress;
  /** Further certificate authorities, as PEM. */
  certificates: readonly string[];
  /** How long it may be silent. */
  timeoutMs: number;
}

export const defaultSettings: Settings = {
  organisationName: 'Waybill',
  branding: defaultBranding,
  apiKeyReadback: 'sealed',
  showExpiredDetails: true,
  mailTemplates: {},
  mailTemplatesShipped: {},
  mailSealed: null,
  consoleNetworks: [],
  passwordSignIn: 'on',
  scimService: null,
  rescuedUsers: {},
  maintenance: null,
  passkeyDomain: null,
  scanner: null,
};

export interface OperatorSetting {
  /** Its environment variable. */
  name: string;
  meaning: string;
  /** Masked if it is secret. */
  value: string;
  source: 'environment' | 'file' | 'default';
  isSecret: boolean;
}

export interface Surroundings {
  baseUrl: string;
  timeZone: string;
  locale: string;
  chunkSizeBytes: number;
  maxChunkSizeBytes: number;
  formUploadMaxBytes: number;
  unfinishedTtlMs: number;
  deleteGraceMs: number;
  /** Which backups Waybill keeps; null if it makes none. */
  keptBackups: { keepDays: number; keepWeeks: number } | null;
  /** The files and keys of the log are readable without sign-in. */
  isEvidencePublic: boolean;
  /** Null without a policy file. */
  witnessPolicy: WitnessPolicy | null;
  apiRatePerMinute: number;
  /** Those of the environment. */
  signInServices: readonly SignInService[];
  /** Null: as set in the console. */
  passwordSignIn: 'on' | 'off' | null;
  /** Null: as set in the console. */
  scim: { token: Secret | null; service: string | null };
  /** Null: as set in the console (`scannerInForce`). */
  scanner: ScannerSetup | null;
  version: string;
  eventReceivers: EventReceivers;
}

export const syslogFormats = ['json', 'cef', 'ocsf'] as const;
export type SyslogFormat = (typeof syslogFormats)[number];

/** Where events are sent, as the operator configured it. */
export interface EventReceivers {
  /** Webhooks may send to these private networks. */
  webhookNetworks: { contains(ip: string): boolean };
  syslog: { url: URL; format: SyslogFormat; certificates: readonly string[] } | null;
  /** JSON lines; null for none. */
  file: string | null;
}

/** A change by any process shows within two seconds. */
export interface SettingsSource {
  readonly surroundings: Surroundings;
  current(): Settings;
  /** Called every second or two, and after a change. */
  refresh(): Promise<void>;
}
