// Administrators change these at run time; `config.ts` has those of the operator.

import { type Branding, defaultBranding } from './branding.ts';
import type { Maintenance } from './maintenance.ts';

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
  /** Empty for all. */
  consoleNetworks: string[];
  /** Null when maintenance is off. */
  maintenance: Maintenance | null;
}

export const defaultSettings: Settings = {
  organisationName: 'Waybill',
  branding: defaultBranding,
  apiKeyReadback: 'sealed',
  showExpiredDetails: true,
  mailTemplates: {},
  mailTemplatesShipped: {},
  consoleNetworks: [],
  maintenance: null,
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
  apiRatePerMinute: number;
  version: string;
}

/** A change by any process shows within two seconds. */
export interface SettingsSource {
  readonly surroundings: Surroundings;
  current(): Settings;
  /** Called every second or two, and after a change. */
  refresh(): Promise<void>;
}
