// The tables of statements that administrators make, and of legal holds; the conventions of schema.ts.

/** What administrators stated about a person who left, or about what somebody was exposed to. Signed, never changed. */
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
