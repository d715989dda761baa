// Tables of what belongs to an account. The conventions are those of schema.ts.
import type { Flag } from '../flag.ts';

/** API keys: one that can be read back, and any number with names that cannot (docs/adr/0030). */
export interface ApiKeysTable {
  id: string;
  user_id: string;
  lookup: Buffer;
  /** The key, encrypted; empty for named keys, which are shown once. */
  sealed: Buffer;
  kind: 'account' | 'named';
  /** The name that its owner gave it; empty for the account's own. */
  name: string;
  /** First characters, to tell keys apart; empty in old rows. */
  prefix: string;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  last_used_ip: string;
  /** When a newer key replaced it; it works until it expires. */
  replaced_at: number | null;
}

/** What a user chose; without a row the defaults of domain/preferences.ts apply. */
export interface PreferencesTable {
  user_id: string;
  /** Empty: that of the browser. */
  time_zone: string;
  theme: 'system' | 'light' | 'dark';
  has_shortcut_keys: Flag;
  /** How mails about downloads are batched. */
  receipts: 'at_once' | 'hourly' | 'daily' | 'off';
  has_reminders: Flag;
  /** Mails about files that come by a file request or the drop page. */
  has_request_notices: Flag;
  updated_at: number;
}
