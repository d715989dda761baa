// The tables of statements that administrators make, of legal holds, and of limits for administrators; the conventions of
// schema.ts.

/** What administrators stated about a person who left, or about an exposure. Signed, never changed. */
export interface StatementsTable {
  id: string;
  kind: 'leave' | 'exposure';
  /** `open`: access has ended, what they shared is still being handed over or ended. */
  state: 'open' | 'made';
  /** The account it is about; empty for an address or a network. */
  about_user_id: string;
  made_by: string;
  /** The last event before it began. */
  begun_seq: number;
  /** The statement as JSON, exactly as it was signed; while open what was asked and what has ended so far. */
  document_sealed: Buffer;
  /** Signature over the document as a signed note; empty while open. */
  note: string;
  created_at: number;
  finished_at: number | null;
}

/** What must not be deleted; rows stay when they are lifted. */
export interface LegalHoldsTable {
  id: string;
  target_kind: 'user' | 'message' | 'link' | 'request';
  target_id: string;
  /** Whose files it keeps. */
  owner_id: string;
  reason: string;
  set_by: string;
  set_at: number;
  lift_reason: string;
  lifted_by: string;
  /** Null while it is in force. */
  lifted_at: number | null;
}

/** Administrators who set the password of an account, and could have signed in with it. */
export interface AccountAccessTable {
  user_id: string;
  /** The administrator. */
  given_by: string;
  /** The last time. */
  given_at: number;
}

/** What administrators and auditors looked at within the last minutes: repeated looks are one event. */
export interface ConsoleViewsTable {
  /** Keyed hash of who looked at what. */
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
