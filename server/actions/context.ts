// The context of every action. It carries the keys, so that two services can run in one process. It has no mailer: actions
// only write to the outbox.
import type { Db } from '../db/schema/schema.ts';
import type { Clock, EvidenceFiles, Log, Random, Vault } from '../domain/ports.ts';
import type { SettingsSource } from '../domain/settings.ts';
import type { Keyring, KeyWrapper } from '../lib/keyring.ts';
import type { Passwords } from '../lib/password.ts';

export interface Keys extends Keyring {
  readonly files: KeyWrapper;
  readonly passwords: Passwords;
}

/** What rules need. A replay passes another time. */
export type RuleContext = Pick<Ctx, 'clock' | 'settings'>;

export interface Ctx {
  db: Db;
  blobs: Vault;
  clock: Clock;
  random: Random;
  settings: SettingsSource;
  log: Log;
  keys: Keys;
  /** Files of the evidence log. */
  evidence: EvidenceFiles;
}
