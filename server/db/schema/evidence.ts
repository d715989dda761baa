// Events, and the tables of the log of evidence that they are sealed into (docs/evidence.md). The log itself is in files;
// here is what appending needs.
import type { EventKind } from '../../domain/events.ts';

/** One line of what happened. The sealing job takes it into the log of evidence (docs/evidence.md). */
export interface EventsTable {
  seq: number;
  at: number;
  /** Old rows may hold a kind that no longer exists. */
  action: EventKind;
  actor_kind: string;
  actor_id: string;
  object_kind: string;
  object_id: string;
  owner_id: string;
  /** JSON. Checksums are sealed, with their salts. */
  facts: string;
  remote_ip: string;
  request_id: string;
  /** The salts of its personal fields in the log are made from it, except those of sealed facts. Null once a field was erased. */
  salt: Buffer | null;
  /** After an erasure, as JSON: salts of the fields that are left, hashes of those that are gone. */
  opening: string | null;
}

/** The head of the log; one row. */
export interface EvidenceLogTable {
  id: number;
  /** The name of the log in its checkpoints. It never changes. */
  origin: string;
  /** Entries in the log. */
  size: number;
  /** Number of the last event that is in it. */
  last_seq: number;
  /** The rightmost tile of each level, lowest first, each with its length in two bytes before it. */
  edge: Buffer;
  /** The last checkpoint, signed. */
  note: string;
  sealed_at: number;
}

/** Every checkpoint that was signed. */
export interface EvidenceCheckpointsTable {
  size: number;
  /** Number of the last event that it covers. */
  last_seq: number;
  note: string;
  /** Lines of witnesses, each with its line break. */
  cosignatures: string;
  created_at: number;
}

/** Keys that sign checkpoints; the one with the highest id does, the others have. */
export interface EvidenceKeysTable {
  id: number;
  verifier_key: string;
  /** The private key under the master key; null once it was replaced. */
  sealed: Buffer | null;
  /** This key in a note that its predecessor has signed; empty for the first. */
  endorsement: string;
  created_at: number;
}

/** Who has co-signed checkpoints. */
export interface EvidenceWitnessesTable {
  verifier_key: string;
  /** Of the last checkpoint they signed; 0 while they have signed none. */
  size: number;
  /** Of their last signature; 0 while there is none. */
  witnessed_at: number;
  created_at: number;
}

/** People who are being erased; a row goes when a second look has found nothing more of them. */
export interface ErasuresTable {
  /** The id that takes the place of the account's. */
  id: string;
  /** Id, name and addresses of the person, and what takes the place of each. */
  person_sealed: Buffer;
  /** Events up to this number have been looked through. */
  swept_seq: number;
  created_at: number;
}
