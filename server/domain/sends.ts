// What is recorded about each message, link and request: the options, never the contents. The
// rules can be asked again with it (actions/policy/replay.ts).
import type { Policy } from './policy.ts';

export interface SentFile {
  /** Without its dot; empty when it has none, or one that is not at most 12 letters and digits. */
  extension: string;
  sizeBytes: number;
}

/** What was not asked for is undefined: the group's default decided. */
export interface MessageSend {
  kind: 'message';
  to: string[];
  cc: string[];
  bcc: string[];
  /** Those of the recipients who were colleagues at that time. */
  localAddresses: string[];
  files: SentFile[];
  isMailed: boolean;
  isFormatted: boolean;
  format?: 'plain' | 'html' | undefined;
  expiresOn?: string | undefined;
  downloadLimit?: number | undefined;
  copyToSender?: boolean | undefined;
  isPrivate?: boolean | undefined;
  authorization?: number | undefined;
}

export interface LinkSend {
  kind: 'link';
  file: SentFile;
  hasPassword: boolean;
  expiresOn?: string | undefined;
  sendReceipt?: boolean | undefined;
  requireSignIn?: boolean | undefined;
}

export interface RequestSend {
  kind: 'request';
  recipient: string;
  expiresOn?: string | undefined;
  isReusable?: boolean | undefined;
}

export type SendFacts = MessageSend | LinkSend | RequestSend;

export interface Send {
  /** Of the message, link or request. */
  id: string;
  userId: string;
  groupId: string;
  /** What the group decided at that time. */
  policy: Policy;
  facts: SendFacts;
  sentAt: number;
}

/** Most days that can be asked about; older ones are forgotten. */
export const mostReplayDays = 90;
