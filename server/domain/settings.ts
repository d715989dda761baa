// What an administrator may change while the service runs. Small now; the console grows it. What the operator sets
// before the start is in `config.ts` and reaches the inside through `Surroundings`.

import { type Branding, defaultBranding } from './branding.ts';
import type { Maintenance } from './maintenance.ts';

/** The product's own name; an organisation's name always comes before it. */
export const productName = 'Waybill';

/** Settings kept in the database. */
export interface Settings {
  organisationName: string;
  branding: Branding;
  /** How `GET /account/api_key` answers (security D1). */
  apiKeyReadback: 'sealed' | 'rotate' | 'off';
  /** Whether an expired link tells who shared it and until when (security D11). */
  showExpiredDetails: boolean;
  /** Words of mails that an administrator changed, by kind of mail and part. */
  mailTemplates: Record<string, { subject?: string; intro?: string; closing?: string }>;
  /** The shipped words at the time these were changed, so that a later version can show what it has changed since. */
  mailTemplatesShipped: Record<string, { subject: string; intro: string; closing: string }>;
  /** Administrators use the console and its calls from here only; empty for everywhere. */
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

/** One setting of the operator, as administrators see it. */
export interface SettingInForce {
  /** Its environment variable. */
  name: string;
  meaning: string;
  /** Masked where it is secret. */
  value: string;
  source: 'environment' | 'file' | 'default';
  isSecret: boolean;
}

/** What the inside needs to know of how it was set up. */
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

/** Both, as actions see them. `current` is read afresh within a second or two of a change by any process. */
export interface SettingsSource {
  readonly surroundings: Surroundings;
  current(): Settings;
  /** Looks at the database again; called every second or two, and after a change. */
  refresh(): Promise<void>;
}
