// Props of the page of a message.
import type { PageNotice, Person, PostForm, UntilDate } from './props.ts';

/** R1: who sent what, until when. Opening the page counts as no download and sends no notice. */
export interface MessagePage {
  kind: 'message';
  sender: Person;
  /** '' for none: the page then says who sent how much, as the mail does. */
  subject: string;
  /** True: the text is on this page only, and the sender is notified when "Read message" is clicked. */
  isPrivate: boolean;
  body: MessageBody;
  /** In the sender's order; empty for a message without files. */
  files: MessageFile[];
  /** Total size in the format of `humanSize`; '' without files. */
  totalSizeText: string;
  /** One archive of everything that can still be downloaded; null for fewer than two such files. */
  downloadAll: MessageArchive | null;
  /** Null for no end date. */
  until: UntilDate | null;
  audience: MessageAudience;
  /** Downloads left per file for this visitor; null for no limit, or if files differ. */
  downloadsLeft: number | null;
  /** True when a limit applies: "Download all" then says what it counts. */
  hasDownloadLimit: boolean;
  /** To and Cc without the reader, never Bcc; null for visitors who are no recipients, and without other recipients. */
  otherRecipients: { to: Person[]; cc: Person[] } | null;
  /** Target of "Check again" while a file is being checked: this page. */
  checkAgainUrl: string;
  /** For the script: this page's current state, not counted as a visit. */
  stateUrl: string;
  notices: PageNotice[];
  /** Only for the sender. */
  senderView: { appUrl: string | null } | null;
}

/** What "Download all" contains: fewer files than the message if some are used up, being checked or removed. */
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
  /** Private and not yet read: a click shows it and notifies the sender. */
  | { is: 'unread'; form: PostForm };

/** Code names of `authorization` 0–4, see the glossary. */
export type MessageAudience =
  | 'anyone'
  | 'anyoneSignedIn'
  | 'recipientsAndLocal'
  | 'recipientsOnly'
  | 'recipientsAndDomains';

export interface MessageFile {
  /** Attachment id; also the name of the row for the script. */
  id: string;
  name: string;
  sizeText: string;
  sha256: string | null;
  state: /** `interrupted`: the last download failed, and a retry is not counted. `running`: it is in progress. */
    | { is: 'ready'; form: PostForm; progress: 'running' | 'interrupted' | null }
    | { is: 'being-checked' }
    /** By the virus check, or for the given reason. */
    | { is: 'removed'; sentence: string | null }
    | { is: 'used-up' };
  /** Instant (ISO 8601, UTC) of this visitor's last download. */
  downloadedAt: string | null;
}
