// Props of pages that receive files: file requests, drop pages and receipts. Both forms are multipart, with new files
// as `files` (several inputs) and received ones as `attachments` (ids, repeated). The script posts the same fields
// URL-encoded, without `files`.
import type { FieldProblem, Person, PostForm, UntilDate } from './props.ts';

/** R6. Posts `files`, `attachments`, `note`. */
export interface RequestPage {
  kind: 'request';
  form: PostForm;
  asker: Person;
  subject: string;
  /** Text of the request with line breaks; '' for none. */
  text: string;
  /** Address the request was sent to: shown, not asked for. */
  address: string;
  until: UntilDate | null;
  isReusable: boolean;
  /** Whether the requester may share the files inside the organisation. */
  mayBeForwarded: boolean;
  upload: UploadAccess;
  limits: UploadLimits;
  /** Files already received with an earlier attempt, so that they need not be chosen again after an error. */
  received: ReceivedFile[];
  values: { note: string };
  problems: RequestProblem[];
}

export type RequestField = 'files' | 'note';

/** `files` can have several problems, one per refused file. */
export type RequestProblem = FieldProblem<'files', 'missing'> | FileProblem | FieldProblem<'note', 'too-long'>;

/** One file refused by a rule that the script also checks: empty, or its type is not permitted. */
export interface FileProblem {
  field: 'files';
  file: string;
  reason: 'empty' | 'type';
}

/** R7. Posts `email`, `name`, `subject`, `message`, `files`, `attachments`. */
export interface DropPage {
  kind: 'drop';
  form: PostForm;
  /** Null when the administrator shows the title only. */
  owner: Person | null;
  /** The page's own title; null means "Send files to {owner}". Never null together with `owner`. */
  title: string | null;
  /** Intro text with line breaks; '' for none. */
  intro: string;
  /** An address this browser has confirmed: shown, not asked for. */
  provenAddress: string | null;
  /** The address is confirmed before the files are delivered. */
  needsConfirmation: boolean;
  /** The files have arrived and the address is confirmed: only Send is missing. */
  isReadyToSend: boolean;
  upload: UploadAccess;
  limits: UploadLimits;
  received: ReceivedFile[];
  values: { email: string; name: string; subject: string; message: string };
  problems: DropProblem[];
}

export type DropField = 'email' | 'name' | 'subject' | 'message' | 'files';

export type DropProblem =
  | FieldProblem<'email', 'missing' | 'invalid'>
  | FieldProblem<'subject', 'missing' | 'too-long'>
  | FieldProblem<'name' | 'message', 'too-long'>
  | FieldProblem<'files', 'missing'>
  | FileProblem;

/** How the script sends chunks: see transfer/wire.ts. */
export interface UploadAccess {
  /** `POST <url>?filename=…&chunks=…&chunk=…&upload_id=…` */
  url: string;
  /** `GET` with `{id}` replaced by the upload id. */
  stateUrl: string;
  /** Sent as `X-CSRF-Token`; null omits the header. */
  csrf: string | null;
  chunkSizeBytes: number;
  /**
   * Sent as `upload_id` with the first chunk of a file. `new` creates a separate upload, so that files of the same name
   * do not collide; null omits it, and the server finds uploads by name.
   */
  firstUploadId: 'new' | null;
}

/** Shown, checked by the script before uploading, and checked by the server. */
export interface UploadLimits {
  /** All files of a delivery together; null for no limit. */
  maxTotalBytes: number | null;
  maxFiles: number | null;
  /** Lower case, without dots. If not empty, only these are permitted. */
  permittedExtensions: string[];
  /** Lower case, without dots. */
  blockedExtensions: string[];
  /** The most a form without script may contain. */
  formMaxBytes: number;
}

export interface ReceivedFile {
  id: string;
  name: string;
  sizeText: string;
}

/** R8. Printable. */
export interface DeliveredPage {
  kind: 'delivered';
  /** Who was notified; null for a drop page that does not name its owner. */
  recipient: Person | null;
  /** ISO 8601, UTC. */
  deliveredAt: string;
  files: { name: string; sizeText: string; sha256: string | null }[];
  reference: string;
  /** Null when the request could be used once. */
  sendMoreUrl: string | null;
  /** Sends the receipt by mail; null without mail or address. */
  receipt:
    | { is: 'offer'; form: PostForm; address: string }
    | { is: 'sent'; address: string }
    | { is: 'failed'; sentence: string }
    | null;
}
