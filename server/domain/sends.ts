// Recorded options, without contents, to replay rules on them (actions/policy/replay.ts).
import type { Policy } from './policy.ts';

export interface SentFile {
  /** Empty unless it has at most 12 letters and digits. */
  extension: string;
  sizeBytes: number;
}

/** Undefined options had the group's default. */
export interface MessageSend {
  kind: 'message';
  to: string[];
  cc: string[];
  bcc: string[];
  /** At that time. */
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
  id: string;
  userId: string;
  groupId: string;
  /** At that time. */
  policy: Policy;
  facts: SendFacts;
  sentAt: number;
}

export const maxReplayDays = 90;
