// Every path to stored bytes calls `available` after checking access; the granting statement repeats it in SQL
// (db/downloads/tickets.ts).
import type { AttachmentState } from './attachments.ts';
import { Problem } from './problem.ts';
import type { ScanState } from './scanning.ts';

/** `removed`: the sender took the file out of the message. `in_review`: a second person has to release it. */
export type ShareState = 'active' | 'expired' | 'withdrawn' | 'removed' | 'owner_inactive' | 'in_review';

export interface FileFacts {
  state: AttachmentState;
  scanState: ScanState;
  /** Its owner received it and did not upload it. */
  isFromOutside: boolean;
  share: ShareState;
}

export interface Viewer {
  isOwner: boolean;
  /** Null for no limit. */
  downloadsLeft: number | null;
  /** Continues a counted download of this file. */
  isResuming: boolean;
}

export type Unavailability =
  | Exclude<ShareState, 'active'>
  | 'checking'
  | 'held'
  | 'damaged'
  | 'erased'
  | 'limit_reached';

export const anyViewer: Viewer = { isOwner: false, downloadsLeft: null, isResuming: false };

const reasonOfState: Record<AttachmentState, Unavailability | null> = {
  sealing: 'checking',
  ready: null,
  damaged: 'damaged',
  failed: 'damaged',
  erased: 'erased',
};

/** For SQL. */
export const availableStates = (Object.keys(reasonOfState) as AttachmentState[]).filter(
  (state) => reasonOfState[state] === null,
);

const reasonOfScan: Record<ScanState, Unavailability | null> = { free: null, waiting: 'checking', held: 'held' };

export function available(file: FileFacts, viewer: Viewer): 'yes' | Unavailability {
  const { state, share } = file;
  if (share !== 'active' && !(share === 'in_review' && viewer.isOwner)) return share;
  const reason = reasonOfState[state];
  if (reason !== null) return reason;
  const isUploader = viewer.isOwner && !file.isFromOutside;
  const scanReason = isUploader ? null : reasonOfScan[file.scanState];
  if (scanReason !== null) return scanReason;
  const isUsedUp = viewer.downloadsLeft === 0 && !viewer.isOwner && !viewer.isResuming;
  return isUsedUp ? 'limit_reached' : 'yes';
}

/** `count`: files of the download. */
export function unavailable(reason: Unavailability, holder: 'message' | 'link', count = 1): Problem {
  if (reason === 'limit_reached') return limitReached(count);
  if (reason === 'checking') return notReady(holder);
  if (holder === 'link') return new Problem('gone', 'link.ended', 'This link is no longer available.');
  if (reason === 'expired')
    return new Problem(
      'gone',
      'message.expired',
      'This message has expired. Ask the sender to send it again.',
    ).withValues({ reader: 'recipient' });
  return new Problem('gone', 'download.gone', 'This file is no longer available.');
}

function limitReached(count: number): Problem {
  return new Problem(
    'gone',
    'download.limit_reached',
    count === 1
      ? 'All permitted downloads of this file have been used. Ask the sender to allow more.'
      : 'All permitted downloads of one of these files have been used. Go back to the page you came from: it shows which ones you can still download.',
  ).withValues({ n: count });
}

function notReady(holder: 'message' | 'link'): Problem {
  return holder === 'message'
    ? new Problem('conflict', 'download.not_ready', 'This file is still being checked. Try again in a moment.')
    : new Problem('unavailable', 'link.not_ready', 'This file is still being checked. Try again in a minute.', {
        retryAfterSeconds: 60,
      });
}
