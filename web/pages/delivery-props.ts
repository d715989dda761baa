// What the server hands to the pages that take files: file requests, drop pages, and what follows a delivery.
// Both forms are multipart: files as `files` (several inputs of that name), files we hold already as `attachments`
// (ids, repeated). The script posts the same fields URL-encoded, with `attachments` only.
import type { FieldProblem, Person, PostForm, UntilDate } from './props.ts';

/** R6. Posts `files`, `attachments`, `note`. */
export interface RequestPage {
  kind: 'request';
  form: PostForm;
  asker: Person;
  subject: string;
  /** Text of the request, line breaks kept; '' for none. */
  text: string;
  /** Address the request was sent to: shown, not asked. */
  address: string;
  until: UntilDate | null;
  isReusable: boolean;
  /** False: nobody but the asker can open the files; true: the asker may pass them on inside the organisation. */
  mayBeForwarded: boolean;
  upload: UploadAccess;
  limits: UploadLimits;
  /** Files of an earlier try that we hold already; nobody chooses a file twice because of a typing error. */
  received: ReceivedFile[];
  values: { note: string };
  problems: RequestProblem[];
}

export type RequestField = 'files' | 'note';

/** Several problems of `files` are allowed: one for each refused file. */
export type RequestProblem = FieldProblem<'files', 'missing'> | FileProblem | FieldProblem<'note', 'too-long'>;

/** One file that was refused by a rule the script knows too: it is empty, or its type is not permitted. */
export interface FileProblem {
  field: 'files';
  file: string;
  reason: 'empty' | 'type';
}

/** R7. Posts `email`, `name`, `subject`, `message`, `files`, `attachments`. */
export interface DropPage {
  kind: 'drop';
  form: PostForm;
  /** Null when the administrator chose to show the title without the person. */
  owner: Person | null;
  /** The drop's own title; null: "Send files to {owner}". One of both is there. */
  title: string | null;
  /** Intro text, line breaks kept; '' for none. */
  intro: string;
  /** An address this browser has proven: shown, not asked. */
  provenAddress: string | null;
  /** The address is confirmed before the files are delivered. */
  needsConfirmation: boolean;
  /** Everything is here and the address was just proven: one press is missing. */
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

/** How the script sends pieces: see transfer/wire.ts. */
export interface UploadAccess {
  /** `POST <url>?filename=…&chunks=…&chunk=…&upload_id=…` */
  url: string;
  /** `GET` with `{id}` replaced by the upload id. */
  stateUrl: string;
  /** Sent as `X-CSRF-Token`; null leaves the header out. */
  csrf: string | null;
  chunkSizeBytes: number;
  /**
   * Sent as `upload_id` with the first piece of a file. `new` asks for an upload of its own, so that two files of one
   * name never meet; null leaves it out, and the server finds uploads by name.
   */
  firstUploadId: 'new' | null;
}

/** Checked again by the server; told in words before, checked by the script before a byte is sent. */
export interface UploadLimits {
  /** All files of one delivery together; null: no limit. */
  maxTotalBytes: number | null;
  maxFiles: number | null;
  /** Without dots, lower case. Not empty: only these. */
  permittedExtensions: string[];
  /** Without dots, lower case. */
  blockedExtensions: string[];
  /** The most a form without script may carry. */
  formMaxBytes: number;
}

export interface ReceivedFile {
  /** Attachment id. */
  id: string;
  name: string;
  sizeText: string;
}

/** R8: one page for both. Printable. */
export interface DeliveredPage {
  kind: 'delivered';
  /** Who was told; null for a drop page that does not name its person. */
  recipient: Person | null;
  /** ISO 8601, UTC. */
  deliveredAt: string;
  files: { name: string; sizeText: string; sha256: string | null }[];
  reference: string;
  /** Null when the request could be used once. */
  sendMoreUrl: string | null;
  /** The receipt by mail: posts nothing but the hidden fields; null when there is no mail or no address. */
  receipt:
    | { is: 'offer'; form: PostForm; address: string }
    | { is: 'sent'; address: string }
    | { is: 'failed'; sentence: string }
    | null;
}
