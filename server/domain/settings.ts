// Settings that administrators change at run time. Those of the operator are in `config.ts`; `Surroundings` has the
// ones that actions need.

import { type Branding, defaultBranding } from './branding.ts';
import type { Maintenance } from './maintenance.ts';

/** The organisation's name always precedes it. */
export const productName = 'Waybill';

/** Stored in the database. */
export interface Settings {
  organisationName: string;
  branding: Branding;
  /** How `GET /account/api_key` answers. */
  apiKeyReadback: 'sealed' | 'rotate' | 'off';
  /** Whether an expired link names its sender and date. */
  showExpiredDetails: boolean;
  /** Changed mail templates, by kind of mail and part. */
  mailTemplates: Record<string, { subject?: string; intro?: string; closing?: string }>;
  /** The shipped templates at the time of the change, so that a later version can show what it has changed since. */
  mailTemplatesShipped: Record<string, { subject: string; intro: string; closing: string }>;
  /** The only networks for the console and its calls; empty for all. */
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

/** An operator's setting as administrators see it. */
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
  apiRatePerMinute: number;
  version: string;
}

/** `current` reflects a change by any process within two seconds. */
export interface SettingsSource {
  readonly surroundings: Surroundings;
  current(): Settings;
  /** Reads the database again; called every second or two, and after a change. */
  refresh(): Promise<void>;
}
