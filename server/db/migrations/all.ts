// All migrations, oldest first. A migration that has run anywhere is never changed; the next one corrects it.
import type { Migration } from '../engine/migrate.ts';
import { baseline } from './0001-baseline.ts';
import { downloadRequests } from './0070-download-requests.ts';
import { mailTokens } from './0071-mail-tokens.ts';
import { heldMails } from './0073-held-mails.ts';
import { signInServices } from './0074-identities.ts';
import { directories } from './0076-directories.ts';
import { passkeys } from './0077-passkeys.ts';
import { scanning } from './0079-scanning.ts';
import { eventReceivers } from './0082-event-receivers.ts';
import { storesOfProcesses } from './0086-stores-of-processes.ts';
import { saml } from './0087-saml.ts';
import { scimMoves } from './0090-scim-moves.ts';
import { contentRules } from './0094-content-rules.ts';
import { messageReviews } from './0095-message-reviews.ts';
import { witnessErrors } from './0098-witness-errors.ts';
import { signInTests } from './0109-sign-in-tests.ts';

export const migrations: Migration[] = [
  baseline,
  downloadRequests,
  mailTokens,
  heldMails,
  signInServices,
  directories,
  passkeys,
  scanning,
  eventReceivers,
  storesOfProcesses,
  saml,
  scimMoves,
  contentRules,
  messageReviews,
  witnessErrors,
  signInTests,
];
