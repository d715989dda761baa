// Events, and the tables of the verifiable event log (docs/trust/evidence.md). The log itself is in files; the tables have
// what appending needs.
import type { EventKind } from '../../domain/events.ts';

/** An event. A job appends it to the verifiable log (docs/trust/evidence.md). */
export interface EventsTable {
  seq: number;
  at: number;
  /** Old rows may have a kind that no longer exists. */
  action: EventKind;
  actor_kind: string;
  actor_id: string;
  object_kind: string;
  object_id: string;
  owner_id: string;
  /** JSON. Checksums and their salts are encrypted. */
  facts: string;
  remote_ip: string;
  request_id: string;
  /**
   * The salts of personal fields in the log derive from it, except those of encrypted facts. Null once a field was
   * erased.
   */
  salt: Buffer | null;
  /** After an erasure, as JSON: salts of the remaining fields, hashes of the erased ones. */
  opening: string | null;
}

/** The head of the log; one row. */
export interface EvidenceLogTable {
  id: number;
  /** The name of the log in its checkpoints. It never changes. */
  origin: string;
  /** Entries in the log. */
  size: number;
  /** Number of the last event in the log. */
  last_seq: number;
  /** The rightmost tile of each level, lowest first, each preceded by its length in two bytes. */
  edge: Buffer;
  /** The last checkpoint, signed. */
  note: string;
  sealed_at: number;
}

/** Every signed checkpoint. */
export interface EvidenceCheckpointsTable {
  size: number;
  /** Number of the last event that it covers. */
  last_seq: number;
  note: string;
  /** Lines of witnesses, with line breaks. */
  cosignatures: string;
  created_at: number;
}

/** Keys that sign checkpoints: the one with the highest id signs, the others did. */
export interface EvidenceKeysTable {
  id: number;
  verifier_key: string;
  /** The private key, encrypted by the master key; null once it was replaced. */
  sealed: Buffer | null;
  /** This key in a note signed by its predecessor; empty for the first. */
  endorsement: string;
  created_at: number;
}

/** Witnesses that have co-signed checkpoints. */
export interface EvidenceWitnessesTable {
  verifier_key: string;
  /** Of the last checkpoint they signed; 0 if there is none. */
  size: number;
  /** Of their last signature; 0 if there is none. */
  witnessed_at: number;
  created_at: number;
  /** Of the first failure in a row of a witness that the log asks. */
  failing_since: number | null;
  /** Empty if there was none. */
  last_error: string;
}

/** People who are being erased; a second search that finds nothing more removes the row. */
export interface ErasuresTable {
  /** The id that replaces that of the account. */
  id: string;
  /** Id, name and addresses of the person, and what replaces each. */
  person_sealed: Buffer;
  /** Events up to this number have been searched. */
  swept_seq: number;
  created_at: number;
}
