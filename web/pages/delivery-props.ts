// Props of file requests, drop pages and receipts. Forms are multipart: new files as `files`, received ones as ids in
// `attachments`. The script posts the same fields URL-encoded, without `files`.
import type { CheckProgress, FieldProblem, Person, PostForm, UntilDate } from './props.ts';

/** Posts `files`, `attachments`, `note`. */
export interface RequestPage {
  kind: 'request';
  form: PostForm;
  asker: Person;
  subject: string;
  /** Contains line breaks; '' for none. */
  text: string;
  /** The request was sent to it. */
  address: string;
  until: UntilDate | null;
  isReusable: boolean;
  /** Whether the requester may share the files inside the organisation. */
  mayBeForwarded: boolean;
  upload: UploadAccess;
  limits: UploadLimits;
  /** Files of an earlier attempt, so that they need not be chosen again. */
  received: ReceivedFile[];
  values: { note: string };
  problems: RequestProblem[];
}

export type RequestField = 'files' | 'note';

/** `files` can have a problem per refused file. */
export type RequestProblem = FieldProblem<'files', 'missing'> | FileProblem | { field: 'note'; sentence: string };

/** The script checks the same rules. */
export interface FileProblem {
  field: 'files';
  file: string;
  reason: 'empty' | 'type';
}

/** Posts `email`, `name`, `subject`, `message`, `files`, `attachments`. */
export interface DropPage {
  kind: 'drop';
  form: PostForm;
  /** Null when the administrator shows the title only. */
  owner: Person | null;
  /** Null means "Send files to {owner}". Never null together with `owner`. */
  title: string | null;
  /** Contains line breaks; '' for none. */
  intro: string;
  /** An address this browser has confirmed. */
  provenAddress: string | null;
  /** The address is confirmed before the files are delivered. */
  needsConfirmation: boolean;
  /** The files have arrived and the address is confirmed. */
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
  | FieldProblem<'subject', 'missing'>
  | { field: 'name' | 'message'; sentence: string }
  | FieldProblem<'files', 'missing'>
  | FileProblem;

/** See transfer/wire.ts. */
export interface UploadAccess {
  /** `POST <url>?filename=…&chunks=…&chunk=…&upload_id=…` */
  url: string;
  /** `GET` with `{id}` replaced by the upload id. */
  stateUrl: string;
  /** Null omits `X-CSRF-Token`. */
  csrf: string | null;
  chunkSizeBytes: number;
  /**
   * Sent with the first chunk of a file. `new` keeps files of the same name apart; null omits it, and the server finds
   * uploads by name.
   */
  firstUploadId: 'new' | null;
}

/** Checked by the script before uploading, and by the server. */
export interface UploadLimits {
  /** All files together; null for no limit. */
  maxTotalBytes: number | null;
  maxFiles: number | null;
  /** Lower case, without dots; empty permits all. */
  permittedExtensions: string[];
  /** Lower case, without dots. */
  blockedExtensions: string[];
  /** Applies to forms without script. */
  formMaxBytes: number;
}

export interface ReceivedFile {
  id: string;
  name: string;
  sizeText: string;
}

export interface DeliveredFile {
  name: string;
  sizeText: string;
  sha256: string | null;
  /** Null once the receiver can download it. `held`: the receiver does not get it. */
  check: ({ is: 'waiting' } & CheckProgress) | { is: 'held'; isInfected: boolean } | null;
}

export interface DeliveredPage {
  kind: 'delivered';
  /** Null for a drop page that does not name its owner. */
  recipient: Person | null;
  /** ISO 8601, UTC. */
  deliveredAt: string;
  files: DeliveredFile[];
  /** This page, while a file is being checked. */
  checkAgainUrl: string | null;
  reference: string;
  /** Null when the request could be used once. */
  sendMoreUrl: string | null;
  /** Null without mail or address. */
  receipt:
    | { is: 'offer'; form: PostForm; address: string }
    | { is: 'sent'; address: string }
    | { is: 'failed'; sentence: string }
    | null;
}
