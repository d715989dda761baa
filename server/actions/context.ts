// The context of every action. Keys are here and not in modules, so that two services can run in one process. There is no
// mailer: an action can only write to the outbox.
import type { Db } from '../db/schema/schema.ts';
import type { Clock, EvidenceFiles, Log, Random, Vault } from '../domain/ports.ts';
import type { SettingsSource } from '../domain/settings.ts';
import type { Keyring, KeyWrapper } from '../lib/keyring.ts';
import type { Passwords } from '../lib/password.ts';

export interface Keys extends Keyring {
  readonly files: KeyWrapper;
  readonly passwords: Passwords;
}

/** When and where rules are asked; what they need of the service when everything else is given. */
export type Moment = Pick<Ctx, 'clock' | 'settings'>;

export interface Ctx {
  db: Db;
  blobs: Vault;
  clock: Clock;
  random: Random;
  settings: SettingsSource;
  log: Log;
  keys: Keys;
  /** The files of the log of evidence. */
  evidence: EvidenceFiles;
}
