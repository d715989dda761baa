// The tables of statements, legal holds, and limits for administrators. The conventions are those of schema.ts.

/** Statements about a user who left, or about an exposure. Signed, never changed. */
export interface StatementsTable {
  id: string;
  kind: 'leave' | 'exposure';
  /** `open`: access has ended, and transfers are still being handed over or ended. */
  state: 'open' | 'made';
  /** The account it is about; empty for an address or a network. */
  about_user_id: string;
  made_by: string;
  /** The last event before it began. */
  begun_seq: number;
  /** The statement as JSON, exactly as signed; while open, what was requested and what has ended so far. */
  document_sealed: Buffer;
  /** Signature over the document as a signed note; empty while open. */
  note: string;
  created_at: number;
  finished_at: number | null;
}

/** What must not be deleted; rows remain when a hold is lifted. */
export interface LegalHoldsTable {
  id: string;
  target_kind: 'user' | 'message' | 'link' | 'request';
  target_id: string;
  /** The owner of the files. */
  owner_id: string;
  reason: string;
  set_by: string;
  set_at: number;
  lift_reason: string;
  lifted_by: string;
  /** Null while it is in force. */
  lifted_at: number | null;
}

/** Administrators who set the password of an account, and so could have signed in. */
export interface AccountAccessTable {
  user_id: string;
  /** The administrator. */
  given_by: string;
  /** The last time. */
  given_at: number;
}

/** What administrators and auditors viewed within the last minutes, so that repeated views are one event. */
export interface ConsoleViewsTable {
  /** Keyed hash of viewer and object. */
  view_key: string;
  viewed_at: number;
}

/** Requests to hand transfers over to an account whose password the same administrator has set within a day. */
export interface HandOverConfirmationsTable {
  id: string;
  asked_by: string;
  new_owner_id: string;
  reason: string;
  asked_at: number;
  /** The second System Administrator; empty while the request waits. */
  confirmed_by: string;
  confirmed_at: number | null;
}
