// What the server hands to the page of a message: plain data, like everything in props.ts.
import type { PageNotice, Person, PostForm, UntilDate } from './props.ts';

/** R1: who sent what, until when; one button gets it. Looking spends nothing and tells nobody. */
export interface MessagePage {
  kind: 'message';
  sender: Person;
  /** '' for none: then the page says who sent how much, as the mail does. */
  subject: string;
  /** True: the text is on this page only, and the sender is told about the press on "Read message". */
  isPrivate: boolean;
  body: MessageBody;
  /** In the order the sender gave them; empty for a message without files. */
  files: MessageFile[];
  /** All files together, as `humanSize` writes it; '' without files. */
  totalSizeText: string;
  /** One archive of everything that can still be downloaded; null with fewer than two such files. */
  downloadAll: MessageArchive | null;
  /** Null: no end date. */
  until: UntilDate | null;
  audience: MessageAudience;
  /** Downloads of each file left for this visitor, the same for all; null: no limit, or it differs between files. */
  downloadsLeft: number | null;
  /** True when a limit applies, so that "Download all" says what it counts. */
  hasDownloadLimit: boolean;
  /** To and Cc without the reader, never Bcc; null for people it was not sent to, and when there is nobody else. */
  otherRecipients: { to: Person[]; cc: Person[] } | null;
  /** Where "Check again" leads while a file is being checked: this page. */
  checkAgainUrl: string;
  /** For the script: this page again, as it is now, without being counted as a visit. */
  stateUrl: string;
  notices: PageNotice[];
  /** Only when the sender looks at their own message. */
  senderView: { appUrl: string | null } | null;
}

/** What "Download all" gives: fewer files than the message has when some are used up, being checked or removed. */
export interface MessageArchive {
  form: PostForm;
  fileCount: number;
  sizeText: string;
}

export type MessageBody =
  | { is: 'none' }
  /** Line breaks are kept. */
  | { is: 'text'; text: string }
  /** Already sanitised by the server: the one value that is put into a page as markup. No styles, no remote pictures. */
  | { is: 'html'; bodyHtml: string }
  /** Private and not yet read: one press shows it and tells the sender. */
  | { is: 'unread'; form: PostForm };

/** As in the glossary, code side of `authorization` 0–4. */
export type MessageAudience =
  | 'anyone'
  | 'anyoneSignedIn'
  | 'recipientsAndLocal'
  | 'recipientsOnly'
  | 'recipientsAndDomains';

export interface MessageFile {
  /** Attachment id; also names the row for the script. */
  id: string;
  name: string;
  sizeText: string;
  sha256: string | null;
  state: /** `interrupted`: the last download broke off, and starting it again is not counted. `running`: it is in progress. */
    | { is: 'ready'; form: PostForm; progress: 'running' | 'interrupted' | null }
    | { is: 'being-checked' }
    /** By the virus check, or for the reason in the sentence. */
    | { is: 'removed'; sentence: string | null }
    | { is: 'used-up' };
  /** Instant (ISO 8601, UTC) of this visitor's last download. */
  downloadedAt: string | null;
}
