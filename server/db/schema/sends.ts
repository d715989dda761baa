// Tables of requests to send, for dry runs of rules. The conventions are those of schema.ts.
import type { Flag } from '../flag.ts';

/** Policies of groups by which sends were judged. */
export interface PolicyDocumentsTable {
  /** Hash of the document. */
  id: string;
  is_local: Flag;
  document: string;
}

/**
 * The request of each message, link and file request, so that changed rules can be tried on it. Deleted after 90 days.
 */
export interface SendsTable {
  /** Id of the message, file link or file request. */
  id: string;
  kind: 'message' | 'link' | 'request';
  user_id: string;
  /** The sender's group at that time. */
  group_id: string;
  policy_id: string;
  /** Recipients, sizes, file extensions and choices; no text and no file name. */
  facts: string;
  sent_at: number;
}
