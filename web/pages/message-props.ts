import type { CheckProgress, MessageAudience, PageNotice, PasskeyHint, Person, PostForm, UntilDate } from './props.ts';

/** Opening the page counts as no download and sends no notice. */
export interface MessagePage {
  kind: 'message';
  sender: Person;
  /** '' for none: the page then says who sent how much. */
  subject: string;
  /** The text is on this page only, and the sender is notified when it is read. */
  isPrivate: boolean;
  body: MessageBody;
  /** In the order of the sender. */
  files: MessageFile[];
  /** '' without files. */
  totalSizeText: string;
  /** Null for fewer than two files that can still be downloaded. */
  downloadAll: MessageArchive | null;
  /** Null for no end date. */
  until: UntilDate | null;
  audience: MessageAudience;
  /** Bcc counts: "only you" must be true, and other recipients must not be revealed. */
  isOnlyRecipient: boolean;
  /** This visitor's limit per file; null for no limit, or if files differ. */
  downloadsLeft: number | null;
  /** "Download all" then says what it counts. */
  hasDownloadLimit: boolean;
  /** Excludes the reader and Bcc; null for visitors who are no recipients. */
  otherRecipients: { to: Person[]; cc: Person[] } | null;
  /** While a file is being checked: this page. */
  checkAgainUrl: string;
  /** This page's current state, not counted as a visit. */
  stateUrl: string;
  notices: PageNotice[];
  /** Only for the sender. */
  senderView: { appUrl: string | null } | null;
  passkeys?: PasskeyHint | null;
}

/** Fewer files than the message if some are used up, being checked or removed. */
export interface MessageArchive {
  form: PostForm;
  fileCount: number;
  sizeText: string;
}

export type MessageBody =
  | { is: 'none' }
  | { is: 'text'; text: string }
  /** Sanitised by the server; the only value inserted as markup. No styles, no remote pictures. */
  | { is: 'html'; bodyHtml: string }
  /** A click shows it and notifies the sender. */
  | { is: 'unread'; form: PostForm };

export interface MessageFile {
  /** Attachment id; names the row for the script. */
  id: string;
  name: string;
  sizeText: string;
  sha256: string | null;
  state: /**
   * `interrupted`: the last download failed, and a retry is not counted. `running`: it is in progress.
   * `downloadsLeft`: null if the page says it for all files, or for no limit.
   */
    | { is: 'ready'; form: PostForm; progress: 'running' | 'interrupted' | null; downloadsLeft: number | null }
    | ({ is: 'being-checked' } & CheckProgress)
    /** No longer available, or for the given reason. */
    | { is: 'removed'; sentence: string | null }
    | { is: 'used-up' };
  /** ISO 8601, UTC. */
  downloadedAt: string | null;
}
